import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Terminal } from "./command.js";

const SETTING = /^HOURGATE_/i;
/** Index of env_start in /proc/self/stat, counted from the third field (proc(5)). */
const ENV_START = 47;

/**
 * Removes the gateway's settings, which contain secrets, from the environment: child processes do not inherit them, and on
 * Linux they are overwritten in the initial environment, which /proc/<pid>/environ shows to programs of the same user.
 * Says on the terminal if that was not possible.
 */
export function eraseSettings(terminal: Pick<Terminal, "error">): void {
  if (!isErased())
    terminal.error(
      "Secrets in the environment variables could not be erased: programs of the same user can read them in /proc. Prefer files (HOURGATE_…_FILE).",
    );
}

function isErased(): boolean {
  const names = Object.keys(process.env).filter((name) => SETTING.test(name));
  // First: the C library must no longer refer to the memory that is overwritten.
  for (const name of names) delete process.env[name];
  if (names.length === 0 || process.platform !== "linux") return true;
  try {
    eraseInitialEnvironment();
    return !readFileSync("/proc/self/environ", "latin1")
      .split("\0")
      .some((entry) => /^HOURGATE_\w+=./i.test(entry));
  } catch {
    return false;
  }
}

function eraseInitialEnvironment(): void {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const memory = openSync("/proc/self/mem", "r+");
  try {
    let at = Number(fields[ENV_START]);
    for (const entry of readFileSync("/proc/self/environ", "latin1").split("\0")) {
      const equals = entry.indexOf("=");
      if (SETTING.test(entry))
        writeSync(memory, Buffer.alloc(entry.length - equals - 1), 0, null, at + equals + 1);
      at += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}
