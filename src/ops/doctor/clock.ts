import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { about, type DoctorTexts, type Finding } from "./finding.js";

/** Diagnostics channel of fetch in Node.js for the headers of every answer. */
const CHANNEL = "undici:request:headers";
/** With a larger offset, prices and plans are shifted and TLS connections may fail. */
const ALLOWED_SECONDS = 60;

/** How far this machine's clock is ahead of a server's, seconds. */
export interface ClockOffset {
  server: string;
  aheadSeconds: number;
}

/** Records the `Date` header of every answer from now on; the returned function stops that and returns the offsets. */
export function listenToServerDates(): () => ClockOffset[] {
  const offsets: ClockOffset[] = [];
  const onHeaders = (message: unknown) => {
    const { request, response } = message as {
      request: { origin: string | URL };
      response: { headers: Buffer[] };
    };
    const { date, age } = readHeaders(response.headers);
    const serverMs = Date.parse(date ?? "");
    if (Number.isNaN(serverMs)) return;
    // A cache repeats the date of the stored answer and adds its age.
    const ageSeconds = Number.parseInt(age ?? "0", 10) || 0;
    const aheadSeconds = Math.round((Date.now() - serverMs) / 1000 - ageSeconds);
    offsets.push({ server: new URL(request.origin).host, aheadSeconds });
  };
  subscribe(CHANNEL, onHeaders);
  return () => {
    unsubscribe(CHANNEL, onHeaders);
    return offsets;
  };
}

function readHeaders(flat: readonly Buffer[]): { date?: string; age?: string } {
  const pairs = flat.flatMap((name, index) =>
    index % 2 === 0 ? [[String(name).toLowerCase(), String(flat[index + 1])]] : [],
  );
  return Object.fromEntries(pairs.filter(([name]) => name === "date" || name === "age"));
}

/** Compares the clock with the server that is closest to it, so that one wrong server does not count. */
export function examineClock(offsets: readonly ClockOffset[], texts: DoctorTexts): Finding {
  const clock = about(texts.what.clock);
  const best = offsets.toSorted((a, b) => Math.abs(a.aheadSeconds) - Math.abs(b.aheadSeconds))[0];
  if (best === undefined) return clock.warn(texts.clock.unknown);
  const { server, aheadSeconds } = best;
  if (Math.abs(aheadSeconds) <= ALLOWED_SECONDS) return clock.ok(texts.clock.ok(server));
  return clock.bad(
    aheadSeconds > 0 ? texts.clock.ahead(aheadSeconds, server) : texts.clock.behind(-aheadSeconds, server),
  );
}
