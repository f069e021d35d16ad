import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { about, type Finding } from "./finding.js";

/** Where the fetch of Node.js tells of every answer's headers. */
const CHANNEL = "undici:request:headers";
/** A clock that is off by more shows prices and plans of another minute, and sign-ins with TLS begin to fail. */
const ALLOWED_SECONDS = 60;

/** How far this machine's clock is ahead of a server's, seconds. */
export interface ClockOffset {
  server: string;
  aheadSeconds: number;
}

/** Listens to the `Date` headers of all that is fetched from now on; returns how to end that and get them. */
export function listenToServerDates(): () => ClockOffset[] {
  const offsets: ClockOffset[] = [];
  const onHeaders = (message: unknown) => {
    const { request, response } = message as {
      request: { origin: string | URL };
      response: { headers: Buffer[] };
    };
    const { date, age } = readHeaders(response.headers);
    const toldMs = Date.parse(date ?? "");
    if (Number.isNaN(toldMs)) return;
    // A cache repeats the date of the answer that it keeps, and says how old that is.
    const ageSeconds = Number.parseInt(age ?? "0", 10) || 0;
    const aheadSeconds = Math.round((Date.now() - toldMs) / 1000 - ageSeconds);
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

/** Judges the clock by the server that agrees with it best: one wrong mirror is no wrong clock. */
export function examineClock(offsets: readonly ClockOffset[]): Finding {
  const clock = about("clock");
  const best = offsets.toSorted((a, b) => Math.abs(a.aheadSeconds) - Math.abs(b.aheadSeconds))[0];
  if (best === undefined)
    return clock.warn(
      "No source answered with its time, so the clock could not be compared; look at it yourself.",
    );
  const { server, aheadSeconds } = best;
  if (Math.abs(aheadSeconds) <= ALLOWED_SECONDS) return clock.ok(`It agrees with ${server}.`);
  const direction = aheadSeconds > 0 ? "ahead of" : "behind";
  return clock.bad(
    `It is ${Math.abs(aheadSeconds)} s ${direction} ${server}: set it right and keep it so with NTP (timedatectl set-ntp true).`,
  );
}
