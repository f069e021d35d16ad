import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toStoreError } from "../store/errors.js";

/** The folder of unsent mails, one .eml file each. */
export class MailOutbox {
  constructor(readonly folder: string) {}

  /** Writes a mail atomically and durably. Returns the path of the file. Throws StoreError. */
  async put(eml: Buffer, date: Date): Promise<string> {
    const stamp = date.toISOString().replace(/[-:]|\.\d+/g, "");
    const path = join(this.folder, `${stamp}-${randomBytes(4).toString("hex")}.eml`);
    const beside = `${path}.tmp`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      // Mails contain confirmation links: only the gateway's own user may read them.
      await writeFlushed(beside, eml);
      await rename(beside, path);
      await flushFolder(this.folder);
      return path;
    } catch (cause) {
      await rm(beside, { force: true }).catch(() => {});
      throw toStoreError(cause, path);
    }
  }
}

async function writeFlushed(path: string, content: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is durable only after its folder is flushed, which some network file systems do not support. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync().catch(() => {});
  } finally {
    await folder.close();
  }
}
