import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "../..");
const UNPACKED = resolve(ROOT, "node_modules/.cache/hourgate-recorded");

/** The data folder of a tool: the argument `--data`, otherwise HOURGATE_DATA. Undefined in tests. */
function givenFolder(): string | undefined {
  const at = process.argv.indexOf("--data");
  return (at < 0 ? process.env.HOURGATE_DATA : process.argv[at + 1]) || undefined;
}

/**
 * The path of a recorded file, plain or with `.gz`, in the given folder or in test/fixtures. If it is missing in a given
 * folder, prints a message and exits; otherwise throws an Error.
 */
function find(name: string): string {
  const given = givenFolder();
  const folder = resolve(given ?? resolve(ROOT, "test/fixtures"));
  const found = [name, `${name}.gz`].map((file) => resolve(folder, file)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const sentence = `${name} is not in ${folder}: give a folder that holds it with --data or HOURGATE_DATA; test/fixtures/README.md says where to get recorded data.`;
  if (given === undefined) throw new Error(sentence);
  console.error(sentence);
  process.exit(1);
}

/** Text of a recorded file, by its name in test/fixtures without `.gz`. */
export function recordedText(name: string): string {
  const path = find(name);
  return path.endsWith(".gz") ? gunzipSync(readFileSync(path)).toString("utf8") : readFileSync(path, "utf8");
}

/** The path of a recorded file as plain text, for code that opens the file itself. Unpacks it once. */
export function recordedFile(name: string): string {
  const path = find(name);
  if (!path.endsWith(".gz")) return path;
  // Another folder may contain a file of the same name.
  const plain = resolve(UNPACKED, createHash("sha256").update(path).digest("hex").slice(0, 8), name);
  if (existsSync(plain) && statSync(plain).mtimeMs >= statSync(path).mtimeMs) return plain;
  mkdirSync(dirname(plain), { recursive: true });
  // Test files run in parallel: each writes its own file and renames it.
  const own = `${plain}.${randomUUID()}`;
  writeFileSync(own, recordedText(name));
  renameSync(own, plain);
  return plain;
}

/** The path of a file with the recorded hourly prices from November 2025 on: gateways of tests have no use for the years before. */
export function recentPricesFile(): string {
  const path = recordedFile(HOURLY_PRICES);
  const recent = path.replace(/\.csv$/, "_2025_11.csv");
  if (existsSync(recent) && statSync(recent).mtimeMs >= statSync(path).mtimeMs) return recent;
  const [head, ...lines] = readFileSync(path, "utf8").split("\n");
  const own = `${recent}.${randomUUID()}`;
  writeFileSync(own, [head, ...lines.filter((line) => line >= "2025-11" || line === "")].join("\n"));
  renameSync(own, recent);
  return recent;
}

/** Recorded hourly day-ahead prices of Austria from 2017-09-22 to 2026-02-28. */
export const HOURLY_PRICES = "prices/at_day_ahead_hourly.csv";

/** Recorded quarter-hourly day-ahead prices of Austria from 2025-10-01 to 2026-02-28. */
export const QUARTER_HOURLY_PRICES = "prices/at_day_ahead_15min.csv";

/** Recorded weather of a place in Upper Austria, quarter hours from 2025-06-11 to 2026-02-28. */
export const RECORDED_WEATHER = "weather/at_upper_austria_15min_2025_2026.csv";
