import { type ControlledMode, oneWayEfficiency } from "../core/domain/battery.js";
import { hoursOf } from "../core/domain/interval.js";
import type { PolicyInput } from "./policy/policy-input.js";
import type { BatteryModel, CommandInput } from "./site-input.js";

/** The part of a step's load that the battery may not serve, kWh; it is imported in every mode. */
export function unservedKwh({ loadKwh, pvKwh, dischargeLimitKwh }: CommandInput, t: number): number {
  const limit = dischargeLimitKwh?.[t];
  return limit === undefined ? 0 : Math.max(0, loadKwh[t]! - pvKwh[t]! - limit);
}

/** The modes that the installation supports and the settings allow. */
export function allowedControls({
  battery,
}: {
  battery: Pick<BatteryModel, "controls" | "gridChargeAllowed" | "exportAllowed">;
}): ControlledMode[] {
  return battery.controls.filter(
    (mode) =>
      (mode !== "charge" || battery.gridChargeAllowed) && (mode !== "discharge" || battery.exportAllowed),
  );
}

/** The policy problem of a site. Load that the battery may not serve is left out, because it costs the same in every mode. */
export function sitePolicyInput(input: CommandInput): PolicyInput {
  const { battery, grid, prices, loadKwh, pvKwh, loadRatios, loadRanks, pvNodes } = input;
  const share = (pct: number) => (battery.capacityKwh * pct) / 100;
  const oneWay = oneWayEfficiency(battery.efficiencyPct);
  const limited = prices.map((_, t) => unservedKwh(input, t));
  return {
    now: input.now,
    steps: prices.map((price, t) => ({
      start: price.start,
      minutes: 60 * hoursOf(price),
      importCtKwh: price.importCtKwh,
      exportCtKwh: price.exportCtKwh,
      loadKwh: loadKwh[t]! - limited[t]!,
      pvKwh: pvKwh[t]!,
      published: price.source === "day_ahead",
      ...(input.peak?.counts[t] === false && { targetApplies: false }),
    })),
    ratios: prices.map((_, t) => (limited[t]! > 0 ? [] : (loadRatios[t] ?? []))),
    ...(loadRanks !== undefined && {
      shares: loadRanks.shares,
      persistence: loadRanks.persistence,
    }),
    ...(pvNodes !== undefined && { pv: pvNodes }),
    battery: {
      capacityKwh: battery.capacityKwh,
      minSocKwh: share(battery.minSocPct),
      maxSocKwh: share(battery.maxSocPct),
      maxChargePowerKw: battery.maxChargePowerKw,
      maxDischargePowerKw: battery.maxDischargePowerKw,
      chargeEfficiency: oneWay,
      dischargeEfficiency: oneWay,
      wearCtKwh: battery.wearCtKwh,
    },
    controls: allowedControls(input),
    grid: {
      ...(grid.importLimitKw !== undefined && { importLimitKw: grid.importLimitKw }),
      ...(grid.exportLimitKw !== undefined && { exportLimitKw: grid.exportLimitKw }),
      curtailmentAllowed: grid.curtailmentAllowed ?? false,
    },
  };
}
