import { open } from "node:fs/promises";
import { errorCode } from "./errors.js";

/** Writes a file, by default one that only its owner may read, also where it was there with more rights; it is on disk when the promise resolves. */
export async function writeFlushed(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const file = await open(path, "w", mode);
  try {
    // Some file systems have no rights.
    await file.chmod(mode).catch(() => {});
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Resolves when the content of a file is on disk. */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on disk only after its folder is flushed. Some network file systems do not support that. */
export async function flushFolder(path: string): Promise<void> {
  await flushFile(path).catch((cause: unknown) => {
    if (!["EINVAL", "ENOTSUP", "EPERM", "EISDIR"].includes(errorCode(cause) ?? "")) throw cause;
  });
}
