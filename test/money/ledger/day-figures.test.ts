import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayFigures, type FigureOptions } from "../../../src/money/ledger/day-figures.js";
import type { DayClosing, LedgerDay, LedgerQuarter } from "../../../src/money/ledger/ledger-day.js";
import { totalOf } from "../../../src/money/ledger/totals.js";

const BATTERY = {
  capacityKwh: 10,
  minSocKwh: 0,
  maxSocKwh: 10,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: 1,
  dischargeEfficiency: 1,
  wearCtKwh: 1,
};

/** A day with 0.25 kWh a quarter-hour: 10 ct in the first two hours, then 40 ct; the battery as given. */
function day(batteryKwhAt: (quarter: number) => number, changes: Partial<LedgerDay> = {}): LedgerDay {
  return {
    date: "2026-01-15",
    start: new Date("2026-01-14T23:00:00Z"),
    zone: "Europe/Vienna",
    tariff: null,
    plant: { battery: BATTERY, controls: ["charge", "hold"], connection: {}, curtailmentAllowed: false },
    quarters: Array.from({ length: 96 }, (_, quarter): LedgerQuarter => {
      const batteryKwh = batteryKwhAt(quarter);
      const gridKwh = 0.25 + batteryKwh;
      const spotCtKwh = quarter < 8 ? 10 : 40;
      return {
        importKwh: Math.max(0, gridKwh),
        exportKwh: Math.max(0, -gridKwh),
        pvKwh: 0,
        netKwh: 0.25,
        loadKwh: 0.25,
        chargeKwh: Math.max(0, batteryKwh),
        dischargeKwh: Math.max(0, -batteryKwh),
        communityKwh: 0,
        communityExportKwh: 0,
        spotCtKwh,
        importCtKwh: spotCtKwh,
        exportCtKwh: spotCtKwh,
        slotKwh: {},
      };
    }),
    devices: [],
    socStartKwh: 0,
    socEndKwh: 0,
    promise: undefined,
    opening: undefined,
    ...changes,
  };
}

const figuresOf = (of: LedgerDay, elapsed?: number) =>
  dayFigures(of, { pause: () => Promise.resolve(), ...(elapsed !== undefined && { elapsed }) });

/** The day with a car at 11 kW that is connected from a quarter-hour on and takes 8 kWh in the 8 from `atQuarter` on. */
function withCar(
  of: LedgerDay,
  { fromQuarter, atQuarter }: { fromQuarter: number; atQuarter: number },
): LedgerDay {
  const kwh = of.quarters.map((_, k) => (k >= atQuarter && k < atQuarter + 8 ? 1 : 0));
  const span = {
    fromMs: of.start.getTime() + fromQuarter * 900_000,
    endMs: of.start.getTime() + 96 * 900_000,
  };
  return {
    ...of,
    quarters: of.quarters.map((quarter, k) => {
      const gridKwh = quarter.importKwh! - quarter.exportKwh! + kwh[k]!;
      return {
        ...quarter,
        importKwh: Math.max(0, gridKwh),
        exportKwh: Math.max(0, -gridKwh),
        netKwh: quarter.netKwh! + kwh[k]!,
      };
    }),
    devices: [{ slot: 1, powerKw: 11, kwh, spans: [span] }],
  };
}

/** 1 kWh into the battery in each of the first 8 quarter-hours, 0.25 kWh out of it in the next 32. */
const cheapCharge = (quarter: number) => (quarter < 8 ? 1 : quarter < 40 ? -0.25 : 0);

describe("dayFigures", () => {
  it("compares the bill with those of the same day under other controls", async () => {
    const { figures, closing } = await figuresOf(day(cheapCharge));
    // 8 * 1.25 kWh at 10 ct and 56 * 0.25 kWh at 40 ct; without control 2 kWh at 10 ct and 22 kWh at 40 ct.
    expect(figures).toMatchObject({
      complete: true,
      costEur: 6.6,
      noBatteryEur: 9,
      uncontrolledEur: 9,
      storedChangeEur: 0,
      savedEur: 2.4,
      promisedEur: null,
      missingQuarters: 0,
    });
    // At best 10 kWh bought at 10 ct serve the load at 40 ct.
    expect(figures.perfectEur).toBeCloseTo(9 - 10 * 0.3, 2);
    expect(figures.kwh).toMatchObject({ import: 24, load: 24, charge: 8, discharge: 8 });
    expect(closing).toEqual({ uncontrolledKwh: 0, aheadEur: 0 });
  });

  it("counts energy that is left at what storing it cost, and the next day begins with that", async () => {
    const stored = await figuresOf(day((quarter) => (quarter < 4 ? 1 : 0), { socEndKwh: 4 }));
    expect(stored.figures).toMatchObject({
      costEur: 9.4,
      uncontrolledEur: 9.4,
      storedChangeEur: 0.4,
      savedEur: 0,
    });
    expect(stored.closing).toEqual({ uncontrolledKwh: 0, aheadEur: 0.4 });
    const used = await figuresOf(
      day((quarter) => (quarter >= 80 ? -0.25 : 0), { socStartKwh: 4, opening: stored.closing! }),
    );
    // Never controlled, the battery would be empty: 4 kWh for 40 ct saved 160 ct.
    expect(used.figures).toMatchObject({ costEur: 7.4, uncontrolledEur: 8.6, storedChangeEur: -0.4 });
    expect(used.figures.savedEur).toBeCloseTo(1.2, 9);
  });

  it("bills the plan of the morning on the measured load, with the same energy stored at the end", async () => {
    const start = Date.parse("2026-01-14T23:00:00Z");
    const steps = [{ startMs: start, endMs: start + 7_200_000, mode: "charge" as const, stopSocPct: 50 }];
    const { figures } = await figuresOf(day(cheapCharge, { promise: { savingEur: 1.3, steps } }));
    expect(figures.promisedSavingEur).toBe(1.3);
    expect(figures.promisedEur).toBeCloseTo(9 - 5 * 0.3, 9);
  });

  it("is negative where the uncontrolled battery had done better", async () => {
    const { figures } = await figuresOf(day(() => 0, { socStartKwh: 4, socEndKwh: 4 }));
    // Uncontrolled 4 kWh serve 2 kWh at 10 ct and 2 kWh at 40 ct; kept, they are worth 10 ct a kWh.
    expect(figures.savedEur).toBeCloseTo(-(2 * 0.1 + 2 * 0.4) + 4 * 0.1, 9);
  });

  it("needs nine tenths of the quarter-hours, and counts the others nowhere", async () => {
    const without = (from: number, to: number) => {
      const whole = day(cheapCharge);
      const quarters = whole.quarters.map((quarter, k) =>
        k >= from && k < to ? { ...quarter, importKwh: undefined, netKwh: undefined } : quarter,
      );
      return figuresOf({ ...whole, quarters });
    };
    expect((await without(80, 89)).figures).toMatchObject({
      complete: true,
      savedEur: 2.4,
      missingQuarters: 9,
    });
    expect((await without(80, 90)).figures).toMatchObject({
      complete: false,
      costEur: null,
      noBatteryEur: null,
      savedEur: null,
      missingQuarters: 10,
    });
    const noSoc = await figuresOf(day(cheapCharge, { socEndKwh: undefined }));
    expect(noSoc).toMatchObject({ figures: { complete: false, costEur: null }, closing: null });
  });

  it("knows the day so far, and no battery", async () => {
    const { figures } = await figuresOf(day(cheapCharge, { socEndKwh: 8 }), 8);
    expect(figures).toMatchObject({ complete: false, costEur: 1, uncontrolledEur: 1, savedEur: 0 });
    expect(figures.perfectEur).toBeNull();
    const plant = { battery: null, controls: [], connection: {}, curtailmentAllowed: false };
    const bare = await figuresOf(day(() => 0, { plant, socStartKwh: undefined, socEndKwh: undefined }));
    expect(bare.figures).toMatchObject({ complete: true, costEur: 9, noBatteryEur: 9, savedEur: null });
    // Its cost is part of the sums too: both days count.
    const soFar = await figuresOf(
      day(() => 0, { plant, socStartKwh: undefined, socEndKwh: undefined }),
      8,
    );
    expect(totalOf([bare.figures, soFar.figures])).toMatchObject({ complete: false, days: 2, costEur: 9.2 });
  });

  it("divides the saving between battery and devices, and knows the best of all", async () => {
    const { figures } = await figuresOf(withCar(day(cheapCharge), { fromQuarter: 0, atQuarter: 60 }));
    // The battery saves 8 kWh at 30 ct; the car lost as much, because it could have charged at 10 ct when it came.
    expect(figures).toMatchObject({ costEur: 9.8, uncontrolledEur: 9.8, savedEur: 0 });
    expect(figures).toMatchObject({ savedBatteryEur: 2.4, savedDevicesEur: -2.4, negativeReason: null });
    // At best the battery is full of energy at 10 ct, and the car too.
    expect(figures.perfectEur).toBeCloseTo(9.8 - 8 * 0.3 - 2 * 0.3, 2);
  });

  it("counts a car that came on the day before on the day on which it charged", async () => {
    const before = day(() => 0);
    const span = {
      fromMs: before.start.getTime() + 18 * 3_600_000,
      endMs: before.start.getTime() + 31 * 3_600_000,
    };
    const car = { slot: 1 as const, powerKw: 11, spans: [span] };
    const idle = { ...before, devices: [{ ...car, kwh: before.quarters.map(() => 0) }] };
    const first = await figuresOf(idle);
    expect(first.figures).toMatchObject({ savedEur: 0, savedDevicesEur: 0 });
    const night = withCar(
      {
        ...day(() => 0),
        date: "2026-01-16",
        start: new Date("2026-01-15T23:00:00Z"),
        opening: first.closing!,
      },
      { fromQuarter: -24, atQuarter: 0 },
    );
    const { figures } = await dayFigures(night, {
      before: [{ day: idle, run: first.uncontrolled! }],
      pause: () => Promise.resolve(),
    });
    // 8 kWh at 18:00 for 40 ct instead of 10 ct after midnight.
    expect(figures).toMatchObject({
      costEur: 9.8,
      uncontrolledEur: 12.2,
      savedEur: 2.4,
      savedDevicesEur: 2.4,
    });
  });

  it("counts all energy of a stay over days from the moment the car came", async () => {
    const fromMs = Date.parse("2026-01-15T17:00:00Z");
    const before: NonNullable<FigureOptions["before"]>[number][] = [];
    const saved: number[] = [];
    let opening: DayClosing | undefined;
    for (const k of [0, 1, 2]) {
      const start = new Date(Date.parse("2026-01-14T23:00:00Z") + k * 86_400_000);
      const plain = day(() => 0, { date: `2026-01-${15 + k}`, start });
      const stay = withCar({ ...plain, opening }, { fromQuarter: 72 - 96 * k, atQuarter: k === 0 ? 84 : 0 });
      const [car] = stay.devices;
      // 4 kW: the 24 kWh of the stay take from 18:00 to midnight.
      const known = {
        ...stay,
        devices: [{ ...car!, powerKw: 4, spans: [{ fromMs, endMs: start.getTime() + 86_400_000 }] }],
      };
      const { figures, closing, uncontrolled } = await dayFigures(known, {
        before: [...before],
        pause: () => Promise.resolve(),
      });
      before.push({ day: known, run: uncontrolled! });
      opening = closing!;
      saved.push(figures.savedEur!);
    }
    // The first 8 kWh cost 40 ct then and later, each of the other two days 10 instead of 40 ct.
    expect(saved).toEqual([0, 2.4, 2.4].map((eur) => expect.closeTo(eur, 6)));
  });

  it("saves with devices alone, and says why a day lost", async () => {
    const bare = { battery: null, controls: [], connection: {}, curtailmentAllowed: false };
    const late = withCar(
      day(() => 0, { plant: bare }),
      { fromQuarter: 0, atQuarter: 40 },
    );
    // The car came in the cheap hours and was charged in the dear ones.
    expect((await figuresOf(late)).figures).toMatchObject({ savedEur: -2.4, negativeReason: "forecast" });
    const told = await figuresOf({ ...late, incidents: { overridden: true } });
    expect(told.figures.negativeReason).toBe("override");
    const kept = await figuresOf(day(() => 0, { socStartKwh: 4, socEndKwh: 4 }));
    expect(kept.figures.negativeReason).toBe("kept");
  });

  it("never finds the best possible above the bill or the uncontrolled home, which save their difference", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 96, maxLength: 96 }),
        fc.integer({ min: -24, max: 60 }),
        fc.integer({ min: 0, max: 80 }),
        async (battery, fromQuarter, at) => {
          const start = day((quarter) => battery[quarter]! / 8, { socStartKwh: 5, socEndKwh: 5 });
          const { figures } = await figuresOf(
            withCar(start, { fromQuarter, atQuarter: Math.max(at, fromQuarter) }),
          );
          expect(figures.perfectEur!).toBeLessThanOrEqual(
            Math.min(figures.costEur!, figures.uncontrolledEur!),
          );
          expect(figures.savedEur!).toBeCloseTo(figures.uncontrolledEur! - figures.costEur!, 3);
          expect(figures.savedEur!).toBeCloseTo(figures.savedBatteryEur! + figures.savedDevicesEur!, 3);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("adds a day's share of the fixed amounts, and VAT", async () => {
    const tariff = [{ energy: { type: "spot" as const }, energy_base_fee: { eur_month: 3.1 }, vat_pct: 20 }];
    const { figures } = await figuresOf(day(cheapCharge, { tariff }));
    expect(figures.costEur).toBeCloseTo((6.6 + 0.1) * 1.2, 9);
    expect(figures.savedEur).toBeCloseTo(2.4 * 1.2, 9);
  });
});
