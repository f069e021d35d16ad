import { unwatchFile, watchFile } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { errorMessage } from "../error-message.js";
import type { Cancel } from "../time/clock.js";
import type { Validators } from "./fetch.js";

/** Text of a file, or that it is unchanged. */
export type FileReading =
  | { notModified: true; validators: Validators }
  | { notModified: false; text: string; validators: Validators };

/** Reads a file unless `validators` show that it is unchanged. Rejects with the system's error. */
export async function readChanged(path: string, validators: Validators | undefined): Promise<FileReading> {
  const { mtimeMs, size, ino } = await stat(path);
  const etag = `${mtimeMs}/${size}/${ino}`;
  const current = { url: path, etag };
  if (validators?.etag === etag) return { notModified: true, validators: current };
  return { notModified: false, text: await readFile(path, "utf8"), validators: current };
}

/** A source that is a local file. */
export abstract class LocalFile {
  readonly name: string;
  readonly local = true;
  readonly path: string;
  readonly #watchEveryMs: number;

  constructor(path: string, { watchEveryMs = 1_000 } = {}) {
    this.path = resolve(path);
    this.#watchEveryMs = watchEveryMs;
    this.name = `file ${basename(path)}`;
  }

  /** Calls `changed` after the file was rewritten and has not changed for a moment. */
  watch(changed: () => void): Cancel {
    return watchPath(this.path, this.#watchEveryMs, changed);
  }
}

/** Why the file of a source cannot be used, as a sentence that names the file. */
export class SourceFileError extends Error {
  override readonly name = "SourceFileError";
  readonly path: string;
  readonly problem: "missing" | "unreadable" | "content";
  /** The problem without the name of the file. */
  readonly reason: string;

  constructor(path: string, cause: unknown) {
    const { code } = cause as { code?: unknown };
    const isMissing = code === "ENOENT";
    const reason = isMissing ? "there is no such file." : errorMessage(cause);
    super(`${path} cannot be read: ${reason}`, { cause });
    this.path = path;
    this.problem = isMissing ? "missing" : typeof code === "string" ? "unreadable" : "content";
    this.reason = reason;
  }
}

/**
 * Polls the file's state: unlike notifications this also works on network folders, on bind mounts and before the file
 * exists. Calls `changed` only after the file has not changed for a moment, so that no half-written file is read.
 */
export function watchPath(path: string, everyMs: number, changed: () => void): Cancel {
  let settled: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(settled);
    settled = setTimeout(changed, everyMs * 1.5);
  };
  watchFile(path, { interval: everyMs, persistent: false }, onChange);
  return () => {
    clearTimeout(settled);
    unwatchFile(path, onChange);
  };
}
