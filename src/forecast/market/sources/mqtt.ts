import { parseForeignJson } from "../../../core/json.js";
import { isRecord } from "../../../core/net/json.js";
import type { Cancel } from "../../../core/time/clock.js";
import { instantsOfTexts } from "../../../core/time/time-labels.js";
import type { PriceAnswer, PriceSource } from "../source.js";
import { itemWarning, type ParsedPrices, PriceRows, parsedPrices } from "./answer.js";
import { parseAwattar } from "./awattar.js";
import { parsePriceFile } from "./file-format.js";
import { parseHourgate } from "./hourgate.js";

/**
 * Published prices from an MQTT topic, preferably retained. Accepts a `/v1/forecast` document, an aWATTar answer, a list
 * of `{ start, price_eur_mwh }`, or the CSV of a price file. A time without offset is local time of Vienna, a number one since
 * the epoch.
 */
export class MqttPriceSource implements PriceSource {
  readonly name: string;
  readonly local = false;
  readonly topic: string;
  readonly #changed = new Set<() => void>();
  #payload: string | undefined;

  constructor(topic: string) {
    this.topic = topic;
    this.name = `mqtt ${topic}`;
  }

  /** Stores the payload for the next `fetch` and notifies watchers; an empty one is ignored. */
  receive(payload: string): void {
    if (payload === "") return;
    this.#payload = payload;
    for (const changed of this.#changed) changed();
  }

  async fetch(): Promise<PriceAnswer> {
    if (this.#payload === undefined)
      throw new Error(`No message has been received on the topic ${this.topic} yet.`);
    return parsePricePayload(this.#payload, `the topic ${this.topic}`);
  }

  watch(changed: () => void): Cancel {
    this.#changed.add(changed);
    return () => this.#changed.delete(changed);
  }
}

/** Reads prices in any of the formats above; `from` names their origin. Throws an Error for anything else. */
export function parsePricePayload(text: string, from: string): ParsedPrices {
  if (!/^\s*[[{]/.test(text)) return parseRows(text, from);
  let body: unknown;
  try {
    body = parseForeignJson(text);
  } catch {
    throw new Error(`${from} sent an incomplete JSON document.`);
  }
  if (Array.isArray(body)) return parseList(body, from);
  if (isRecord(body) && "data" in body) return parseAwattar(body, from);
  return parseHourgate(body, from);
}

function parseRows(text: string, from: string): ParsedPrices {
  try {
    const { points, problems } = parsePriceFile(text);
    if (points.length > 0) return { points, warnings: problems };
  } catch {
    // No header of a price file: reported below.
  }
  throw new Error(`${from} sent neither JSON nor rows with the header start_utc,eur_per_mwh.`);
}

function parseList(entries: readonly unknown[], from: string): ParsedPrices {
  const warnings: string[] = [];
  const rows = new PriceRows();
  const items = entries.map((entry) => (isRecord(entry) ? entry : {}));
  const starts = instantsOfTexts(items.map(({ start }) => start));
  items.forEach(({ start, price_eur_mwh: price }, index) => {
    const startMs = typeof start === "number" ? epochMs(start) : starts[index]!;
    const problem = rows.add(startMs, price);
    if (problem !== undefined) warnings.push(itemWarning(index, from, problem));
  });
  const points = rows.points();
  if (points.length === 0 && warnings.length === 0) throw new Error(`${from} sent a list without a price.`);
  return parsedPrices(points, warnings, from);
}

/** Seconds or milliseconds since the epoch as milliseconds: no day-ahead price is from before 1973 or from after 5100. */
function epochMs(time: number): number {
  return time < 1e11 ? time * 1000 : time;
}
