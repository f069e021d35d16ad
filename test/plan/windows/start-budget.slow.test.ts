import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/core/domain/interval.js";
import { recordedText } from "../../support/recorded-data.js";
import { hour, slotOf, startedFlex } from "./started-flex.js";

/** Market prices of the first day in quarter-hours, 1 October 2025, ct/kWh. */
const RECORDED = (
  JSON.parse(recordedText("answers/energy_charts_price_de_lu_2025-10-01_15min_first_day.json")) as {
    price: number[];
  }
).price.map((eurMwh) => eurMwh / 10);

/** Each hour falls from its first to its last quarter, as most hours of the night do. */
const ZIGZAG = Array.from({ length: 192 }, (_, n) => {
  const ofDay = Math.floor(n / 4) % 24;
  return (ofDay < 8 ? 8 + 0.05 * ofDay : 16) + [1.4, 0.5, -0.5, -1.4][n % 4]!;
});

const boiler = slotOf({
  kind: "boiler",
  power_kw: 2,
  hours: 2.5,
  window_start_hour: 0,
  window_end_hour: 8,
  min_run_minutes: 15,
});

/** What the device does in each quarter-hour of a night, as it is planned then: 1 on, 0 off. */
async function nightOf({ service, clock, charging }: Awaited<ReturnType<typeof startedFlex>>) {
  const states: number[] = [];
  for (let quarter = 0; quarter < 36; quarter++) {
    states.push(charging());
    // Also between two quarter-hours plans must not change what runs.
    await clock.advance(7 * MINUTE_MS);
    service.sites.of("home").setCosts(new Map());
    expect(charging()).toBe(states.at(-1));
    await clock.advance(8 * MINUTE_MS);
  }
  await service.stop();
  return states;
}

const startsOf = (states: readonly number[]) =>
  states.filter((state, n) => state === 1 && states[n - 1] !== 1).length;
const hoursOn = (states: readonly number[]) => states.filter((state) => state === 1).length / 4;
const costOf = (states: readonly number[], prices: readonly number[]) =>
  states.reduce((sum, state, n) => sum + state * prices[n]!, 0);

// https://github.com/traktore-org/sem-community/issues/524, https://github.com/evcc-io/evcc/issues/24486
describe("prices that rise and fall within each hour", () => {
  it("make the cheapest eight runs where the device has the starts for them", async () => {
    const free = await nightOf(await startedFlex({ slots: [boiler], quarters: ZIGZAG }));
    const budget = { leftToday: 9, perDay: 9 };
    const limited = await nightOf(
      await startedFlex({ slots: [boiler], quarters: ZIGZAG, startBudget: () => budget }),
    );
    expect([startsOf(free), hoursOn(free)]).toEqual([8, 2.5]);
    expect(limited).toEqual(free);
  });

  it.each([ZIGZAG, RECORDED])(
    "make no more runs than the commands of an actuator are enough for",
    async (...prices) => {
      let [switched, wasOn] = [0, 0];
      // The commands of a relay with 10 a day, two of them in reserve.
      const night = await startedFlex({
        slots: [boiler],
        quarters: prices,
        startBudget: () => ({ leftToday: Math.floor((8 - switched - wasOn) / 2), perDay: 4 }),
      });
      const { bus, charging } = night;
      bus.on("slots.updated", () => {
        const isOn = charging();
        if (isOn !== wasOn) switched++;
        wasOn = isOn;
      });
      const states = await nightOf(night);
      expect(startsOf(states)).toBeLessThanOrEqual(4);
      expect([hoursOn(states), states.at(-1), switched % 2]).toEqual([2.5, 0, 0]);
    },
  );

  it("cost the least that the starts of the settings allow, and the plan of the evening is what is done", async () => {
    for (const prices of [ZIGZAG, RECORDED])
      for (const max_starts_per_day of [1, 2, 3, 5]) {
        const night = await startedFlex({ slots: [{ ...boiler, max_starts_per_day }], quarters: prices });
        const planned = night
          .plan()
          .result!.slots.map(({ start }) => (start.getTime() - hour(0).getTime()) / (15 * MINUTE_MS));
        const states = await nightOf(night);
        expect(states.flatMap((state, n) => (state === 1 ? [n] : []))).toEqual(planned);
        expect(startsOf(states)).toBeLessThanOrEqual(max_starts_per_day);
        if (max_starts_per_day === 1) {
          const blocks = Array.from({ length: 23 }, (_, from) =>
            costOf(
              prices.slice(from, from + 10).map(() => 1),
              prices.slice(from),
            ),
          );
          expect(costOf(states, prices)).toBeCloseTo(Math.min(...blocks), 6);
        }
      }
  });

  it("do not make runs shorter than the device allows, over a restart as well", async () => {
    const slots = [{ ...boiler, min_run_minutes: 45 }];
    const first = await startedFlex({ slots, quarters: ZIGZAG });
    const planned = first.plan().result!.windows.map(({ hours }) => hours);
    expect(Math.min(...planned)).toBeGreaterThanOrEqual(0.75);
    const begin = first.plan().result!.slots[0]!.start;
    await first.clock.set(new Date(begin.getTime() + 20 * MINUTE_MS));
    expect(first.charging()).toBe(1);
    await first.service.stop();
    const { documents, clock } = first;
    const cheaper = ZIGZAG.map((ct, n) =>
      hour(n / 4) > new Date(begin.getTime() + 45 * MINUTE_MS) ? ct - 5 : ct,
    );
    const second = await startedFlex({ slots, quarters: cheaper, documents, now: clock.now() });
    expect(second.windows()[0]?.[1]).toBeGreaterThanOrEqual(
      (begin.getTime() - hour(0).getTime()) / 3_600_000 + 0.75,
    );
  });

  it("are those of its kind where nothing is set, but not in the answer to a request", async () => {
    const { kind: _, min_run_minutes: __, ...night } = boiler;
    const shortest = async (kind: "boiler" | "wallbox" | "heat_pump" | "other") => {
      const { service, plan } = await startedFlex({
        slots: [slotOf({ ...night, kind, min_run_minutes: null })],
        quarters: ZIGZAG,
      });
      const runs = plan().result!.windows.map(({ hours }) => hours);
      const window = { kind: "fixed" as const, start: hour(0), end: hour(8) };
      const answer = await service.sites.of("home").request(1, { gridMinutes: 15, window });
      return [Math.min(...runs), runs.length, answer!.windows.length];
    };
    expect(await shortest("boiler")).toEqual([0.5, 5, 8]);
    expect(await shortest("wallbox")).toEqual([0.5, 3, 8]);
    expect((await shortest("heat_pump"))[0]).toBeGreaterThanOrEqual(1);
    expect(await shortest("other")).toEqual([0.25, 8, 8]);
  });

  it("apply to requests and later windows too, not to the runs of `required`", async () => {
    const limited = await startedFlex({
      slots: [{ ...boiler, max_starts_per_day: 2 }],
      quarters: ZIGZAG,
    });
    const runs = (slots: readonly { start: Date; end: Date }[]) =>
      slots.filter((slot, n) => slots[n - 1]?.end.getTime() !== slot.start.getTime()).length;
    expect(runs(limited.plan().later[0]!.slots)).toBe(2);
    const request = {
      gridMinutes: 15 as const,
      window: { kind: "fixed" as const, start: hour(10), end: hour(20) },
    };
    const answer = await limited.service.sites.of("home").request(1, { ...request, count: 2 });
    expect(runs(answer!.slots)).toBeLessThanOrEqual(2);
    const required = await limited.service.sites.of("home").request(1, {
      ...request,
      segments: [0.5, 0.5, 0.5],
      consecutive: "required",
    });
    expect(required).toMatchObject({ demandHours: 1.5, unmetHours: 0 });
  });
});
