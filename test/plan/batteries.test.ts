import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { NamedBatterySettings } from "../../src/config/settings.js";
import { aggregateBattery } from "../../src/config/validate.js";
import type { PlanScalars } from "../../src/core/domain/plan-field-lists.js";
import type { LiveState } from "../../src/core/domain/sample.js";
import { batteryPlans, shareOut } from "../../src/plan/battery-plans.js";
import { batterySocs } from "../../src/plan/battery-socs.js";
import type { BatteryPlan, SitePlan } from "../../src/plan/site-plan.js";
import { withAggregateReadings } from "../../src/telemetry/aggregate-batteries.js";
import { parseTelemetry } from "../../src/telemetry/parse.js";
import { type Random, seeded } from "../support/random.js";

const NOW = new Date("2026-01-15T00:00:00Z");
const HOUR_MS = 3_600_000;
const LIMITS = { staleMinutes: 15, lostMinutes: 120 };

/** Batteries with the defaults of the configuration. */
function batteriesOf(...entries: Partial<NamedBatterySettings>[]): NamedBatterySettings[] {
  const named = entries.map((entry, index) => ({ id: `b${index}`, ...entry }));
  const parsed = parsePlant({ id: "home", batteries: named }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return parsed.plant.batteries;
}

const randomBatteries = (random: Random) =>
  batteriesOf(
    ...Array.from({ length: random.integer(1, 4) }, () => ({
      capacity_kwh: random.between(1, 20),
      min_soc_pct: random.between(0, 30),
      max_soc_pct: random.between(60, 100),
      max_charge_power_kw: random.between(0.5, 6),
      max_discharge_power_kw: random.between(0.5, 6),
      efficiency_pct: random.between(70, 98),
    })),
  );

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const storedKwh = (batteries: readonly NamedBatterySettings[], pct: readonly number[]) =>
  total(batteries.map(({ capacity_kwh }, index) => (capacity_kwh * pct[index]!) / 100));
const known = (pct: number) => ({ pct, ageMinutes: 0, lost: false });

/** The parts of a plan with these scalars; the course goes through `socEndPct` by the hour. */
function parts(
  batteries: readonly NamedBatterySettings[],
  pct: readonly number[],
  scalars: Partial<PlanScalars>,
  { previous, socEndPct = [] }: { previous?: BatteryPlan[]; socEndPct?: number[] } = {},
) {
  const sum = aggregateBattery(batteries);
  const plan = {
    issuedAt: NOW,
    steps: socEndPct.map((end, t) => ({ end: new Date(NOW.getTime() + (t + 1) * HOUR_MS), socEndPct: end })),
    scalars: {
      chargeNow: 0,
      chargePowerKw: 0,
      chargeStopSocPct: sum.max_soc_pct,
      dischargePowerKw: sum.max_discharge_power_kw,
      dischargeReason: "full",
      chargeCapKw: sum.max_charge_power_kw,
      dischargeSetKw: 0,
      ...scalars,
    },
  } as unknown as SitePlan;
  return batteryPlans(plan, { batteries, socs: pct.map(known), previous });
}

describe("several batteries", () => {
  it("shares out a total in proportion, within limits, and completely where the limits allow", () => {
    expect(shareOut(6, [1, 2, 0], [10, 10, 10])).toEqual([2, 4, 0]);
    expect(shareOut(6, [1, 2, 0], [10, 3, 10])).toEqual([3, 3, 0]);
    expect(shareOut(9, [1, 2, 1], [1, 2, 3])).toEqual([1, 2, 3]);
  });

  it("adds up to one battery; equal values stay exactly what they are", () => {
    const [one] = batteriesOf({ capacity_kwh: 7.3, efficiency_pct: 88, min_soc_pct: 7 });
    const { id: _id, label: _label, ...fields } = one!;
    expect(aggregateBattery([one!])).toEqual(fields);
    const sum = aggregateBattery(
      batteriesOf(
        { capacity_kwh: 10, min_soc_pct: 10, efficiency_pct: 90, controls: ["charge", "hold", "block"] },
        {
          capacity_kwh: 5,
          min_soc_pct: 40,
          efficiency_pct: 75,
          controls: ["hold", "charge"],
          wear_ct_kwh: 4,
        },
      ),
    );
    expect(sum).toMatchObject({
      capacity_kwh: 15,
      min_soc_pct: 20,
      max_charge_power_kw: 10,
      efficiency_pct: 85,
      wear_ct_kwh: 2,
      controls: ["charge", "hold"],
    });
  });

  it("are refused beside a single one, with the same id, and with readings of unknown ones", () => {
    const refused = (plant: object, telemetry: object[] = []) => {
      const parsed = parsePlant({ id: "home", ...plant }, telemetry);
      return "findings" in parsed ? parsed.findings.map(({ path }) => path.join(".")) : [];
    };
    expect(refused({ battery: {}, batteries: [{ id: "a" }] })).toEqual(["battery"]);
    expect(refused({ battery: null, batteries: [{ id: "a" }] })).toEqual([]);
    expect(refused({ batteries: [{ id: "a" }, { id: "a", min_soc_pct: 100 }] })).toEqual([
      "batteries.1.min_soc_pct",
      "batteries.1.id",
    ]);
    const map = (entry: object) => refused({ batteries: [{ id: "a" }] }, [{ topic: "x", ...entry }]);
    expect(map({ field: "power_kw", battery: "a" })).toEqual([]);
    expect(map({ field: "battery_power_kw", battery: "a" })).toEqual(["telemetry.0.field"]);
    expect(map({ field: "soc_pct", battery: "b" })).toEqual(["telemetry.0.battery"]);
    expect(map({ field: "soc_pct", battery: "a", slot: 1 })).toEqual(["telemetry.0.battery"]);
  });

  it("have readings by battery_id or in a group; those of unknown ones are rejected", () => {
    const read = (body: object) =>
      parseTelemetry(body, { now: NOW, zone: "Europe/Vienna", batteries: ["garage", "cellar"] });
    const { samples, rejected } = read({
      samples: [
        { battery_id: "garage", soc_pct: "55,5", battery_power_kw: -2, pv_power_kw: 1 },
        { batteries: { garage: { power_kw: 1 }, cellar: { soc_pct: 101 }, attic: { soc_pct: 5 } } },
        { battery_id: "attic", soc_pct: 7 },
      ],
    });
    expect(samples.map(({ sample }) => sample.values)).toEqual([
      { pv_power_kw: 1, battery_garage_soc_pct: 55.5, battery_garage_power_kw: -2 },
      { battery_garage_power_kw: 1 },
    ]);
    expect(rejected.map(({ index, field }) => [index, field])).toEqual([
      [1, "batteries.attic"],
      [1, "batteries.cellar.soc_pct"],
      [2, "battery_id"],
    ]);
  });

  it("splits every command within limits, with sums of the plan and none beyond a full or empty battery", () => {
    const random = seeded(19);
    for (let round = 0; round < 300; round++) {
      const batteries = randomBatteries(random);
      const pct = batteries.map(({ min_soc_pct: min, max_soc_pct: max }) =>
        random.chance(0.2) ? min : random.chance(0.2) ? max : random.between(min, max),
      );
      const sum = aggregateBattery(batteries);
      const stored = (100 * storedKwh(batteries, pct)) / sum.capacity_kwh;
      const stop = random.between(stored, sum.max_soc_pct);
      const charges = random.chance(0.4) && stop > stored + 0.1;
      const cap = random.chance(0.5)
        ? sum.max_discharge_power_kw
        : random.between(0, sum.max_discharge_power_kw);
      const socEndPct = Array.from({ length: 4 }, () => random.between(sum.min_soc_pct, sum.max_soc_pct));
      const split = parts(
        batteries,
        pct,
        {
          chargeNow: charges ? 1 : 0,
          chargePowerKw: charges ? random.between(0.5, 1) * sum.max_charge_power_kw : 0,
          ...(charges && { chargeStopSocPct: stop }),
          dischargePowerKw: cap,
        },
        { socEndPct },
      );
      const isEmpty = (index: number) => pct[index]! <= batteries[index]!.min_soc_pct + 1e-9;
      const isFull = (index: number) => pct[index]! >= batteries[index]!.max_soc_pct - 1e-9;
      const isRight = (part: (typeof split)[number], index: number) => {
        const { max_charge_power_kw: mostIn, max_discharge_power_kw: mostOut } = batteries[index]!;
        return (
          part.chargePowerKw <= mostIn + 1e-9 &&
          part.dischargePowerKw <= mostOut + 1e-9 &&
          part.chargeNow === (part.chargePowerKw > 0 ? 1 : 0) &&
          (!isFull(index) || (part.chargePowerKw === 0 && part.chargeCapKw === 0)) &&
          (!isEmpty(index) || part.dischargePowerKw === 0) &&
          // One battery must not serve the charging of another.
          (!charges || part.chargeNow === 1 || part.dischargePowerKw === 0)
        );
      };
      expect(split.filter((part, index) => !isRight(part, index))).toEqual([]);
      if (charges) {
        // Together they stop at the stop of the plan.
        const ends = split.map((part, index) => Math.max(part.chargeStopSocPct, pct[index]!));
        expect(storedKwh(batteries, ends)).toBeCloseTo((sum.capacity_kwh * stop) / 100, 6);
      } else {
        const available = total(
          batteries.map(({ max_discharge_power_kw: most }, index) => (isEmpty(index) ? 0 : most)),
        );
        expect(total(split.map((part) => part.dischargePowerKw))).toBeCloseTo(Math.min(cap, available), 9);
      }
      // Energy is conserved in the course, and every battery stays within its band.
      for (const [t, end] of socEndPct.entries()) {
        const ends = split.map((part) => part.socEndPct[t]!);
        expect(storedKwh(batteries, ends)).toBeCloseTo((sum.capacity_kwh * end) / 100, 6);
        for (const [index, one] of ends.entries()) {
          expect(one).toBeGreaterThanOrEqual(Math.min(batteries[index]!.min_soc_pct, pct[index]!) - 1e-6);
          expect(one).toBeLessThanOrEqual(batteries[index]!.max_soc_pct + 1e-6);
        }
      }
    }
  });

  it("charges batteries towards each other without switching them on and off on noisy readings", () => {
    const random = seeded(7);
    const batteries = batteriesOf(
      { capacity_kwh: 10, max_charge_power_kw: 5, efficiency_pct: 95 },
      { capacity_kwh: 6, max_charge_power_kw: 2, efficiency_pct: 85 },
    );
    const pct = [30, 55];
    let previous: BatteryPlan[] | undefined;
    let switches = 0;
    for (let minute = 0; minute < 240; minute++) {
      const read = pct.map((value) =>
        Math.min(100, Math.max(0, Math.round(value + random.between(-0.5, 0.5)))),
      );
      if ((storedKwh(batteries, read) / 16) * 100 >= 90) break;
      const split: BatteryPlan[] = parts(
        batteries,
        read,
        { chargeNow: 1, chargePowerKw: 4, chargeStopSocPct: 90 },
        { ...(previous && { previous }) },
      );
      expect(total(split.map((part) => part.chargePowerKw))).toBeCloseTo(4, 9);
      for (const [index, part] of split.entries()) {
        if (previous !== undefined && previous[index]!.chargeNow !== part.chargeNow) switches++;
        const { capacity_kwh: kwh, efficiency_pct: efficiency } = batteries[index]!;
        pct[index]! += (part.chargePowerKw * Math.sqrt(efficiency / 100) * 100) / 60 / kwh;
      }
      previous = split;
    }
    expect(Math.abs(pct[0]! - pct[1]!)).toBeLessThan(2);
    expect(switches).toBeLessThanOrEqual(2);
  });

  it("gives set power from batteries that hold energy; an empty one does not store it", () => {
    const batteries = batteriesOf({ export_allowed: true }, { export_allowed: true });
    const [empty, other] = parts(batteries, [10, 60], { dischargeSetKw: 3 });
    expect(empty).toMatchObject({ dischargeSetKw: 0, chargeCapKw: 0, dischargePowerKw: 0 });
    expect(other).toMatchObject({ dischargeSetKw: 3, chargeCapKw: 5 });
  });

  it("leaves every battery to itself once a SOC is lost", () => {
    const batteries = batteriesOf({}, {});
    const split = parts(batteries, [10, 100], { dischargeReason: "telemetry_lost" });
    expect(split.map((part) => [part.chargeNow, part.dischargePowerKw, part.chargeCapKw])).toEqual([
      [0, 5, 5],
      [0, 5, 5],
    ]);
  });

  describe("readings", () => {
    const batteries = batteriesOf({ id: "garage", capacity_kwh: 10 }, { id: "cellar", capacity_kwh: 30 });
    const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
    const socsAt = (live: LiveState, plan?: SitePlan, now = NOW) =>
      batterySocs(batteries, { live, plan, now, limits: LIMITS });

    it("add up where those of every battery are fresh", () => {
      const sample = (minutes: number, values: object) => ({ at: at(minutes), values });
      const given = [
        sample(0, { battery_garage_soc_pct: 80, battery_garage_power_kw: -2 }),
        sample(1, { battery_cellar_soc_pct: 40, battery_cellar_power_kw: 3 }),
        sample(20, { battery_cellar_soc_pct: 60 }),
        sample(21, { battery_garage_soc_pct: 20, soc_pct: 33 }),
      ];
      const complete = withAggregateReadings(given, { batteries, live: {}, limits: LIMITS });
      expect(complete.map(({ values }) => [values.soc_pct, values.battery_power_kw])).toEqual([
        [undefined, undefined],
        [50, 1],
        [undefined, undefined],
        [33, undefined],
      ]);
    });

    it("of the plant alone are the same share of each band", () => {
      const socs = socsAt({ soc_pct: { value: 55, at: NOW } });
      expect(socs?.each.map(({ pct }) => pct)).toEqual([55, 55]);
      const partly = socsAt({
        soc_pct: { value: 55, at: NOW },
        battery_garage_soc_pct: { value: 85, at: NOW },
      });
      expect(partly?.each.map(({ pct }) => pct)).toEqual([85, 45]);
    });

    it("of a battery that are missing are taken from its own plan, and are lost later", () => {
      const live: LiveState = {
        soc_pct: { value: 50, at: NOW },
        battery_garage_soc_pct: { value: 80, at: at(60) },
        battery_cellar_soc_pct: { value: 40, at: NOW },
      };
      const plan = {
        issuedAt: at(1),
        days: [],
        steps: [{ end: at(121) }],
        batteries: [
          { id: "garage", socPct: 80, socEndPct: [80] },
          { id: "cellar", socPct: 40, socEndPct: [60] },
        ],
      } as unknown as SitePlan;
      const socs = socsAt(live, plan, at(61));
      expect(socs?.each).toMatchObject([
        { pct: 80, stale: false },
        { pct: 50, stale: true, ageMinutes: 61 },
      ]);
      expect(socs?.total).toMatchObject({ pct: 57.5, stale: true, lost: false });
      expect(socsAt(live, plan, at(121))?.total.lost).toBe(true);
      expect(socsAt({ battery_garage_soc_pct: { value: 80, at: NOW } })).toBeUndefined();
    });
  });
});
