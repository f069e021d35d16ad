import { execFileSync } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Path of the libfaketime library, which changes the time of a process; undefined if it is not installed. */
function library(): string | undefined {
  try {
    const listed = execFileSync("dpkg", ["-L", "libfaketime"], { encoding: "utf8", stdio: "pipe" });
    return listed.split("\n").find((path) => path.endsWith("libfaketimeMT.so.1") && existsSync(path));
  } catch {
    return undefined;
  }
}

/** Whether the clock of a process can be changed. Without libfaketime its tests are skipped; in CI this is an Error. */
export function canSetClock(): boolean {
  if (library() !== undefined) return true;
  const sentence = "The tests of clock changes need libfaketime; install the package faketime.";
  if (process.env.CI === "true" || process.env.CI === "1") throw new Error(sentence);
  console.warn(`SKIPPED: ${sentence}`);
  return false;
}

/** The system clock of one process, which can be changed while it runs; monotonic timers are not affected. */
export class SettableClock {
  readonly #file: string;
  #offsetMs = 0;

  constructor(folder: string, now: Date) {
    this.#file = join(folder, "clock");
    this.set(now);
  }

  /** Environment variables of a process that uses this clock. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: library()!,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  set(to: Date): void {
    this.#offsetMs = to.getTime() - Date.now();
    const seconds = this.#offsetMs / 1000;
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? "" : "+"}${seconds.toFixed(3)}`);
    // Renamed, since the process may read the file at any moment.
    renameSync(`${this.#file}.new`, this.#file);
  }

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }
}
