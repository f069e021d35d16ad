import type { Site } from "../../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../../config/site-runtimes.js";
import {
  BATTERY_READING_NAMES,
  SITE_READING_NAMES,
  SLOT_READING_NAMES,
} from "../../../core/domain/sample.js";
import { slotNumber } from "../../../core/domain/slot.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import { numberFromText } from "../../../core/number-text.js";
import { SerialQueue } from "../../../core/work/serial-queue.js";
import { flagOf } from "../../../telemetry/topic-map.js";
import type { ReceivedMessage } from "../client/connection.js";
import { type SetActuatorEnabled, takeActuatorCommand } from "./actuators.js";
import type { ChargeTargets } from "./charge-targets.js";
import { type Id, idOf, PayloadError, readObject, readText } from "./payload.js";
import { type PresenceTopicOptions, takePresence } from "./presence.js";
import type { SampleIntake } from "./sample-intake.js";
import { type SlotCommands, takeBatteryCommand, takeSlotCommand } from "./slot-commands.js";
import { type Inbound, isSafeLevel, type Topics } from "./topics.js";

/** Open requests per site; more are refused. */
const MAX_OPEN_REQUESTS = 16;

export interface IngestOptions {
  topics: Topics;
  sites: SiteRuntimes;
  site(id: string): Site | undefined;
  samples: Pick<SampleIntake, "take">;
  /** The operations served over MQTT, by name of the request topic. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** Commands of the flexible devices. */
  slots: SlotCommands;
  chargeTargets: Pick<ChargeTargets, "of" | "take">;
  actuators: { setEnabled: SetActuatorEnabled };
  presence: PresenceTopicOptions;
  /** Whether the gateway reads the topic for itself, so that answers must not be sent there. */
  isReserved(topic: string): boolean;
  /** Sends the value of a topic again. */
  repeatValue(topic: string): void;
  /** Sends a message that is not retained, with the correlation data of the request. */
  send(topic: string, payload: string, correlation?: Buffer): void;
  log: Log;
}

type ReplyTo = ReceivedMessage["replyTo"];

/** Topic and correlation data of an answer. */
interface Address {
  topic: string;
  correlation: Buffer | undefined;
}

/** Handles messages of clients. Each is answered on the plant's `…/ack`, requests on `…/response/…`. */
export class Ingest {
  readonly #options: IngestOptions;
  /** The last answer per plant, sent or pending. */
  readonly #lastAnswers = new Map<string, Promise<void>>();
  readonly #openRequests = new Map<string, number>();
  /** The commands of a plant are executed in order: one may depend on the one before it. */
  readonly #commands: SiteParts<SerialQueue>;
  /** Resolves when the next request may run. */
  readonly #turns = new SerialQueue();

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#commands = options.sites.parts({ create: () => new SerialQueue() });
  }

  /**
   * Handles one message; never throws or rejects. A retained message delivered by the subscription is outdated and was
   * already answered.
   */
  async handle(topic: string, payload: Buffer, { retained, replyTo }: ReceivedMessage): Promise<void> {
    const { topics, log } = this.#options;
    const inbound = topics.inbound(topic);
    if (inbound === undefined) return;
    if (retained) {
      log.debug({ topic }, "A retained MQTT message is ignored because it may be outdated.");
      return;
    }
    const answer = this.#take(inbound, topic, payload, replyTo);
    // All messages except requests are answered in order.
    const before = inbound.kind === "request" ? undefined : this.#lastAnswers.get(inbound.plant);
    const answered = (async () => {
      const send = await answer;
      await before;
      send();
    })();
    if (inbound.kind === "request") return answered;
    this.#lastAnswers.set(inbound.plant, answered);
    await answered;
    // Removed, because the number of plant names in topics is unbounded.
    if (this.#lastAnswers.get(inbound.plant) === answered) this.#lastAnswers.delete(inbound.plant);
  }

  /** Executes the message; resolves with a function that sends the answer, never rejects. */
  async #take(inbound: Inbound, topic: string, payload: Buffer, replyTo: ReplyTo): Promise<() => void> {
    try {
      const site = this.#options.site(inbound.plant);
      if (site === undefined) throw new PayloadError(`There is no plant "${inbound.plant}" on this gateway.`);
      if (inbound.kind === "request") {
        const to = this.#replyTopic(site, inbound.name, replyTo);
        return await this.#answer(site, inbound.name, to, payload);
      }
      const id =
        inbound.kind === "telemetry"
          ? await this.#options.samples.take(site, sampleOf(inbound, payload))
          : await this.#commands.of(site.id).run(() => this.#command(site, inbound, payload));
      return () => this.#acknowledge(inbound, topic, { ok: true, id });
    } catch (error) {
      const known = error instanceof PayloadError;
      if (!known) this.#options.log.error({ topic, err: error }, "An MQTT message could not be handled.");
      const message = known ? error.message : `The message could not be handled: ${errorMessage(error)}`;
      const id = known ? error.id : undefined;
      return () => {
        this.#acknowledge(inbound, topic, { ok: false, error: message, id });
        // Controllers that set their own copy of the value when they send the wish take the one in force again.
        if (topic.endsWith("/set"))
          this.#options.repeatValue(this.#options.topics.known(topic).slice(0, -"/set".length));
      };
    }
  }

  #command(
    site: Site,
    inbound: Exclude<Inbound, { kind: "telemetry" | "request" }>,
    payload: Buffer,
  ): Promise<Id | undefined> {
    const { slots, chargeTargets, presence, actuators } = this.#options;
    if (inbound.kind === "actuator")
      return takeActuatorCommand(site.id, inbound.actuator, payload, actuators);
    if (inbound.kind === "presence") return takePresence(site.id, inbound.action, payload, presence);
    if (inbound.kind === "slot") return takeSlotCommand(site.id, inbound, payload, slots);
    if (inbound.action === "charge_target") return chargeTargets.take(site, payload);
    return takeBatteryCommand(site.id, payload, { commands: slots, targetSocPct: chargeTargets.of(site) });
  }

  /** Throws PayloadError for a response topic that other parts of the gateway or its clients act on. */
  #replyTopic(site: Site, name: string, replyTo: ReplyTo): Address {
    const { topics } = this.#options;
    const { topic, correlation } = replyTo ?? {};
    if (topic === undefined) return { topic: topics.of(site.id, `response/${name}`), correlation };
    const isOurs =
      this.#options.isReserved(topic) ||
      (topics.isOwn(topic) && !topic.startsWith(topics.of(site.id, "response/")));
    if (topic === "" || /[+#\0]|^\$/.test(topic) || isOurs)
      throw new PayloadError(
        `The response topic "${topic.slice(0, 100)}" can't be used; take one below ${topics.of(site.id, "response/")} or your own.`,
      );
    return { topic, correlation };
  }

  async #answer(site: Site, name: string, to: Address, payload: Buffer): Promise<() => void> {
    const { requests, send } = this.#options;
    const request = Object.hasOwn(requests, name) ? requests[name] : undefined;
    if (request === undefined)
      throw new PayloadError(
        `There is no request "${name.slice(0, 64)}"; ${Object.keys(requests).join(", ")} are available.`,
      );
    const { id, ...body } = readObject(payload);
    const mark = idOf({ id });
    const open = this.#openRequests.get(site.id) ?? 0;
    if (open >= MAX_OPEN_REQUESTS)
      throw new PayloadError("Too many requests of this plant are open; wait for their responses.", mark);
    this.#openRequests.set(site.id, open + 1);
    try {
      await this.#nextTurn();
      const document = await request(site.id, body);
      const answer = mark === undefined ? document : { id: mark, ...document };
      const text = JSON.stringify(answer);
      return () => send(to.topic, text, to.correlation);
    } catch (error) {
      this.#options.log.error({ site: site.id, request: name, err: error }, "An MQTT request failed.");
      throw new PayloadError("The request could not be answered; the gateway's log says why.", mark);
    } finally {
      this.#openRequests.set(site.id, (this.#openRequests.get(site.id) ?? 1) - 1);
    }
  }

  /** Yields to the event loop between requests, which take tens of milliseconds each. */
  #nextTurn(): Promise<void> {
    return this.#turns.run(() => new Promise((resolve) => setImmediate(resolve)));
  }

  #acknowledge(inbound: Inbound, topic: string, result: { ok: boolean; error?: string; id: Id | undefined }) {
    // The plant may not exist; its name is only used in a topic if it is safe.
    const { topics, send } = this.#options;
    if (isSafeLevel(inbound.plant))
      send(topics.ack(inbound.plant), JSON.stringify({ topic: topics.known(topic), ...result }));
  }
}

/** The sample of a telemetry topic of a plant, a slot or a battery. Throws PayloadError. */
function sampleOf(
  { field, slot, battery }: Extract<Inbound, { kind: "telemetry" }>,
  payload: Buffer,
): Record<string, unknown> {
  if (battery !== undefined) {
    if (field === undefined) return { ...readObject(payload), battery_id: battery };
    return { batteries: { [battery]: bareReading(field, BATTERY_READING_NAMES, payload) } };
  }
  if (slot === undefined)
    return field === undefined ? readObject(payload) : bareReading(field, SITE_READING_NAMES, payload);
  if (slotNumber(slot) === undefined)
    throw new PayloadError(`There is no slot "${slot.slice(0, 20)}"; the slots are 1 to 8.`);
  if (field !== undefined) return { slots: { [slot]: bareReading(field, SLOT_READING_NAMES, payload) } };
  const { timestamp, id, ...readings } = readObject(payload);
  return {
    ...(timestamp !== undefined && { timestamp }),
    ...(id !== undefined && { id }),
    slots: { [slot]: readings },
  };
}

/** The reading of a topic that names it. Throws PayloadError. */
function bareReading(field: string, names: readonly string[], payload: Buffer): Record<string, unknown> {
  if (!names.includes(field))
    throw new PayloadError(
      `There is no reading "${field.slice(0, 64)}"; the readings are ${names.join(", ")}.`,
    );
  const text = readText(payload);
  const value = (field === "ev_connected" ? flagOf(text) : undefined) ?? numberFromText(text);
  if (value === undefined) {
    const wanted = field === "ev_connected" ? "1 or 0, or true or false" : "a bare number such as 55 or 2.5";
    throw new PayloadError(`${field} must be ${wanted}; nothing was stored.`);
  }
  return { [field]: value };
}
