import { DAY_MS } from "../../core/domain/interval.js";
import { expectedTerminalValue, type TerminalTranche } from "../terminal-value.js";
import type { PolicyInput } from "./policy-input.js";
import { POLICY_SETTINGS } from "./settings.js";
import type { PolicyRules } from "./stage-costs.js";
import { chainOf, NO_LIMIT, type Stage } from "./stages.js";
import { isKeptFull } from "./targets.js";

/** Wear where it is left out, ct per AC kWh discharged: no cycling for less. */
const DEFAULT_WEAR_CT = 1;

/** What holds for every stage of a problem. */
export function rulesOf(input: PolicyInput): PolicyRules {
  const { battery, grid = {} } = input;
  const roomKwh = battery.maxSocKwh - battery.minSocKwh;
  const chain = chainOf(input);
  const points =
    roomKwh <= 0 ? 1 : chain.count === 1 ? POLICY_SETTINGS.pointsWhenCertain : POLICY_SETTINGS.points;
  return {
    battery,
    wearCt: battery.wearCtKwh ?? DEFAULT_WEAR_CT,
    importLimitKw: grid.importLimitKw ?? NO_LIMIT,
    exportLimitKw: grid.exportLimitKw ?? NO_LIMIT,
    controls: new Set(input.controls),
    chain,
    points,
    spacingKwh: points === 1 ? 1 : roomKwh / (points - 1),
  };
}

/** Worth of the energy left at the end as planBattery takes it from the last day of the horizon. */
export function defaultTerminal(stages: readonly Stage[], rules: PolicyRules): TerminalTranche[] {
  const { battery } = rules;
  const end = stages.at(-1)?.endMs ?? 0;
  const lastDay = stages
    .filter((stage) => stage.endMs > end - DAY_MS)
    .map((stage) => ({
      importPriceCtKwh: stage.importCt,
      exportPriceCtKwh: stage.exportCt,
      loadKwh: stage.loadKwh,
      pvKwh: stage.pvKwh,
      maxChargeKwh: battery.maxChargePowerKw * stage.hours,
      minChargeKwh: 0,
      maxDischargeKwh: isKeptFull(stage, rules) ? 0 : battery.maxDischargePowerKw * stage.hours,
      importLimitKwh: rules.importLimitKw * stage.hours,
      exportLimitKwh: rules.exportLimitKw * stage.hours,
    }));
  return expectedTerminalValue(
    lastDay,
    {
      chargeEfficiency: battery.chargeEfficiency,
      dischargeEfficiency: battery.dischargeEfficiency,
      wearCtKwh: rules.wearCt,
      gridChargeAllowed: rules.controls.has("charge"),
      exportAllowed: rules.controls.has("discharge"),
      curtailmentAllowed: false,
    },
    { minKwh: battery.minSocKwh, maxKwh: battery.maxSocKwh },
  );
}
