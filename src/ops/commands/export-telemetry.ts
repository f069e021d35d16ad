import { resolve } from "node:path";
import type { TimedValue } from "../../core/domain/counter.js";
import { READING_NAMES, type Reading } from "../../core/domain/sample.js";
import { errorMessage } from "../../core/error-message.js";
import { VIENNA } from "../../core/time/zone.js";
import { StoreError } from "../../store/errors.js";
import { storePlace } from "../../store/place.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { askGateway } from "../admin/client.js";
import type { AdminResponse } from "../admin/operations.js";
import type { TelemetryPage } from "../admin/telemetry-operations.js";
import {
  CommandError,
  command,
  configOption,
  EXIT,
  type Terminal,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { hasData, withStore } from "./data-folder.js";
import { periodOptions, readPeriod } from "./options.js";

/** The full range of Date: devices with a wrong clock may have sent any timestamp. */
const EARLIEST = new Date(-8.64e15);
const LATEST = new Date(8.64e15);

export const exportTelemetryCommand = command({
  name: "export telemetry",
  summary: "Prints the stored telemetry as CSV: timestamp,site,field,value.",
  options: {
    site: valueOption("ID", "Plant to print; default: all, including those created in the portal."),
    ...periodOptions,
    config: configOption,
  },
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    const site = args.options.site;
    const configured = settings.plants.map(({ id }) => id);
    const named = settings.plants.find(({ id }) => site === undefined || id === site);
    const period = readPeriod(args, named?.timezone ?? VIENNA);
    const unknown = (sentence: string) => usageError(`There is no plant "${site}"; ${sentence}.`);
    if (!hasData(settings)) {
      if (named === undefined) throw unknown(`the configuration has ${configured.join(", ")}`);
      throw new CommandError(`No data is stored in ${resolve(settings.data_dir)} yet; check data_dir.`);
    }
    const { from = EARLIEST, to = LATEST } = period;
    const printFrom = async (source: TelemetrySource) => {
      const wanted = source.sites.filter((id) => site === undefined || id === site);
      if (wanted.length === 0) throw unknown(`there are ${source.sites.join(", ")}`);
      await terminal.out("timestamp,site,field,value");
      for (const id of wanted) await print(source, id, { from, to }, terminal);
      return EXIT.done;
    };
    try {
      const running = await runningGateway(resolve(settings.data_dir));
      if (running !== undefined) return await printFrom(running);
      return await withStore(settings, terminal, ({ samples, state }) =>
        printFrom({
          sites: [...new Set([...configured, ...state.data.sites.map(({ id }) => id)])],
          readings: async (siteId) => Object.keys(await samples.latest(siteId)) as Reading[],
          portions: (...range) => samples.portions(...range),
        }),
      );
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(
        error instanceof StoreError && error.code === "storage_in_use"
          ? `A gateway on ${storePlace(settings)} is starting or stopping, or hangs: try again in a few seconds.`
          : errorMessage(error),
      );
    }
  },
});

/** Stored telemetry, of the data folder or of the gateway that runs on it. */
interface TelemetrySource {
  sites: readonly string[];
  /** Names of the stored readings of a site, at least those of its batteries. */
  readings(siteId: string): Promise<readonly Reading[]>;
  portions: SampleArchive["portions"];
}

const isFixed = (reading: Reading) => (READING_NAMES as readonly Reading[]).includes(reading);

/** The telemetry of the gateway that runs on the folder; undefined if none runs. Throws Error with a sentence. */
async function runningGateway(folder: string): Promise<TelemetrySource | undefined> {
  const known = await askGateway(folder, { command: "telemetry sites", arguments: {} });
  if (known === undefined) return undefined;
  const { sites, readings } = resultOf(known) as { sites: string[]; readings: Record<string, Reading[]> };
  return {
    sites,
    readings: async (site) => readings[site] ?? [],
    async *portions(site, reading, from, to) {
      for (let next: string | null = from.toISOString(); next !== null; ) {
        const given = { site, reading, from: next, to: to.toISOString() };
        const answer = await askGateway(folder, { command: "telemetry page", arguments: given });
        if (answer === undefined) throw new Error("The gateway has stopped; export again.");
        const page = resultOf(answer) as TelemetryPage;
        if (page.values.length > 0) yield page.values.map(([ms, value]) => ({ at: new Date(ms), value }));
        next = page.next;
      }
    },
  };
}

function resultOf(response: AdminResponse): object {
  if (!response.ok) throw new Error(response.error);
  return response.result;
}

/** Prints all readings of a site in order of time; at most some thousands are in memory. */
async function print(
  source: TelemetrySource,
  siteId: string,
  { from, to }: { from: Date; to: Date },
  terminal: Terminal,
) {
  const own = (await source.readings(siteId)).filter((reading) => !isFixed(reading));
  const queues = [...READING_NAMES, ...own].map(
    (reading) => new Queue(reading, source.portions(siteId, reading, from, to)),
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
