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
  /** The copies of this process. */
  static readonly #own = new Set<string>();
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    ReadCopy.#own.add(folder);
  }

  /** Removes the copies of gateways that were killed; never rejects. */
  static async removeLeft(places: readonly string[] = PLACES): Promise<void> {
    for (const place of places) {
      for (const name of await readdir(place).catch((): string[] => [])) {
        const pid = name.startsWith(PREFIX) ? Number(/^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0]) : 0;
        const folder = join(place, name);
        // In a container every gateway has the same number.
        if (pid > 0 && !ReadCopy.#own.has(folder) && (pid === process.pid || !isRunning(pid)))
          await rm(folder, { recursive: true, force: true }).catch(() => {});
      }
    }
  }

  /** Undefined if there is no space for it anywhere. */
  static async create(original: string): Promise<ReadCopy | undefined> {
    for (const place of PLACES) {
      const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`)).catch(() => undefined);
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
    ReadCopy.#own.delete(this.folder);
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
