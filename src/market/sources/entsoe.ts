import { fetchText } from "../../net/fetch.js";
import { dayOf, VIENNA } from "../../time/zone.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { type PriceHttpOptions, setIfAbsent } from "./http.js";

const DEFAULT_URL = "https://web-api.tp.entsoe.eu/api";
const AUSTRIA = "10YAT-APG------L";

/** Day-ahead prices (A44) of the Austrian bidding zone from the ENTSO-E Transparency Platform; needs a token. */
export class EntsoeSource implements PriceSource {
  readonly name = "entsoe";
  readonly local = false;
  readonly #url: string;
  readonly #token: string;
  readonly #timeoutMs: number | undefined;

  constructor({ url, timeoutMs, token }: PriceHttpOptions & { token: string }) {
    this.#url = url ?? DEFAULT_URL;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  async fetch({ from, to, signal }: PriceRequest): Promise<PriceAnswer> {
    const url = new URL(this.#url);
    setIfAbsent(url, "documentType", "A44");
    setIfAbsent(url, "in_Domain", AUSTRIA);
    setIfAbsent(url, "out_Domain", AUSTRIA);
    // Whole market days: a period that begins within one comes back shifted to its start.
    setIfAbsent(url, "periodStart", minuteText(dayOf(from, VIENNA).start));
    setIfAbsent(url, "periodEnd", minuteText(dayOf(new Date(to.getTime() - 1), VIENNA).end));
    setIfAbsent(url, "securityToken", this.#token);
    const answer = await fetchText(url, {
      signal,
      ...(this.#timeoutMs === undefined ? {} : { timeoutMs: this.#timeoutMs }),
    });
    // The XML parser is large, and this source is the only one that needs it.
    const { parseEntsoe } = await import("./entsoe-document.js");
    return parseEntsoe(answer.body, url.host);
  }
}

/** `yyyyMMddHHmm` in UTC. */
function minuteText(at: Date): string {
  return at.toISOString().replace(/[-T:]/g, "").slice(0, 12);
}
