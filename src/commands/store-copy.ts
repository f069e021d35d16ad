import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { StoreError } from "../store/errors.js";
import { storePlace } from "../store/place.js";
import { type CliCommand, configOption, EXIT, jsonOption, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { storeLog } from "./data-folder.js";

export const storeCopyCommand: CliCommand = {
  name: "store copy",
  summary: "Copies all stored data from a data folder into PostgreSQL, or back.",
  usage: "(--from FOLDER | --to FOLDER) [--config FILE] [--json]",
  options: {
    from: { type: "string", value: "FOLDER", help: "Data folder to copy into the shard of store.postgres." },
    to: { type: "string", value: "FOLDER", help: "New data folder for the data of that shard." },
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const [from, to] = [textOption(args, "from"), textOption(args, "to")];
    const folder = from ?? to;
    if (folder === undefined || (from !== undefined && to !== undefined)) {
      terminal.error("Name one folder: --from FOLDER to copy into PostgreSQL, --to FOLDER to copy back.");
      return EXIT.usage;
    }
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const { settings } = configuration;
    const refusal =
      settings.store.postgres.url === null
        ? "store.postgres.url is not set: it names the database."
        : from !== undefined && !existsSync(join(from, "series"))
          ? `${resolve(from)} is not a data folder: it contains no series.`
          : undefined;
    if (refusal !== undefined) {
      terminal.error(refusal);
      return EXIT.failed;
    }
    const [{ copyData }, { openData, openFolder }] = await Promise.all([
      import("../store/copy.js"),
      import("../store/store.js"),
    ]);
    const log = storeLog(terminal);
    try {
      const local = await openFolder(folder, log);
      try {
        const remote = await openData(settings, log, { isOffline: true });
        const place = storePlace(settings);
        const [source, target] = from === undefined ? [place, resolve(folder)] : [resolve(folder), place];
        const entries = await (from === undefined
          ? copyData(remote, local, target)
          : copyData(local, remote, target)
        ).finally(() => remote.series.close());
        await terminal.out(
          args.options.json === true
            ? JSON.stringify({ entries })
            : `All accounts, settings and ${entries} entries of history were copied from ${source} to ${target}, and compared.`,
        );
        return EXIT.done;
      } finally {
        await local.series.close();
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      terminal.error(error.message);
      return EXIT.failed;
    }
  },
};
