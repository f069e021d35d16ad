import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toStoreError } from "../store/errors.js";

/** The folder of mails that wait for somebody to send or read them, one .eml file each. */
export class MailOutbox {
  constructor(readonly folder: string) {}

  /** Writes a mail; on disk when it resolves, and never half there. Gives the path of the file. Throws StoreError. */
  async put(eml: Buffer, date: Date): Promise<string> {
    const stamp = date.toISOString().replace(/[-:]|\.\d+/g, "");
    const path = join(this.folder, `${stamp}-${randomBytes(4).toString("hex")}.eml`);
    const beside = `${path}.tmp`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      // A confirmation link opens an account: only the gateway's own user may read it.
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

/** A rename is on disk only when its folder is; some network file systems know no such flush. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync().catch(() => {});
  } finally {
    await folder.close();
  }
}
