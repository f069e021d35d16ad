import { fetchText } from "../../../core/net/fetch.js";
import { setIfAbsent } from "../../../core/net/json.js";
import { dayOf, VIENNA } from "../../../core/time/zone.js";
import type { PriceSource } from "../source.js";
import type { PriceHttpOptions } from "./answer.js";

const DEFAULT_URL = "https://web-api.tp.entsoe.eu/api";
const AUSTRIA = "10YAT-APG------L";

/** Day-ahead prices (A44) of the Austrian bidding zone from the ENTSO-E Transparency Platform; needs a token. */
export function entsoeSource({
  url: address = DEFAULT_URL,
  timeoutMs,
  token,
}: PriceHttpOptions & { token: string }): PriceSource {
  return {
    name: "entsoe",
    local: false,
    async fetch({ from, to, signal }) {
      const url = new URL(address);
      setIfAbsent(url, "documentType", "A44");
      setIfAbsent(url, "in_Domain", AUSTRIA);
      setIfAbsent(url, "out_Domain", AUSTRIA);
      // Also checked in the answer: a mirror may ignore it.
      setIfAbsent(url, "contract_MarketAgreement.type", "A01");
      // Whole market days: the service shifts a period that begins within a day to the start of that day.
      setIfAbsent(url, "periodStart", minuteText(dayOf(from, VIENNA).start));
      setIfAbsent(url, "periodEnd", minuteText(dayOf(new Date(to.getTime() - 1), VIENNA).end));
      setIfAbsent(url, "securityToken", token);
      const answer = await fetchText(url, { signal, timeoutMs });
      // Loaded on demand: the XML parser is large and only this source needs it.
      const { parseEntsoe } = await import("./entsoe-document.js");
      return parseEntsoe(answer.body, url.host);
    },
  };
}

/** `yyyyMMddHHmm` in UTC. */
function minuteText(at: Date): string {
  return at.toISOString().replace(/[-T:]/g, "").slice(0, 12);
}
