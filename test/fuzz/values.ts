import type { Random } from "../support/random.js";

/** Valid values and known problematic ones. */
const NUMBERS = [
  0,
  -0,
  1,
  0.25,
  2,
  5,
  23,
  24,
  100,
  100.5,
  -1,
  1e-9,
  1e9,
  1e21,
  1e308,
  2 ** 53,
  4197590,
  8388343,
  8388608,
];
const TEXTS = [
  "",
  " ",
  "0",
  "1",
  "2,5",
  "1e3",
  "0x10",
  "NaN",
  "Infinity",
  "true",
  "null",
  "off",
  "soft",
  "required",
  "cheapest",
  "expensive",
  "export",
  "even",
  "latest",
  "decide",
  "telemetry",
  "both",
  "de",
  "en-US",
  "wallbox_1",
  "O3",
  "9",
  "a,b",
  "1,2,3",
  "Europe/Vienna",
  "UTC",
  "europe/vienna",
  "Etc/GMT+5",
  "Mars/Olympus",
  "2026-01-15T20:00:00+01:00",
  "2026-01-16T06:00:00Z",
  "2026-01-15T20:00",
  "2026-02-30T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "9999-12-31",
  "__proto__",
  "constructor",
  "{{7*7}}",
  "' OR 1=1 --",
  "<script>",
  "../../../etc/passwd",
  "\u0000",
  "\ud83d",
  "🔋",
  "İ",
  "a".repeat(5000),
];

/** Random text of up to `longest` characters from all Unicode planes. */
export function anyText(random: Random, longest = 40): string {
  return Array.from({ length: random.integer(0, longest) }, () =>
    String.fromCodePoint(random.chance(0.8) ? random.integer(32, 126) : random.integer(0, 0x10ffff)),
  ).join("");
}

export function anyBytes(random: Random, longest = 60): Buffer {
  return Buffer.from(Array.from({ length: random.integer(0, longest) }, () => random.integer(0, 255)));
}

/** Any JSON value, mostly a scalar. */
export function anyValue(random: Random, depth = 2): unknown {
  const kind = random.next();
  if (kind < 0.35) return random.pick(NUMBERS);
  if (kind < 0.45) return random.between(-10, 200);
  if (kind < 0.75) return random.pick(TEXTS);
  if (kind < 0.82) return anyText(random);
  if (kind < 0.88 || depth === 0) return random.pick([true, false, null]);
  if (kind < 0.94) return Array.from({ length: random.integer(0, 30) }, () => anyValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.integer(0, 4) }, () => [random.pick(TEXTS), anyValue(random, depth - 1)]),
  );
}

/** Changes, removes, duplicates or inserts some bytes. */
export function mutated(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let times = random.integer(1, 4); times > 0; times--) {
    const at = random.integer(0, changed.length);
    const length = random.integer(0, 8);
    const middle = random.pick([
      anyBytes(random, 8),
      Buffer.alloc(0),
      changed.subarray(at, at + 2 * length),
      Buffer.from(random.pick(["\r\n", ":", " ", "\0", "chunked", "\r\n\r\n", "%", "65536"])),
    ]);
    changed = Buffer.concat([changed.subarray(0, at), middle, changed.subarray(at + length)]);
  }
  return changed;
}
