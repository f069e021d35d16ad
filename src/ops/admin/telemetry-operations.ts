import { BATTERY_READING_NAMES, READING_NAMES, type Reading } from "../../core/domain/sample.js";
import { AdminError, adminOperation, name, textField } from "./operation.js";

/** Fewest values of a full page; the answer is one line of about 200 kB. */
const PAGE_VALUES = 10_000;

/** A page of `telemetry page`: times in ms since the epoch, and where the next page begins; null at the end. */
export interface TelemetryPage {
  values: [atMs: number, value: number][];
  next: string | null;
}

/** The readings of the site and its slots, and those of batteries, whose ids are free. */
const READING_PATTERN = `^(?:${READING_NAMES.join("|")}|battery_[a-z0-9_-]{1,32}_(?:${BATTERY_READING_NAMES.join("|")}))$`;

/** Commands that read the stored telemetry while the gateway runs. */
export const telemetryOperations = {
  "telemetry sites": adminOperation({}, async ({ sites, samples }) => {
    const ids = sites.list().map(({ id }) => id);
    const names = await Promise.all(
      ids.map(async (id) => [id, Object.keys(await samples.latest(id))] as const),
    );
    return { sites: ids, readings: Object.fromEntries(names) };
  }),

  "telemetry page": adminOperation(
    { required: { site: name, reading: { ...textField, pattern: READING_PATTERN }, from: name, to: name } },
    async ({ samples }, { site, reading, from, to }): Promise<TelemetryPage> => {
      const [start, end] = [new Date(from), new Date(to)];
      if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()))
        throw new AdminError("The request is not valid: from and to must be ISO 8601 times.");
      const values: TelemetryPage["values"] = [];
      for await (const portion of samples.portions(site, reading as Reading, start, end)) {
        for (const { at, value } of portion) values.push([at.getTime(), value]);
        if (values.length < PAGE_VALUES) continue;
        return { values, next: new Date(values.at(-1)![0] + 1).toISOString() };
      }
      return { values, next: null };
    },
  ),
};
