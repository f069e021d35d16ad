import { unwatchFile, watchFile } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Cancel } from "../time/clock.js";
import type { Validators } from "./fetch.js";

/** Text of a file, or that it is the one read before. */
export type FileReading =
  | { notModified: true; validators: Validators }
  | { notModified: false; text: string; validators: Validators };

/** Reads a file unless it is still the one that `validators` belong to. Rejects with the system's error. */
export async function readChanged(path: string, validators: Validators | undefined): Promise<FileReading> {
  const { mtimeMs, size, ino } = await stat(path);
  const etag = `${mtimeMs}/${size}/${ino}`;
  const current = { url: path, etag };
  if (validators?.etag === etag) return { notModified: true, validators: current };
  return { notModified: false, text: await readFile(path, "utf8"), validators: current };
}

/** An error of reading as one that tells which file and why. */
export function fileError(path: string, error: unknown): Error {
  const isMissing = (error as { code?: unknown }).code === "ENOENT";
  const reason = isMissing
    ? "there is no such file."
    : error instanceof Error
      ? error.message
      : String(error);
  return new Error(`${path} cannot be read: ${reason}`, { cause: error });
}

/**
 * Polls the file's state, which unlike notifications also works on network folders, on bind mounts and while there is no
 * file yet. Waits until it has been still for a moment: a number cut in half by a write in progress reads well.
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
