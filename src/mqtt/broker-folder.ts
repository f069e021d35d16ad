import { mkdir, rename } from "node:fs/promises";
import { ClassicLevel } from "classic-level";
import type { Log } from "../log.js";
import { BrokerError } from "./listen.js";

/** Opens the broker's database. A damaged one is moved aside: clients and the gateway publish its contents again. */
export async function openDatabase(folder: string, log: Log): Promise<ClassicLevel> {
  const open = async () => {
    await mkdir(folder, { recursive: true });
    const database = new ClassicLevel(folder);
    await database.open();
    return database;
  };
  try {
    return await open();
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    if (cause?.code === "LEVEL_LOCKED")
      throw new BrokerError(
        `Another hourgate is using ${folder}; stop it or set data_dir to another folder.`,
      );
    if (cause?.code !== "LEVEL_CORRUPTION")
      throw new BrokerError(`The folder ${folder} can't be used: ${cause?.message ?? String(error)}`);
    const aside = `${folder}.damaged-${new Date().toISOString().replaceAll(":", "-")}`;
    await rename(folder, aside);
    log.error(
      { folder: aside },
      "The MQTT broker's data are damaged; they were moved aside and the broker starts empty.",
    );
    return open();
  }
}
