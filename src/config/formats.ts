import { isIP } from "node:net";
import { Cron } from "croner";
import { isBasePath } from "../net/trusted-proxies.js";
import { isZone, parseTime, VIENNA } from "../time/zone.js";

/** A text format of the configuration: the allowed values as part of a sentence, and the check. */
interface TextFormat {
  allowed: string;
  valid(text: string): boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

function isUrl(text: string, protocols: readonly string[]): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return protocols.includes(url.protocol) && url.hostname !== "";
}

/** The path is the number of a database; escapes in user name and password are valid. */
function isRedisUrl(text: string): boolean {
  if (!isUrl(text, ["redis:", "rediss:"])) return false;
  const { pathname, username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}`);
  } catch {
    return false;
  }
  return /^\/?\d{0,5}$/.test(pathname);
}

function isRange(text: string, low: number, highStart: number, highEnd: number): boolean {
  const match = /^(\d{1,2})-(\d{1,2})$/.exec(text);
  if (match === null) return false;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from >= low && from <= highStart && to >= low && to <= highEnd;
}

/** True for five or six cron fields (or a nickname such as @daily) that match at least one time. */
function isCron(text: string): boolean {
  if (!/^@[a-z]+$/.test(text) && !/^\S+(\s+\S+){4,5}$/.test(text)) return false;
  try {
    return (
      new Cron(text, { paused: true, timezone: VIENNA }).nextRun(new Date("2024-01-01T00:00:00Z")) !== null
    );
  } catch {
    return false;
  }
}

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

function isFilter(text: string): boolean {
  const levels = text.split("/");
  return levels.every(
    (level, index) => level === "+" || (level === "#" && index === levels.length - 1) || !/[+#]/.test(level),
  );
}

const isTopicText = (text: string) => text !== "" && text.length <= 1000 && !CONTROL_CHARACTER.test(text);

/** The text formats by their names in the schema. */
export const FORMATS: Readonly<Record<string, TextFormat>> = {
  path: {
    allowed: "the path of a file or folder",
    valid: (text) => text.trim() !== "" && !CONTROL_CHARACTER.test(text),
  },
  host: {
    allowed: "a host name or an IP address",
    valid: (text) =>
      /^[A-Za-z0-9._-]+$/.test(text) || (/^[0-9a-fA-F:.]+(%\w+)?$/.test(text) && text.includes(":")),
  },
  email: {
    allowed: "an e-mail address",
    valid: (text) => /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254,
  },
  "http-url": {
    allowed: "an address that starts with http:// or https://",
    valid: (text) => isUrl(text, ["http:", "https:"]),
  },
  "mqtt-url": {
    allowed: "an address that starts with mqtt://, mqtts://, ws:// or wss://",
    valid: (text) => isUrl(text, ["mqtt:", "mqtts:", "ws:", "wss:"]),
  },
  "redis-url": {
    allowed: "an address that starts with redis:// or rediss://, such as redis://localhost:6379",
    valid: isRedisUrl,
  },
  network: {
    allowed: "an address or a network such as 192.168.1.0/24",
    valid: isNetwork,
  },
  "base-path": {
    allowed: "a path without a slash at its end, such as /hourgate, or ingress",
    valid: (text) => text === "ingress" || isBasePath(text),
  },
  "url-path": {
    allowed: "a path such as /node-red",
    valid: (text) => /^(\/[A-Za-z0-9_-]+)+$/.test(text) && !/^\/(v1|c|health)(\/|$)/.test(text),
  },
  time: {
    allowed: "an ISO 8601 time such as 2026-01-15T06:00:00+01:00",
    valid: (text) => parseTime(text, VIENNA) !== undefined,
  },
  "hour-minute": {
    allowed: 'a time of day as HH:MM, such as "13:00"',
    valid: (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
  },
  "clock-time": {
    allowed: 'a time of day from "00:00" to "24:00"',
    valid: (text) => /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(text),
  },
  date: {
    allowed: 'a date as YYYY-MM-DD, such as "2026-01-01"',
    valid: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(text, VIENNA) !== undefined,
  },
  "time-zone": { allowed: "an IANA time zone such as Europe/Vienna", valid: (text) => isZone(text) },
  cron: { allowed: 'a cron pattern such as "5 */6 * * *"', valid: isCron },
  "month-range": {
    allowed: 'two months from 1 to 12, such as "4-9"',
    valid: (text) => isRange(text, 1, 12, 12),
  },
  "weekday-range": {
    allowed: 'two days from 1 (Monday) to 7, such as "1-5"',
    valid: (text) => isRange(text, 1, 7, 7),
  },
  "hour-range": {
    allowed: 'a start hour from 0 to 23 and an end hour from 0 to 24, such as "10-16"',
    valid: (text) => isRange(text, 0, 23, 24),
  },
  "plant-id": {
    allowed: "1 to 32 characters of a-z, 0-9, _ and -",
    valid: (text) => /^[a-z0-9_-]{1,32}$/.test(text),
  },
  "api-key": {
    allowed: "hg_live_ followed by 43 characters of A-Z, a-z, 0-9, - and _",
    valid: (text) => /^hg_live_[A-Za-z0-9_-]{43}$/.test(text),
  },
  "mqtt-prefix": {
    allowed: "a topic without + and #, without / at its ends, that does not start with evcc or $",
    valid: (text) =>
      isTopicText(text) &&
      text.length <= 100 &&
      !/[+#\s]/.test(text) &&
      !/^(\$|\/|evcc)|\/$|\/\//i.test(text),
  },
  "mqtt-topic": {
    allowed: "an MQTT topic without wildcards",
    valid: (text) => isTopicText(text) && !/[+#]/.test(text),
  },
  "mqtt-filter": {
    allowed: "an MQTT topic, where + matches one level and a final # all levels below",
    valid: (text) => isTopicText(text) && isFilter(text),
  },
};
