import type { Device, RunDemand, StoreDevice } from "../../../src/plan/devices/device.js";
import type { StoreStage } from "../../../src/plan/devices/store-states.js";
import type { PolicyInput } from "../../../src/plan/policy/policy-input.js";

const HOURS = 168;
const START_MS = Date.UTC(2026, 4, 4);

export interface SeededSite {
  site: PolicyInput;
  socKwh: number;
  devices: Device[];
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What stored energy is worth at the end, ct/kWh: the same for battery, vehicle and boiler. */
const WORTH_CT = 12;

/**
 * A week of a home in hours, everything known: battery, PV, a commuter's vehicle, a boiler and two devices that run once a
 * day. Prices have the shape of Austrian day-ahead prices with a random level and noise.
 */
export function seededSite(seed: number): SeededSite {
  const random = seeded(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const peakKw = pick([0, 5, 10, 15]);
  const capacityKwh = pick([5, 10, 15]);
  const isFixed = random() < 0.5;
  let level = 0;
  let cloud = 1;
  const steps: PolicyInput["steps"][number][] = Array.from({ length: HOURS }, (_, t) => {
    const hour = t % 24;
    if (hour === 0) {
      level = between(-3, 3);
      cloud = between(0.2, 1);
    }
    const wave = (peak: number, hours: number) => Math.cos(((hour - peak) / hours) * 2 * Math.PI);
    const importCtKwh =
      20 +
      level +
      5 * wave(19, 24) +
      3 * wave(8, 12) -
      4 * Math.max(0, Math.sin(((hour - 6) / 12) * Math.PI)) +
      between(-1.5, 1.5);
    const sun = Math.max(0, Math.sin(((hour - 5.5) / 14) * Math.PI)) ** 1.3;
    return {
      start: new Date(START_MS + t * 3_600_000),
      minutes: 60,
      importCtKwh,
      exportCtKwh: isFixed ? 7 : Math.max(-2, importCtKwh / 1.2 - 11),
      loadKwh: between(0.2, 0.5) + (hour >= 17 && hour < 22 ? between(0.2, 1.2) : 0),
      pvKwh: peakKw * 0.75 * cloud * sun * between(0.85, 1),
      published: true,
    };
  });
  return {
    site: {
      now: new Date(START_MS),
      steps,
      ratios: [],
      battery: {
        capacityKwh,
        minSocKwh: 0.05 * capacityKwh,
        maxSocKwh: capacityKwh,
        maxChargePowerKw: capacityKwh / 2,
        maxDischargePowerKw: capacityKwh / 2,
        chargeEfficiency: 0.95,
        dischargeEfficiency: 0.95,
        wearCtKwh: 1,
      },
      controls: ["charge", "hold", "block"],
      terminal: [{ kwh: 1000, ctKwh: WORTH_CT }],
    },
    socKwh: 0.3 * capacityKwh,
    devices: [
      vehicle({
        capacity: between(40, 80),
        share: between(0.3, 0.6),
        power: pick([3.7, 11]),
        use: between(4, 14),
      }),
      boiler({ stored: between(2, 6), use: between(4, 8) }),
      runs({ powerKw: between(0.8, 2.5), hours: 1 + Math.floor(random() * 3), from: 6, to: 22 }),
      runs({ powerKw: between(0.8, 2.5), hours: 1 + Math.floor(random() * 3), from: 8, to: 20 }),
    ],
  };
}

const hourly = (of: (hour: number) => Partial<StoreStage>): StoreStage[] =>
  Array.from({ length: HOURS }, (_, t) => ({
    hours: 1,
    available: true,
    drawKwh: 0,
    leastKwh: 0,
    ...of(t % 24),
  }));

/** Leaves at 07:00 with 6 kWh more than at first, returns at 17:00. */
function vehicle(of: { capacity: number; share: number; power: number; use: number }): StoreDevice {
  const storedKwh = of.capacity * of.share;
  return {
    kind: "store",
    store: {
      stages: hourly((hour) => ({
        available: hour >= 17 || hour < 7,
        drawKwh: hour === 7 ? of.use : 0,
        leastKwh: hour === 6 ? Math.min(of.capacity, storedKwh + 6) : 0,
      })),
      storedKwh,
      maxKwh: of.capacity,
      efficiency: 0.9,
      minPowerKw: 1.4,
      maxPowerKw: of.power,
      lossPerHour: 0,
      worthCtKwh: WORTH_CT,
    },
  };
}

function boiler({ stored, use }: { stored: number; use: number }): StoreDevice {
  return {
    kind: "store",
    store: {
      stages: hourly((hour) => ({ drawKwh: [7, 8, 20, 21].includes(hour) ? use / 4 : 0, leastKwh: 1 })),
      storedKwh: stored,
      maxKwh: 8,
      efficiency: 1,
      minPowerKw: 3,
      maxPowerKw: 3,
      lossPerHour: 0.008,
      worthCtKwh: WORTH_CT,
    },
  };
}

function runs(of: { powerKw: number; hours: number; from: number; to: number }): Device {
  const demands = Array.from(
    { length: HOURS / 24 },
    (_, day): RunDemand => ({
      from: day * 24 + of.from,
      to: day * 24 + of.to,
      kwh: of.powerKw * of.hours,
      unbroken: true,
    }),
  );
  return { kind: "runs", powerKw: of.powerKw, demands };
}
