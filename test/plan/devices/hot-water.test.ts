import { expect, it } from "vitest";
import type { Device } from "../../../src/plan/devices/device.js";
import { planDevices } from "../../../src/plan/devices/plan-devices.js";
import type { StoreStage } from "../../../src/plan/devices/store-states.js";

/** A tank of 300 litres between 45 and 62 °C, kWh/K; its boiler heats 1.4 K in a quarter-hour. */
const KWH_PER_K = 0.349;
const BOILER_KW = 2;
const HOURS = 36;
/** From noon on: dear evening, night, paid hours on the next day from 11 to 15. */
const clock = (t: number) => (12 + t) % 24;
const importCt = (t: number) => {
  const hour = clock(t);
  if (t >= 20 && hour >= 11 && hour < 15) return -5;
  if (hour >= 17 && hour < 21) return 38;
  return hour < 6 ? 20 : 25;
};
const draws: Readonly<Record<number, number>> = { 6: 1.2, 7: 1, 19: 1.4, 21: 0.7 };

function homeWith(battery: boolean) {
  const start = Date.UTC(2026, 4, 2, 10);
  const steps = Array.from({ length: HOURS }, (_, t) => ({
    start: new Date(start + t * 3_600_000),
    minutes: 60,
    importCtKwh: importCt(t),
    exportCtKwh: importCt(t) < 0 ? -12 : 4,
    loadKwh: 0.4,
    pvKwh: clock(t) >= 9 && clock(t) < 17 ? 1.5 : 0,
    published: true,
  }));
  const capacityKwh = battery ? 8 : 0;
  return {
    now: new Date(start),
    steps,
    ratios: [],
    battery: {
      capacityKwh,
      minSocKwh: capacityKwh / 10,
      maxSocKwh: capacityKwh,
      maxChargePowerKw: capacityKwh / 2,
      maxDischargePowerKw: capacityKwh / 2,
      chargeEfficiency: 0.95,
      dischargeEfficiency: 0.95,
      wearCtKwh: 1,
    },
    controls: battery ? (["charge", "hold", "block"] as const) : [],
  };
}

const stage = (of: Partial<StoreStage>): StoreStage => ({
  hours: 1,
  available: true,
  drawKwh: 0,
  leastKwh: 0,
  ...of,
});

const tank: Device = {
  kind: "store",
  store: {
    stages: Array.from({ length: HOURS }, (_, t) => stage({ drawKwh: (draws[clock(t)] ?? 0) + 0.05 })),
    storedKwh: 4,
    maxKwh: 17 * KWH_PER_K,
    efficiency: 1,
    minPowerKw: BOILER_KW,
    maxPowerKw: BOILER_KW,
    lossPerHour: 0,
    worthCtKwh: 10,
  },
};

/** Wants 12 kWh by 07:00. */
const vehicle: Device = {
  kind: "store",
  store: {
    stages: Array.from({ length: HOURS }, (_, t) =>
      stage({ available: t >= 5 && t < 19, leastKwh: t === 18 ? 30 : 0 }),
    ),
    storedKwh: 18,
    maxKwh: 30,
    efficiency: 1,
    minPowerKw: 1.38,
    maxPowerKw: 3.68,
    lossPerHour: 0,
    worthCtKwh: 0,
  },
};

it.each([false, true])(
  "hot water arrives cool before paid hours and is not heated in the dear evening while a car waits (battery: %s)",
  (battery) => {
    const site = homeWith(battery);
    const { kwh } = planDevices({ site, socKwh: site.battery.minSocKwh, devices: [vehicle, tank] });
    const [car, boiler] = kwh as [number[], number[]];
    let storedKwh = 4;
    const aboveK = boiler.map((energy, t) => {
      storedKwh += energy - (draws[clock(t)] ?? 0) - 0.05;
      return storedKwh / KWH_PER_K;
    });
    const [beforePaid, paid] = [22, [23, 24, 25, 26]];
    expect(clock(beforePaid)).toBe(10);
    expect(Math.min(...aboveK)).toBeGreaterThan(-0.1);
    expect(aboveK[beforePaid]).toBeLessThan(2);
    // Paid hours fill it.
    expect(paid.reduce((sum, t) => sum + boiler[t]!, 0)).toBeGreaterThan(4);
    // The evening is left to what the household needs.
    const evening = [5, 6, 7, 8];
    expect(evening.reduce((sum, t) => sum + boiler[t]! + car[t]!, 0)).toBeLessThan(0.01);
    expect(car.reduce((sum, energy) => sum + energy, 0)).toBeCloseTo(12, 1);
  },
);
