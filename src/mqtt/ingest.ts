import type { Site } from "../accounts/sites.js";
import { READING_NAMES, type Reading } from "../domain/sample.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import { SerialQueue } from "../serial-queue.js";
import { readNumber } from "./number-text.js";
import { type Id, idOf, PayloadError, readObject, readText } from "./payload.js";
import type { SampleIntake } from "./sample-intake.js";
import { type SlotCommands, takeSlotCommand } from "./slot-commands.js";
import { type Inbound, isSafeLevel, type Topics } from "./topics.js";

/** Answers asked for and not yet given, per site; more are refused. */
const MAX_OPEN_REQUESTS = 16;

export interface IngestOptions {
  topics: Topics;
  site(id: string): Site | undefined;
  samples: Pick<SampleIntake, "take">;
  /** The calls that MQTT serves, by name of the request topic. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** What the topics of flexible devices can ask for; left out: there are none. */
  slots?: SlotCommands;
  /** Sends a message that is not retained; `correlation` goes with it where the asker marked its request so. */
  send(topic: string, payload: string, correlation?: Buffer): void;
  log: Log;
}

/** Where a client of MQTT 5 wants the answer to its request. */
export interface ReplyTo {
  /** Left open: the usual `…/response/<name>`. */
  topic: string | undefined;
  correlation: Buffer | undefined;
}

/** Where an answer goes, and with which mark. */
interface Address {
  topic: string;
  correlation: Buffer | undefined;
}

export interface InboundMessage {
  /** It was there before the subscription. */
  retained: boolean;
  replyTo?: ReplyTo | undefined;
}

/** Takes what clients publish. Every message is answered on the plant's `…/ack` (a request on `…/response/…`). */
export class Ingest {
  readonly #options: IngestOptions;
  /** Per plant, the answer given last or about to be. */
  readonly #lastAnswers = new Map<string, Promise<void>>();
  readonly #openRequests = new Map<string, number>();
  /** Over when the request before has been worked on and everybody else has had a turn. */
  readonly #turns = new SerialQueue();

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Handles one message; never throws or rejects. A retained message that the subscription brought is older than the
   * connection: it was answered when it came in, and says nothing about now.
   */
  async handle(topic: string, payload: Buffer, { retained, replyTo }: InboundMessage): Promise<void> {
    const { topics, log } = this.#options;
    const inbound = topics.inbound(topic);
    if (inbound === undefined) return;
    if (retained) {
      log.debug({ topic }, "A retained MQTT message from before the connection is not taken as new.");
      return;
    }
    const answer = this.#take(inbound, topic, payload, replyTo);
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
  async #take(
    inbound: Inbound,
    topic: string,
    payload: Buffer,
    replyTo: ReplyTo | undefined,
  ): Promise<() => void> {
    try {
      const site = this.#options.site(inbound.plant);
      if (site === undefined) throw new PayloadError(`There is no plant "${inbound.plant}" on this gateway.`);
      if (inbound.kind === "request") {
        const to = this.#replyTopic(site, inbound.name, replyTo);
        return await this.#answer(site, inbound.name, to, payload);
      }
      const id =
        inbound.kind === "slot"
          ? await this.#command(site, inbound, payload)
          : await this.#options.samples.take(
              site,
              inbound.field === undefined ? readObject(payload) : bareReading(inbound.field, payload),
            );
      return () => this.#acknowledge(inbound, topic, { ok: true, id });
    } catch (error) {
      const known = error instanceof PayloadError;
      if (!known) this.#options.log.error({ topic, err: error }, "An MQTT message could not be handled.");
      const message = known ? error.message : `The message could not be handled: ${errorMessage(error)}`;
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

  /** Throws PayloadError for a response topic that steers something: an answer is no command. */
  #replyTopic(site: Site, name: string, replyTo: ReplyTo | undefined): Address {
    const { topics } = this.#options;
    const { topic, correlation } = replyTo ?? {};
    if (topic === undefined) return { topic: topics.of(site.id, `response/${name}`), correlation };
    const isOurs = topics.isOwn(topic) && !topic.startsWith(topics.of(site.id, "response/"));
    if (topic === "" || /[+#\0]|^\$/.test(topic) || isOurs)
      throw new PayloadError(
        `The response topic "${topic.slice(0, 100)}" can't be used; take one below ${topics.of(site.id, "response/")} or one of your own.`,
      );
    return { topic, correlation };
  }

  async #answer(site: Site, name: string, to: Address, payload: Buffer): Promise<() => void> {
    const { requests, send } = this.#options;
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

  /** A packet can hold many requests of tens of milliseconds each: between two of them the rest of the house is served. */
  #nextTurn(): Promise<void> {
    return this.#turns.run(() => new Promise((resolve) => setImmediate(resolve)));
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
  const text = readText(payload);
  // Home automation says a connected car in words, which the JSON form takes too.
  const isWord = field === "ev_connected" && /^(?:true|false)$/.test(text.trim());
  const value = isWord ? text.trim() === "true" : readNumber(text);
  if (value === undefined) {
    const wanted = field === "ev_connected" ? "1 or 0, or true or false" : "a bare number such as 55 or 2.5";
    throw new PayloadError(`${field} must be ${wanted}; nothing was stored.`);
  }
  return { [field]: value };
}
