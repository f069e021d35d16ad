import { isIP, isIPv6 } from "node:net";
import { Cron } from "croner";
import { isBasePath } from "../../core/net/trusted-proxies.js";
import { isZone, parseTime, VIENNA } from "../../core/time/zone.js";
import type { ConfigTexts } from "../../texts/index.js";

/** The check of a text format; the catalogue says what it allows. */
interface TextFormat {
  valid: (text: string) => boolean;
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

/** The host may be missing or a folder: a local server can listen on a socket only. */
function isPostgresUrl(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, host, username, password, pathname } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}@${host}`);
  } catch {
    return false;
  }
  return ["postgres:", "postgresql:"].includes(protocol) && /^\/[^/]+$/.test(pathname);
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
    // In UTC: whether there is a time does not depend on the zone, whose first use takes 40 ms.
    return new Cron(text, { paused: true, utcOffset: 0 }).nextRun(new Date("2024-01-01T00:00:00Z")) !== null;
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

function isHost(text: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(text) || (/^[0-9a-fA-F:.]+(%\w+)?$/.test(text) && text.includes(":"));
}

/** The text formats by their names in the schema. */
export const FORMATS: Readonly<Record<keyof ConfigTexts["allowed"]["formats"], TextFormat>> = {
  auto: {
    valid: (text) => text === "auto",
  },
  path: {
    valid: (text) => text.trim() !== "" && !CONTROL_CHARACTER.test(text),
  },
  host: {
    valid: isHost,
  },
  "host-port": {
    valid: (text) => {
      const [, host, address, port = "80"] =
        /^(?:([A-Za-z0-9._-]+)|\[([^\]]+)\])(?::(\d{1,5}))?$/.exec(text) ?? [];
      return isIPv6(text) || ((host !== undefined || isIPv6(address ?? "")) && Number(port) <= 65_535);
    },
  },
  email: {
    valid: (text) => /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254,
  },
  "http-url": {
    valid: (text) => isUrl(text, ["http:", "https:"]),
  },
  "mqtt-url": {
    valid: (text) => isUrl(text, ["mqtt:", "mqtts:", "ws:", "wss:"]),
  },
  "redis-url": {
    valid: isRedisUrl,
  },
  "postgres-url": {
    valid: isPostgresUrl,
  },
  network: {
    valid: isNetwork,
  },
  "base-path": {
    valid: (text) => text === "ingress" || isBasePath(text),
  },
  "url-path": {
    valid: (text) => /^(\/[A-Za-z0-9_-]+)+$/.test(text) && !/^\/(v1|c|health)(\/|$)/.test(text),
  },
  time: {
    valid: (text) => parseTime(text, VIENNA) !== undefined,
  },
  "hour-minute": {
    valid: (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
  },
  "clock-time": {
    valid: (text) => /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(text),
  },
  date: {
    valid: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(text, VIENNA) !== undefined,
  },
  "time-zone": { valid: isZone },
  "iana-zone": { valid: isZone },
  cron: { valid: isCron },
  "month-range": {
    valid: (text) => isRange(text, 1, 12, 12),
  },
  "weekday-range": {
    valid: (text) => isRange(text, 1, 7, 7),
  },
  "hour-range": {
    valid: (text) => isRange(text, 0, 23, 24),
  },
  "plant-id": {
    valid: (text) => /^[a-z0-9_-]{1,32}$/.test(text),
  },
  "api-key": {
    valid: (text) => /^hg_live_[A-Za-z0-9_-]{43}$/.test(text),
  },
  "mqtt-prefix": {
    valid: (text) =>
      isTopicText(text) &&
      text.length <= 100 &&
      !/[+#\s]/.test(text) &&
      !/^(\$|\/|evcc)|\/$|\/\//i.test(text),
  },
  "mqtt-topic": {
    valid: (text) => isTopicText(text) && !/[+#]/.test(text),
  },
  "mqtt-filter": {
    valid: (text) => isTopicText(text) && isFilter(text),
  },
};
