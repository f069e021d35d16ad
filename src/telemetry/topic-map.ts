import type { SiteReading, SlotReading } from "../core/domain/sample.js";
import { parseForeignJson } from "../core/json.js";
import type { Language } from "../core/language.js";
import { numberFromText } from "../core/number-text.js";
import { type Texts, textsOf } from "../texts/index.js";

/** Maps a topic of another device to a reading, and defines how its payload is read. */
export interface TopicMapEntry {
  /** Topic filter with MQTT wildcards. */
  topic: string;
  /** Path of the value in a JSON payload: names with dots, items as `[n]`; empty: the payload is the value. */
  path: string;
  field: SiteReading | SlotReading;
  /** The slot that the reading belongs to; null or absent: the site. */
  slot?: number | null;
  /** Id of the battery, of several, that the reading belongs to; null or absent: the site. */
  battery?: string | null;
  scale: number;
  offset: number;
  /** Whether the values of all topics that match are added up. */
  sum?: boolean;
}

/** A payload does not contain the mapped reading; the message says why. */
export class TopicMapError extends Error {
  readonly #sentence: (texts: TopicTexts) => string;

  constructor(sentence: (texts: TopicTexts) => string) {
    super(sentence(textsOf("en").ems.preview.faults));
    this.#sentence = sentence;
  }

  text(language: Language): string {
    return this.#sentence(textsOf(language).ems.preview.faults);
  }
}

type TopicTexts = Texts["ems"]["preview"]["faults"];

const ON = new Set(["true", "on", "yes", "connected"]);
const OFF = new Set(["false", "off", "no", "disconnected"]);
const LONGEST_FLAG = 100;
const MAX_SHOWN = 40;

/**
 * The reading of a payload: its value times `scale` plus `offset`, in the unit of the reading. For ev_connected any
 * value above 0 is 1, and words such as on and false are accepted; 0 % of a vehicle is no reading. Throws TopicMapError.
 */
export function readMapped(payload: string, entry: TopicMapEntry): number {
  return payloadReader(payload)(entry);
}

/** `readMapped` for many entries of one payload, which is parsed only once: a large one takes a millisecond. */
export function payloadReader(payload: string): (entry: TopicMapEntry) => number {
  let document: { value: unknown } | undefined;
  let bare: string | undefined;
  return (entry) => {
    if (entry.path === "") {
      bare ??= bareValue(payload);
      return readingOf(bare, entry);
    }
    document ??= { value: parsed(payload) };
    if (document.value === undefined) throw new TopicMapError((texts) => texts.notJson(entry.path));
    return readingOf(valueAt(document.value, entry), entry);
  };
}

function readingOf(value: unknown, { path, field, slot, scale, offset }: TopicMapEntry): number {
  const flag = field === "ev_connected" ? flagOf(value) : undefined;
  if (flag !== undefined) return flag;
  const number = numberOf(value);
  if (number === undefined) throw new TopicMapError((texts) => texts.noNumber(field, path, quoted(value)));
  const scaled = withoutNoise(number * scale) + offset;
  if (!Number.isFinite(scaled)) throw new TopicMapError((texts) => texts.tooLarge(field, path));
  const reading = withoutNoise(scaled);
  // evcc and wallboxes send 0 for a vehicle that does not report, such as that of a guest.
  if (slot != null && field === "soc_pct" && reading === 0)
    throw new TopicMapError((texts) => texts.unknownSoc());
  return field === "ev_connected" ? Number(reading > 0) : reading;
}

/** The steps of paths: each message asks for those of all entries of its topic. */
const knownSteps = new WeakMap<TopicMapEntry, readonly (string | number)[]>();

function stepsOf(entry: TopicMapEntry): readonly (string | number)[] {
  const steps = knownSteps.get(entry) ?? pathSteps(entry.path);
  knownSteps.set(entry, steps);
  return steps;
}

/** The names and item numbers of a path such as `battery[0].soc`. Throws TopicMapError for an invalid path. */
export function pathSteps(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let rest = path;
  while (rest !== "") {
    const item = /^\[(\d{1,9})\]/.exec(rest);
    const name = item === null ? /^\.?([^.[\]]+)/.exec(rest) : null;
    const isFirst = steps.length === 0;
    const step = item ?? name;
    // A dot joins names, so there is none before the first one.
    if (step === null || (name !== null && isFirst === rest.startsWith(".")))
      throw new TopicMapError((texts) => texts.badPath(quoted(path)));
    steps.push(item === null ? name![1]! : Number(item[1]));
    rest = rest.slice(step[0].length);
  }
  return steps;
}

/** Some devices put a plain value in quotation marks. */
function bareValue(payload: string): string {
  const text = payload.trim();
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
}

/** The parsed payload; undefined, which JSON cannot contain, if it is not JSON. */
function parsed(payload: string): unknown {
  try {
    return parseForeignJson(payload);
  } catch {
    return undefined;
  }
}

function valueAt(document: unknown, entry: TopicMapEntry): unknown {
  let value = document;
  for (const step of stepsOf(entry)) {
    const isThere =
      typeof step === "number"
        ? Array.isArray(value) && step < value.length
        : typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, step);
    if (!isThere) throw new TopicMapError((texts) => texts.nothingAt(entry.path));
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" ? numberFromText(value) : undefined;
}

/** Whether a vehicle is connected, by a word that devices and home automation systems send; undefined for anything else. */
export function flagOf(value: unknown): 0 | 1 | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.length > LONGEST_FLAG) return undefined;
  const word = value.trim().toLowerCase();
  if (ON.has(word)) return 1;
  return OFF.has(word) ? 0 : undefined;
}

/** Removes digits added by binary fractions: 230 W times 0.001 is 0.23 kW. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(15)) + 0;
}

/** The beginning of a value: a map may have a thousand entries for one that is long. */
function quoted(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "[…]";
  if (typeof value === "object" && value !== null) return "{…}";
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, MAX_SHOWN) : value) ?? String(value);
  return typeof value === "string" && text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
