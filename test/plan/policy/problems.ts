import { CONTROLLED_MODES } from "../../../src/core/domain/battery.js";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import type { PolicyInput, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import type { Random } from "../../support/random.js";

export const NOW = new Date("2026-05-03T00:00:00Z");
export const HOUR_MS = 3_600_000;

export const BATTERY = {
  capacityKwh: 10,
  minSocKwh: 1,
  maxSocKwh: 10,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: 0.95,
  dischargeEfficiency: 0.95,
  wearCtKwh: 1,
};

/** Hours from `NOW` on; what is left out is a home without PV at published prices. */
export function hours(count: number, of: (hour: number) => Partial<PolicyStep>): PolicyStep[] {
  return Array.from({ length: count }, (_, h) => ({
    start: new Date(NOW.getTime() + h * HOUR_MS),
    minutes: 60,
    importCtKwh: 25,
    exportCtKwh: 7,
    loadKwh: 0.5,
    pvKwh: 0,
    published: true,
    ...of(h),
  }));
}

/** Two days of a home with PV at prices that move. */
export function seededProblem(random: Random): PolicyInput {
  const level = random.between(15, 35);
  const peakKw = random.pick([0, 3, 8]);
  return {
    now: NOW,
    steps: hours(48, (h) => {
      const price = level + 8 * Math.sin((h / 12) * 2 * Math.PI) + random.between(-4, 4);
      return {
        importCtKwh: price,
        exportCtKwh: 0.4 * price,
        loadKwh: random.between(0.1, 2),
        pvKwh: Math.max(0, peakKw * Math.sin((((h % 24) - 6) / 12) * Math.PI)) * random.between(0.3, 1),
      };
    }),
    ratios: [],
    battery: BATTERY,
    controls: CONTROLLED_MODES,
    terminal: [{ kwh: 10, ctKwh: 0.8 * level }],
  };
}

/** What a sequence of commands costs when all comes as expected, less the worth of what is stored at the end. */
export function costOf(
  input: PolicyInput,
  socKwh: number,
  command: (step: PolicyStep, socKwh: number) => Parameters<typeof inverterStep>[0]["command"],
): number {
  let soc = socKwh;
  let ct = 0;
  for (const step of input.steps) {
    const flows = inverterStep({
      storage: input.battery,
      ...(input.grid === undefined ? {} : { connection: input.grid }),
      command: command(step, soc),
      step,
      socKwh: soc,
    });
    ct +=
      flows.importKwh * step.importCtKwh -
      flows.exportKwh * step.exportCtKwh +
      flows.dischargeKwh * (input.battery.wearCtKwh ?? 1);
    soc = flows.socEndKwh;
  }
  return ct - soc * (input.terminal?.[0]?.ctKwh ?? 0);
}
