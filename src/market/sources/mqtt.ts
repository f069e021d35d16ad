import type { Cancel } from "../../time/clock.js";
import { pointsOf, whyUnusable } from "../points.js";
import type { PriceAnswer, PriceSource } from "../source.js";
import { parseAwattar } from "./awattar.js";
import { parsePriceFile } from "./file-format.js";
import { parseHourgate } from "./hourgate.js";
import { isRecord, type ParsedPrices } from "./http.js";

/**
 * Published prices from a topic of the broker; retained is best. It reads what others already have: a `/v1/forecast`
 * document, an aWATTar answer, a list of `{ start, price_eur_mwh }`, or the CSV of a price file.
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

  /** Takes what was published on the topic. */
  receive(payload: string): void {
    if (payload === "") return;
    this.#payload = payload;
    for (const changed of this.#changed) changed();
  }

  async fetch(): Promise<PriceAnswer> {
    if (this.#payload === undefined) throw new Error(`Nothing has come on the topic ${this.topic} yet.`);
    return parsePricePayload(this.#payload, `the topic ${this.topic}`);
  }

  watch(changed: () => void): Cancel {
    this.#changed.add(changed);
    return () => this.#changed.delete(changed);
  }
}

/** Reads prices in any of the forms above; `from` names where they came from. Throws an Error for anything else. */
export function parsePricePayload(text: string, from: string): ParsedPrices {
  if (!/^\s*[[{]/.test(text)) return parseRows(text, from);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error(`${from} carried half a JSON document.`);
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
    // A text without the header of a price file; said below.
  }
  throw new Error(`${from} carried neither JSON nor rows under the header start_utc,eur_per_mwh.`);
}

function parseList(entries: readonly unknown[], from: string): ParsedPrices {
  const warnings: string[] = [];
  const rows = new Map<number, number>();
  entries.forEach((entry, index) => {
    const { start, price_eur_mwh: price } = isRecord(entry) ? entry : {};
    const startMs = typeof start === "string" ? Date.parse(start) : Number.NaN;
    const value = typeof price === "number" ? price : Number.NaN;
    const problem = whyUnusable(startMs, price === null ? 0 : value);
    if (problem === undefined) rows.set(startMs, value);
    else warnings.push(`Item ${index} of ${from} is left out: ${problem}.`);
  });
  const points = pointsOf(rows);
  if (points.length === 0) throw new Error(`${from} carried no usable price. ${warnings[0] ?? ""}`.trim());
  return { points, warnings: warnings.slice(0, 3) };
}
