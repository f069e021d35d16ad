import { resolve } from "node:path";
import type { TimedValue } from "../domain/counter.js";
import { READING_NAMES, type Reading } from "../domain/sample.js";
import { StoreError } from "../store/errors.js";
import type { SampleArchive } from "../store/sample-archive.js";
import { VIENNA } from "../time/zone.js";
import { type CliCommand, configOption, EXIT, type Terminal, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { hasData, withStore } from "./data-folder.js";
import { periodOptions, readPeriod } from "./options.js";

/** The full range of Date: devices with a wrong clock may have sent any timestamp. */
const EARLIEST = new Date(-8.64e15);
const LATEST = new Date(8.64e15);

export const exportTelemetryCommand: CliCommand = {
  name: "export telemetry",
  summary: "Prints the stored telemetry as CSV: timestamp,site,field,value.",
  usage: "[--site ID] [--from TIME] [--to TIME] [--config FILE]",
  options: {
    site: {
      type: "string",
      value: "ID",
      help: "Plant to print; default: all, including those created in the portal.",
    },
    ...periodOptions,
    config: configOption,
  },
  async run(args, terminal) {
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const { settings } = configuration;
    const site = textOption(args, "site");
    const configured = settings.plants.map(({ id }) => id);
    const named = settings.plants.find(({ id }) => site === undefined || id === site);
    const period = readPeriod(args, named?.timezone ?? VIENNA);
    if (typeof period === "string") {
      terminal.error(period);
      return EXIT.usage;
    }
    const unknown = (sentence: string) => {
      terminal.error(`There is no plant "${site}"; ${sentence}.`);
      return EXIT.usage;
    };
    if (!hasData(settings)) {
      if (named === undefined) return unknown(`the configuration has ${configured.join(", ")}`);
      terminal.error(`No data is stored in ${resolve(settings.data_dir)} yet; check data_dir.`);
      return EXIT.failed;
    }
    const { from = EARLIEST, to = LATEST } = period;
    try {
      return await withStore(settings, terminal, async ({ samples, state }) => {
        const all = [...new Set([...configured, ...state.data.sites.map(({ id }) => id)])];
        const wanted = all.filter((id) => site === undefined || id === site);
        if (wanted.length === 0) return unknown(`there are ${all.join(", ")}`);
        await terminal.out("timestamp,site,field,value");
        for (const id of wanted) await print(samples, id, { from, to }, terminal);
        return EXIT.done;
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      terminal.error(
        error.code === "storage_in_use"
          ? `A gateway is running on ${resolve(settings.data_dir)}: stop it, export, and start it again.`
          : error.message,
      );
      return EXIT.failed;
    }
  },
};

/** Prints all readings of a site in order of time; at most some thousands are in memory. */
async function print(
  samples: SampleArchive,
  siteId: string,
  { from, to }: { from: Date; to: Date },
  terminal: Terminal,
) {
  const queues = READING_NAMES.map(
    (reading) => new Queue(reading, samples.portions(siteId, reading, from, to)),
  );
  for (const queue of queues) await queue.fill();
  for (;;) {
    let first: Queue | undefined;
    for (const queue of queues) {
      if (queue.head !== undefined && (first?.head === undefined || queue.head.at < first.head.at))
        first = queue;
    }
    if (first?.head === undefined) return;
    const { at, value } = first.head;
    await terminal.out(`${at.toISOString().replace(".000Z", "Z")},${siteId},${first.reading},${value}`);
    await first.next();
  }
}

/** The history of one reading, read in portions. */
class Queue {
  readonly reading: Reading;
  readonly #portions: AsyncGenerator<TimedValue[]>;
  #portion: readonly TimedValue[] = [];
  #index = 0;

  constructor(reading: Reading, portions: AsyncGenerator<TimedValue[]>) {
    this.reading = reading;
    this.#portions = portions;
  }

  get head(): TimedValue | undefined {
    return this.#portion[this.#index];
  }

  async next(): Promise<void> {
    this.#index++;
    if (this.#index >= this.#portion.length) await this.fill();
  }

  async fill(): Promise<void> {
    const { value, done } = await this.#portions.next();
    this.#portion = done === true ? [] : value;
    this.#index = 0;
  }
}
