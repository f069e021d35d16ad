import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { StoreError } from "../../store/errors.js";
import { storePlace } from "../../store/place.js";
import {
  CommandError,
  command,
  configOption,
  EXIT,
  jsonOption,
  printResult,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { storeLog } from "./data-folder.js";

export const storeCopyCommand = command({
  name: "store copy",
  summary: "Copies all stored data from a data folder into PostgreSQL, or back.",
  options: {
    from: valueOption("FOLDER", "Data folder to copy into the shard of store.postgres."),
    to: valueOption("FOLDER", "New data folder for the data of that shard."),
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const [from, to] = [args.options.from, args.options.to];
    const folder = from ?? to;
    if (folder === undefined || (from !== undefined && to !== undefined))
      throw usageError("Name one folder: --from FOLDER to copy into PostgreSQL, --to FOLDER to copy back.");
    const { settings } = loadConfiguration(args, terminal);
    if (settings.store.postgres.url === null)
      throw new CommandError("store.postgres.url is not set: it names the database.");
    if (from !== undefined && !existsSync(join(from, "series")))
      throw new CommandError(`${resolve(from)} is not a data folder: it contains no series.`);
    const [{ copyData }, { checkOwner, openData, openFolder }] = await Promise.all([
      import("../../store/copy.js"),
      import("../../store/store.js"),
    ]);
    const log = storeLog(terminal);
    try {
      await checkOwner(folder);
      const local = await openFolder(folder, log);
      try {
        const remote = await openData(settings, log, { isOffline: true });
        const place = storePlace(settings);
        const [source, target] = from === undefined ? [place, resolve(folder)] : [resolve(folder), place];
        const entries = await (from === undefined
          ? copyData(remote, local, target)
          : copyData(local, remote, target)
        ).finally(() => remote.series.close());
        await printResult(args, terminal, { entries }, () => [
          `All accounts, settings and ${entries} entries of history were copied from ${source} to ${target}, and compared.`,
        ]);
        return EXIT.done;
      } finally {
        await local.series.close();
      }
    } catch (error) {
      throw error instanceof StoreError ? new CommandError(error.message) : error;
    }
  },
});
