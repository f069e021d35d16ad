import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counterDeltas } from "../../src/core/domain/counter.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { openStore } from "../../src/store/store.js";
import { recordingLog, temporaryStore } from "./support/folder.js";

const DAY = 86_400_000;
const first = Date.parse("2026-01-15T00:00:00Z");
const all = [new Date(-1e13), new Date(1e13)] as const;
const sample = (atMs: number, values: Sample["values"]): Sample => ({ at: new Date(atMs), values });

describe("SampleArchive", () => {
  it("orders readings by time, also before 1970", async () => {
    const { store } = await temporaryStore();
    const times = [first, -5, 0, first - 1, Date.parse("0001-01-01T00:00:00Z")];
    await store.samples.append(
      "home",
      times.map((atMs, index) => sample(atMs, { soc_pct: index })),
    );
    const stored = await store.samples.range("home", "soc_pct", new Date(-8e13), all[1]);
    expect(stored.map(({ at }) => at.getTime())).toEqual([...times].sort((a, b) => a - b));
  });

  it("rejects an invalid sample and stores concurrent calls", async () => {
    const { store } = await temporaryStore();
    const [bad, worse, good] = await Promise.allSettled([
      store.samples.append("home", [sample(Number.NaN, { soc_pct: 1 })]),
      store.samples.append("home", [sample(first, { soc_pct: Number.NaN })]),
      store.samples.append("home", [sample(first, { soc_pct: 1 })]),
    ]);
    expect([bad?.status, worse?.status, good?.status]).toEqual(["rejected", "rejected", "fulfilled"]);
  });

  it("stores the last value of every reading and instant for any order of calls", async () => {
    const call = fc.array(fc.record({ second: fc.nat(8), value: fc.nat(100) }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
        const { store } = await temporaryStore();
        const appended = await Promise.all(
          calls.map((entries) =>
            store.samples.append(
              "home",
              entries.map(({ second, value }) => sample(first + second * 1000, { soc_pct: value })),
            ),
          ),
        );
        const expected = new Map(calls.flat().map(({ second, value }) => [first + second * 1000, value]));
        const stored = await store.samples.range("home", "soc_pct", ...all);
        expect(new Map(stored.map(({ at, value }) => [at.getTime(), value]))).toEqual(expected);
        const duplicates = appended.reduce((sum, outcome) => sum + outcome.duplicates, 0);
        expect(duplicates).toBe(calls.flat().length - expected.size);
        const newest = Math.max(...expected.keys());
        expect(await store.samples.latest("home")).toEqual({
          soc_pct: { value: expected.get(newest), at: new Date(newest) },
        });
        await store.close();
      }),
      { numRuns: 20 },
    );
  });

  it("thins all old series to quarter-hours, and keeps the energy of counters", async () => {
    const { store } = await temporaryStore();
    const readings = Array.from({ length: 2 * 96 * 15 }, (_, minute) =>
      sample(first + minute * 60_000, {
        import_kwh: minute < 1000 ? minute / 8 : (minute - 1000) / 8,
        load_power_kw: minute % 15,
      }),
    );
    for (const site of ["home", "other site"]) {
      for (let from = 0; from < readings.length; from += 1000) {
        await store.samples.append(site, readings.slice(from, from + 1000));
      }
    }
    const before = await store.samples.range("home", "import_kwh", ...all);
    const dropped = await store.samples.compact(new Date(first + 91 * DAY));
    // 96 of 1440 readings of the first day remain; the counter also keeps the reading before its fall.
    expect(dropped).toBe(2 * (1440 - 96 + (1440 - 98)));
    const after = await store.samples.range("home", "import_kwh", ...all);
    const energy = (list: typeof before) => counterDeltas(list).reduce((sum, { kwh }) => sum + kwh, 0);
    // The first 14 minutes have no earlier reading for comparison.
    expect(energy(after)).toBeCloseTo(energy(before) - 14 / 8, 9);
    for (const site of ["home", "other site"]) {
      const power = await store.samples.range(site, "load_power_kw", new Date(first), new Date(first + DAY));
      expect(power).toHaveLength(96);
      expect(new Set(power.map(({ value }) => value))).toEqual(new Set([7]));
      expect(power.every(({ at }) => at.getTime() % 900_000 === 0)).toBe(true);
      expect(await store.samples.range(site, "load_power_kw", new Date(first + DAY), all[1])).toHaveLength(
        1440,
      );
    }
    expect(await store.samples.compact(new Date(first + 91 * DAY))).toBe(0);
    expect((await store.samples.latest("home")).load_power_kw?.at).toEqual(readings.at(-1)?.at);
  });

  it("thins late samples in thinned ranges, also after a restart", async () => {
    const { folder, store } = await temporaryStore();
    await store.samples.append("home", [sample(first, { soc_pct: 10 })]);
    await store.samples.compact(new Date(first + 100 * DAY));
    await store.samples.append("home", [
      sample(first + 60_000, { soc_pct: 20 }),
      sample(first + 70_000, { soc_pct: 30 }),
    ]);
    await store.close();
    const again = await openStore(folder, recordingLog());
    expect(await again.samples.compact(new Date(first + 100 * DAY))).toBe(2);
    expect(await again.samples.range("home", "soc_pct", ...all)).toEqual([
      { at: new Date(first), value: 20 },
    ]);
    await again.close();
  });
});
