import { copyFile, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Folders that may have space when the disk of the data is full; the first is in memory, on Linux only. */
const PLACES = ["/dev/shm", tmpdir()];
const PREFIX = "hourgate-read-";
/** Files that LevelDB never changes once it has written them. */
const TABLE = /\.(ldb|sst)$/;
const CHANGING = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;

/** A folder that LevelDB can open in place of one on a full disk: copies of the small files, links to the tables. */
export class ReadCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined if there is no space for it anywhere. */
  static async create(original: string): Promise<ReadCopy | undefined> {
    for (const place of PLACES) {
      const folder = await mkdtemp(join(place, PREFIX)).catch(() => undefined);
      if (folder === undefined) continue;
      const copy = new ReadCopy(folder);
      try {
        for (const name of await readdir(original)) {
          const path = resolve(original, name);
          if (TABLE.test(name)) await symlink(path, join(folder, name));
          else if (CHANGING.test(name)) await copyFile(path, join(folder, name));
        }
        return copy;
      } catch {
        await copy.remove();
      }
    }
    return undefined;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
  }
}
