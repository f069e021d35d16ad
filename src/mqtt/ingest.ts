import type { Site } from "../accounts/sites.js";
import { MAX_SAMPLES, parseTelemetry } from "../telemetry/parse.js";
import { READING_NAMES, type Reading, type Sample } from "../telemetry/sample.js";
import type { Clock } from "../time/clock.js";
import type { Log } from "./log.js";
import { readNumber } from "./number-text.js";
import { type Id, idOf, PayloadError, readObject, readText } from "./payload.js";
import { SiteQueue } from "./site-queue.js";
import { type SlotCommands, takeSlotCommand } from "./slot-commands.js";
import { type Inbound, isSafeLevel, type Topics } from "./topics.js";

/** History keeps at most one sample per field and this many seconds of what comes by MQTT. */
const THIN_SECONDS = 10;

/** Answers asked for and not yet given, per site; more are refused. */
const MAX_OPEN_REQUESTS = 16;

export interface IngestOptions {
  topics: Topics;
  clock: Clock;
  site(id: string): Site | undefined;
  /** Stored durably when it resolves. */
  store(siteId: string, samples: Sample[], options: { thinSeconds: number }): Promise<unknown>;
  /** The calls that MQTT serves, by name of the request topic. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** What the topics of flexible devices can ask for; left out: there are none. */
  slots?: SlotCommands;
  /** Sends a message that is not retained. */
  send(topic: string, payload: string): void;
  log: Log;
}

/** Takes what clients publish. Every message is answered on the plant's `…/ack` (a request on `…/response/…`). */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #queues = new Map<string, SiteQueue>();
  /** Per plant, the answer given last or about to be. */
  readonly #lastAnswers = new Map<string, Promise<void>>();
  readonly #openRequests = new Map<string, number>();

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Handles one message; never throws or rejects. A retained message that the subscription brought is older than the
   * connection: it was answered when it came in, and says nothing about now.
   */
  async handle(topic: string, payload: Buffer, retained: boolean): Promise<void> {
    const { topics, log } = this.#options;
    const inbound = topics.inbound(topic);
    if (inbound === undefined) return;
    if (retained) {
      log.debug({ topic }, "A retained MQTT message from before the connection is not taken as new.");
      return;
    }
    const answer = this.#take(inbound, topic, payload);
    // Requests may take their time; everything else is answered in the order in which it came.
    const before = inbound.kind === "request" ? undefined : this.#lastAnswers.get(inbound.plant);
    const said = (async () => {
      const say = await answer;
      await before;
      say();
    })();
    if (inbound.kind === "request") return said;
    this.#lastAnswers.set(inbound.plant, said);
    await said;
    // Plants that do not exist have names without end.
    if (this.#lastAnswers.get(inbound.plant) === said) this.#lastAnswers.delete(inbound.plant);
  }

  /** Does what the message asks for; resolves, always, with the sending of its answer. */
  async #take(inbound: Inbound, topic: string, payload: Buffer): Promise<() => void> {
    try {
      const site = this.#options.site(inbound.plant);
      if (site === undefined) throw new PayloadError(`There is no plant "${inbound.plant}" on this gateway.`);
      if (inbound.kind === "request") return await this.#answer(site, inbound.name, topic, payload);
      const id =
        inbound.kind === "slot"
          ? await this.#command(site, inbound, payload)
          : await this.#store(site, inbound.field, payload);
      return () => this.#acknowledge(inbound, topic, { ok: true, id });
    } catch (error) {
      const known = error instanceof PayloadError;
      if (!known) this.#options.log.error({ topic, err: error }, "An MQTT message could not be handled.");
      const message = known ? error.message : `The message could not be handled: ${textOf(error)}`;
      const id = known ? error.id : undefined;
      return () => this.#acknowledge(inbound, topic, { ok: false, error: message, id });
    }
  }

  #command(site: Site, inbound: Extract<Inbound, { kind: "slot" }>, payload: Buffer) {
    const { slots } = this.#options;
    if (slots === undefined)
      throw new PayloadError(`Slot ${inbound.slot.slice(0, 20)} is not assigned on this gateway.`);
    return takeSlotCommand(site.id, inbound, payload, slots);
  }

  async #store(site: Site, field: string | undefined, payload: Buffer): Promise<Id | undefined> {
    const body = field === undefined ? readObject(payload) : bareReading(field, payload);
    const id = idOf(body);
    const now = this.#options.clock.now();
    const parsed = parseTelemetry(body, { now, zone: site.plant.timezone });
    if (parsed.tooMany)
      throw new PayloadError(
        `A batch holds at most ${MAX_SAMPLES} samples; this one has ${parsed.count}.`,
        id,
      );
    if (parsed.samples.length > 0) {
      try {
        await this.#queueOf(site.id).add(parsed.samples.map(({ sample }) => sample));
      } catch (error) {
        this.#options.log.error({ site: site.id, err: error }, "MQTT telemetry could not be stored.");
        throw new PayloadError(`The sample was not stored: ${textOf(error)}`, id);
      }
    }
    if (parsed.rejected.length > 0)
      throw new PayloadError(rejection(parsed.rejected, parsed.samples.length), id);
    if (parsed.samples.length === 0) throw new PayloadError("The payload holds no sample.", id);
    return id;
  }

  #queueOf(siteId: string): SiteQueue {
    let queue = this.#queues.get(siteId);
    if (queue === undefined) {
      queue = new SiteQueue((samples) => this.#options.store(siteId, samples, { thinSeconds: THIN_SECONDS }));
      this.#queues.set(siteId, queue);
    }
    return queue;
  }

  async #answer(site: Site, name: string, topic: string, payload: Buffer): Promise<() => void> {
    const { requests, topics, send } = this.#options;
    const request = Object.hasOwn(requests, name) ? requests[name] : undefined;
    if (request === undefined)
      throw new PayloadError(
        `There is no request "${name.slice(0, 64)}"; ${Object.keys(requests).join(", ")} can be asked.`,
      );
    const { id, ...body } = readObject(payload);
    const mark = idOf({ id });
    const open = this.#openRequests.get(site.id) ?? 0;
    if (open >= MAX_OPEN_REQUESTS)
      throw new PayloadError("Too many requests of this plant are open; wait for their responses.", mark);
    this.#openRequests.set(site.id, open + 1);
    try {
      const document = await request(site.id, body);
      const answer = mark === undefined ? document : { id: mark, ...document };
      const text = JSON.stringify(answer);
      return () => send(topics.of(site.id, `response/${name}`), text);
    } catch (error) {
      this.#options.log.error({ topic, err: error }, "An MQTT request failed.");
      throw new PayloadError("The request could not be answered; the gateway's log says why.", mark);
    } finally {
      this.#openRequests.set(site.id, (this.#openRequests.get(site.id) ?? 1) - 1);
    }
  }

  #acknowledge(inbound: Inbound, topic: string, result: { ok: boolean; error?: string; id: Id | undefined }) {
    // A plant that does not exist has no topics of its own; its name is only used where it can do no harm.
    if (isSafeLevel(inbound.plant))
      this.#options.send(this.#options.topics.ack(inbound.plant), JSON.stringify({ topic, ...result }));
  }
}

/** The sample of a `telemetry/<field>` topic. Throws PayloadError. */
function bareReading(field: string, payload: Buffer): Record<string, unknown> {
  if (!READING_NAMES.includes(field as Reading))
    throw new PayloadError(
      `There is no reading "${field.slice(0, 64)}"; the readings are ${READING_NAMES.join(", ")}.`,
    );
  const value = readNumber(readText(payload));
  if (value === undefined)
    throw new PayloadError(`${field} must be a bare number such as 55 or 2.5; nothing was stored.`);
  return { [field]: value };
}

const MAX_NAMED = 3;

function rejection(rejected: { index: number; field: string; message: string }[], stored: number): string {
  const named = rejected.slice(0, MAX_NAMED).map(({ message }) => message);
  const more = rejected.length > MAX_NAMED ? ` And ${rejected.length - MAX_NAMED} more.` : "";
  return `${stored > 0 ? "Stored in part." : "Nothing was stored."} ${named.join(" ")}${more}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
