import { execFileSync } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where Debian's package puts the library that tells a process another time; undefined where it is not. */
function library(): string | undefined {
  try {
    const listed = execFileSync("dpkg", ["-L", "libfaketime"], { encoding: "utf8", stdio: "pipe" });
    return listed.split("\n").find((path) => path.endsWith("libfaketimeMT.so.1") && existsSync(path));
  } catch {
    return undefined;
  }
}

/** Whether a process's clock can be set here; without that its tests are skipped, but never where CI runs them. */
export function canSetClock(): boolean {
  if (library() !== undefined) return true;
  const sentence = "The tests of a clock that is set need libfaketime; install the package faketime.";
  if (process.env.CI === "true" || process.env.CI === "1") throw new Error(sentence);
  console.warn(`SKIPPED: ${sentence}`);
  return false;
}

/** The clock of one process, which people set while it runs; its timers, as real ones, know nothing of that. */
export class SettableClock {
  readonly #file: string;
  #offsetMs = 0;

  constructor(folder: string, now: Date) {
    this.#file = join(folder, "clock");
    this.set(now);
  }

  /** What a process needs in its environment to live by this clock. */
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
    // Read at any moment: never half of it.
    renameSync(`${this.#file}.new`, this.#file);
  }

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }
}
