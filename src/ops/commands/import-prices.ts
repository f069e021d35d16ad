import { readFileSync } from "node:fs";
import { newPoints } from "../../forecast/market/points.js";
import { judgePrices } from "../../forecast/market/price-gate.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { type PriceFile, parsePriceFile } from "../../forecast/market/sources/file-format.js";
import { StoreError } from "../../store/errors.js";
import { storePlace } from "../../store/place.js";
import { CommandError, command, configOption, EXIT, jsonOption, printResult, unreadable } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { withStore } from "./data-folder.js";

export const importPricesCommand = command({
  name: "import prices",
  summary: "Imports the prices of a CSV file (start_utc,eur_per_mwh) into the data folder.",
  options: { config: configOption, json: jsonOption },
  operands: ["FILE"],
  async run(args, terminal) {
    const path = args.positionals[0]!;
    const { settings } = loadConfiguration(args, terminal);
    const file = readPriceFile(path);
    for (const problem of file.problems) terminal.error(`${path}: ${problem}`);
    if (file.points.length === 0) throw new CommandError(`${path} contains no price.`);
    try {
      const imported = await withStore(settings, terminal, async ({ prices }) => {
        const known = PriceSeries.of(await prices.load());
        const { points, refusals } = judgePrices(file.points, {
          known,
          now: new Date(),
          isPublishing: false,
        });
        // Hourly prices of the file must not replace stored quarter-hours.
        const fresh = newPoints(known, points);
        await prices.save(fresh);
        return { count: fresh.length, refusals };
      });
      for (const refusal of imported.refusals) terminal.error(`${path}: ${refusal}`);
      const series = PriceSeries.of(file.points);
      const from = new Date(series.startMs).toISOString();
      const to = new Date(series.endMs).toISOString();
      const problems = [...file.problems, ...imported.refusals];
      const document = { prices: file.points.length, imported: imported.count, problems, from, to };
      await printResult(args, terminal, document, () => [
        `${path}: ${file.points.length} prices from ${from} to ${to}, ${imported.count} of them new. Stored in ${storePlace(settings)}.`,
      ]);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw new CommandError(
        error.code === "storage_in_use"
          ? `A gateway is running on ${storePlace(settings)}: stop it and import again, or leave it running and add the file to market.sources as { type: file, path: ${path} }.`
          : error.message,
      );
    }
  },
});

/** Reads a price file. Throws CommandError if it cannot be read. */
export function readPriceFile(path: string): PriceFile {
  try {
    return parsePriceFile(readFileSync(path, "utf8"));
  } catch (error) {
    throw unreadable(path, error);
  }
}
