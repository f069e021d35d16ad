import type { PlanBatteryInput } from "../../../src/plan/exact/plan-battery.js";
import type { Random } from "../../support/random.js";

/** Shape of a random planning problem. */
export interface InstanceKind {
  /** No negative prices, export price never above import price, no least power: a plain LP. */
  convex: boolean;
  steps: number;
}

/** A random but physical planning problem; covers all rules of the planner. */
export function randomInstance(random: Random, { convex, steps }: InstanceKind): PlanBatteryInput {
  const stepMinutes = random.pick([60, 15] as const);
  const start = new Date(
    Date.parse("2026-01-15T00:00:00Z") + (random.chance(0.5) ? 0 : random.integer(1, 14) * 60_000),
  );
  const capacityKwh = random.between(2, 15);
  const minSocKwh = random.chance(0.5) ? 0 : random.between(0, 0.3) * capacityKwh;
  const maxSocKwh = random.chance(0.5) ? capacityKwh : random.between(0.6, 1) * capacityKwh;
  const maxChargePowerKw = random.between(0.5, 8) * (stepMinutes === 15 ? 2 : 1);
  const level = random.pick([5, 20, 60]);
  const importPriceCtKwh: number[] = [];
  const exportPriceCtKwh: number[] = [];
  const loadKwh: number[] = [];
  const pvKwh: number[] = [];
  const sunny = random.chance(0.6);
  for (let t = 0; t < steps; t++) {
    const price = convex ? random.between(0, level) : random.between(-0.4 * level, level);
    importPriceCtKwh.push(random.chance(0.2) ? Math.round(price) : price);
    exportPriceCtKwh.push(
      convex ? random.between(0, 1) * importPriceCtKwh[t]! : random.between(-0.5 * level, 1.2 * level),
    );
    loadKwh.push(random.chance(0.1) ? 0 : random.between(0, 2));
    pvKwh.push(sunny && random.chance(0.6) ? random.between(0, 5) : 0);
  }
  const grid = {
    ...(random.chance(0.3) && { importLimitKw: random.between(0.3, 6) }),
    ...(random.chance(0.3) && { exportLimitKw: random.between(0, 4) }),
    ...(random.chance(0.5) && { curtailmentAllowed: true }),
  };
  const terminal = random.integer(0, 2);
  return {
    start,
    stepMinutes,
    importPriceCtKwh,
    exportPriceCtKwh,
    loadKwh,
    pvKwh,
    battery: {
      capacityKwh,
      socKwh: random.between(minSocKwh, maxSocKwh),
      minSocKwh,
      maxSocKwh,
      maxChargePowerKw,
      maxDischargePowerKw: random.between(0.5, 8),
      chargeEfficiency: random.chance(0.1) ? 1 : random.between(0.8, 1),
      dischargeEfficiency: random.chance(0.1) ? 1 : random.between(0.8, 1),
      ...(random.chance(0.5) && { wearCtKwh: random.between(0, 4) }),
      ...(random.chance(0.3) && { gridChargeAllowed: random.chance(0.5) }),
      ...(random.chance(0.5) && { exportAllowed: random.chance(0.5) }),
      ...(!convex && random.chance(0.4) && { minChargePowerKw: random.between(0.2, 1) * maxChargePowerKw }),
    },
    grid,
    terminalValueCtKwh:
      terminal === 0
        ? random.between(0, level)
        : [
            { kwh: random.between(0, capacityKwh), ctKwh: random.between(0.5, 1) * level },
            { kwh: random.between(0, capacityKwh), ctKwh: random.between(0, 0.5) * level },
          ],
  };
}
