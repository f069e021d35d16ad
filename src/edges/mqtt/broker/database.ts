import { mkdir, rename } from "node:fs/promises";
import { ClassicLevel } from "classic-level";
import type { Log } from "../../../core/log.js";
import { isUnwritable } from "../../../store/errors.js";
import { ReadCopy } from "../../../store/read-copy.js";
import { BrokerError } from "./listen.js";

/** Entries that are copied at a time. */
const PORTION = 500;

/**
 * The database of the broker. LevelDB opens a folder only if it can write to it: while the disk is full the broker works
 * with a copy in memory, which is moved to the folder when there is space again.
 */
export class BrokerDatabase {
  readonly #folder: string;
  readonly #copy: ReadCopy | undefined;
  readonly level: ClassicLevel;

  private constructor(folder: string, level: ClassicLevel, copy?: ReadCopy) {
    this.#folder = folder;
    this.level = level;
    this.#copy = copy;
  }

  /** Opens or creates it; damaged data are moved aside. Throws BrokerError. */
  static async open(folder: string, log: Pick<Log, "error">): Promise<BrokerDatabase> {
    try {
      return new BrokerDatabase(folder, await openLevel(folder));
    } catch (error) {
      const cause = (error as { cause?: { code?: string; message?: string } }).cause;
      if (cause?.code === "LEVEL_LOCKED")
        throw new BrokerError(
          `Another hourgate is using ${folder}; stop it or set data_dir to another folder.`,
        );
      const copy = isUnwritable(error) ? await ReadCopy.create(folder) : undefined;
      if (copy !== undefined) return BrokerDatabase.#ofCopy(folder, copy);
      if (cause?.code !== "LEVEL_CORRUPTION")
        throw new BrokerError(`The folder ${folder} can't be used: ${cause?.message ?? String(error)}`);
      const aside = `${folder}.damaged-${new Date().toISOString().replaceAll(":", "-")}`;
      await rename(folder, aside);
      log.error(
        { folder: aside },
        "The MQTT broker's data are damaged; they were moved aside and the broker starts empty.",
      );
      return new BrokerDatabase(folder, await openLevel(folder));
    }
  }

  static async #ofCopy(folder: string, copy: ReadCopy): Promise<BrokerDatabase> {
    try {
      return new BrokerDatabase(folder, await openLevel(copy.folder), copy);
    } catch (error) {
      await copy.remove();
      throw new BrokerError(`The folder ${folder} can't be used: ${String(error)}`);
    }
  }

  /** False while the disk is full and everything is kept in memory only. */
  get isOnDisk(): boolean {
    return this.#copy === undefined;
  }

  /** Whether the folder can be opened, so that closing moves the data there. */
  async isFolderUsable(): Promise<boolean> {
    const level = await openLevel(this.#folder).catch(() => undefined);
    await level?.close();
    return level !== undefined;
  }

  /** What is only in memory is written to the folder, unless the disk is still full. */
  async close(): Promise<void> {
    const copy = this.#copy;
    if (copy !== undefined) await this.#moveToFolder().catch(() => {});
    await this.level.close();
    await copy?.remove();
  }

  async #moveToFolder(): Promise<void> {
    const target = await openLevel(this.#folder);
    try {
      // What is new is written before what is outdated is deleted: the disk may become full again at any moment.
      for await (const portion of portionsOf(this.level))
        await target.batch(
          portion.map(([key, value]) => ({ type: "put" as const, key, value })),
          BYTES,
        );
      for await (const portion of portionsOf(target)) {
        const held = await this.level.hasMany(portion.map(([key]) => key));
        const outdated = portion.filter((_, index) => !held[index]);
        await target.batch(outdated.map(([key]) => ({ type: "del" as const, key })));
      }
    } finally {
      await target.close();
    }
  }
}

const BYTES = { valueEncoding: "buffer" } as const;

async function* portionsOf(level: ClassicLevel): AsyncGenerator<[string, Buffer][]> {
  const iterator = level.iterator<string, Buffer>(BYTES);
  try {
    for (;;) {
      const portion = await iterator.nextv(PORTION);
      if (portion.length === 0) return;
      yield portion;
    }
  } finally {
    await iterator.close();
  }
}

async function openLevel(folder: string): Promise<ClassicLevel> {
  await mkdir(folder, { recursive: true });
  const level = new ClassicLevel(folder);
  await level.open();
  return level;
}
