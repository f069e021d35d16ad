import type { BatteryMode, StorageLimits } from "../../core/domain/battery.js";

/** What the grid connection lets through at most; left out: no limit. */
export interface ConnectionLimits {
  importLimitKw?: number;
  exportLimitKw?: number;
}

/** What the inverter is set to. */
export interface InverterCommand {
  mode: BatteryMode;
  /** `charge`: power up to the stop SOC; default: full power. */
  chargePowerKw?: number;
  /** `charge`: stored energy at which charging from the grid ends; default: the upper end of the band. */
  stopSocKwh?: number;
  /** Greatest discharge power, and in `discharge` the power given; default: full power. */
  dischargeCapKw?: number;
  /** Greatest power at which PV surplus is stored; default: full power. */
  chargeCapKw?: number;
  /** Feed-in is curtailed above this power; left out or null: only the connection limits it. */
  feedInLimitKw?: number | null;
}

/** A stretch of time with constant load and PV power. */
export interface InverterStep {
  minutes: number;
  loadKwh: number;
  pvKwh: number;
}

/** AC energies of the step, kWh. `load + charge + export = pv - curtailed + discharge + import`. */
export interface InverterFlows {
  chargeKwh: number;
  dischargeKwh: number;
  importKwh: number;
  exportKwh: number;
  curtailedKwh: number;
  socEndKwh: number;
}

/** Above any power, kW; unlike Infinity it may be multiplied by 0. */
const NO_LIMIT = 1e9;

/**
 * AC energy that self-consumption control moves in a step, kWh: positive stores surplus (`netKwh` below 0), negative
 * serves a deficit. Caps are energies of the step. Nothing is charged above the band and nothing is taken from below it.
 */
export function selfConsumptionKwh(
  netKwh: number,
  socKwh: number,
  caps: { chargeKwh: number; dischargeKwh: number },
  storage: StorageLimits,
): number {
  if (netKwh < 0) {
    const room = (storage.maxSocKwh - socKwh) / storage.chargeEfficiency;
    return Math.max(0, Math.min(-netKwh, caps.chargeKwh, room));
  }
  const stored = (socKwh - storage.minSocKwh) * storage.dischargeEfficiency;
  return -Math.max(0, Math.min(netKwh, caps.dischargeKwh, stored));
}

/** Stored energy after an AC energy has gone in (positive) or out (negative), kWh. */
export function socAfter(socKwh: number, acKwh: number, storage: StorageLimits): number {
  return acKwh >= 0
    ? socKwh + acKwh * storage.chargeEfficiency
    : socKwh + acKwh / storage.dischargeEfficiency;
}

/**
 * What a self-consumption inverter does in one step, kWh:
 *
 * - `free` stores PV surplus and serves the deficit; `hold` does not serve the deficit; `block` does not store surplus;
 *   `standby` does neither.
 * - `charge` charges at `chargePowerKw` up to `stopSocKwh` and imports the load; PV surplus is stored in any case.
 * - `discharge` gives `dischargeCapKw`, beyond the load into the grid up to the feed-in limit, and stores nothing.
 *
 * Charging from the grid never causes or adds to a breach of the import limit. What may not be fed in is curtailed.
 */
export function inverterStep(input: {
  storage: StorageLimits;
  connection?: ConnectionLimits;
  command: InverterCommand;
  step: InverterStep;
  socKwh: number;
}): InverterFlows {
  const { storage, connection = {}, command, step, socKwh } = input;
  const hours = step.minutes / 60;
  const netKwh = step.loadKwh - step.pvKwh;
  const feedInKwh = hours * Math.min(connection.exportLimitKw ?? NO_LIMIT, command.feedInLimitKw ?? NO_LIMIT);
  const caps = {
    chargeKwh:
      command.mode === "block" || command.mode === "standby" || command.mode === "discharge"
        ? 0
        : hours * Math.min(storage.maxChargePowerKw, command.chargeCapKw ?? Infinity),
    dischargeKwh:
      command.mode === "hold" || command.mode === "standby" || command.mode === "charge"
        ? 0
        : hours * Math.min(storage.maxDischargePowerKw, command.dischargeCapKw ?? Infinity),
  };
  if (command.mode === "charge") {
    return chargeFlows({ storage, connection, command, hours, netKwh, caps, feedInKwh, socKwh });
  }
  // A set discharge meets a deficit of its own power, as far as the connection takes it.
  const servedKwh =
    command.mode === "discharge" ? Math.max(netKwh, Math.min(caps.dischargeKwh, netKwh + feedInKwh)) : netKwh;
  const acKwh =
    command.mode === "discharge" && servedKwh <= 0 ? 0 : selfConsumptionKwh(servedKwh, socKwh, caps, storage);
  return flowsOf(netKwh, acKwh, socAfter(socKwh, acKwh, storage), feedInKwh);
}

/** First the charge at its power up to the stop SOC, then the surplus alone. */
function chargeFlows(input: {
  storage: StorageLimits;
  connection: ConnectionLimits;
  command: InverterCommand;
  hours: number;
  netKwh: number;
  caps: { chargeKwh: number; dischargeKwh: number };
  feedInKwh: number;
  socKwh: number;
}): InverterFlows {
  const { storage, command, hours, netKwh, caps, feedInKwh, socKwh } = input;
  const stopKwh = Math.min(command.stopSocKwh ?? storage.maxSocKwh, storage.maxSocKwh);
  const allowedKwh = (input.connection.importLimitKw ?? Infinity) * hours - netKwh;
  const wantedKwh = Math.min(storage.maxChargePowerKw, command.chargePowerKw ?? Infinity) * hours;
  const fullKwh = Math.max(0, Math.min(wantedKwh, allowedKwh));
  const surplusKwh = Math.min(Math.max(0, -netKwh), caps.chargeKwh);
  if (fullKwh - surplusKwh < 1e-12 || stopKwh - socKwh < 1e-12) {
    const acKwh = netKwh < 0 ? selfConsumptionKwh(netKwh, socKwh, caps, storage) : 0;
    return flowsOf(netKwh, acKwh, socAfter(socKwh, acKwh, storage), feedInKwh);
  }
  const share = Math.min(1, (stopKwh - socKwh) / storage.chargeEfficiency / fullKwh);
  const rest = 1 - share;
  const first = flowsOf(
    netKwh * share,
    fullKwh * share,
    socAfter(socKwh, fullKwh * share, storage),
    feedInKwh * share,
  );
  const laterKwh =
    netKwh < 0
      ? selfConsumptionKwh(
          netKwh * rest,
          first.socEndKwh,
          { ...caps, chargeKwh: caps.chargeKwh * rest },
          storage,
        )
      : 0;
  const second = flowsOf(
    netKwh * rest,
    laterKwh,
    socAfter(first.socEndKwh, laterKwh, storage),
    feedInKwh * rest,
  );
  return {
    chargeKwh: first.chargeKwh + second.chargeKwh,
    dischargeKwh: 0,
    importKwh: first.importKwh + second.importKwh,
    exportKwh: first.exportKwh + second.exportKwh,
    curtailedKwh: first.curtailedKwh + second.curtailedKwh,
    socEndKwh: second.socEndKwh,
  };
}

function flowsOf(netKwh: number, acKwh: number, socEndKwh: number, feedInKwh: number): InverterFlows {
  const gridKwh = netKwh + acKwh;
  const exportKwh = Math.min(Math.max(0, -gridKwh), feedInKwh);
  return {
    chargeKwh: Math.max(0, acKwh),
    dischargeKwh: Math.max(0, -acKwh),
    importKwh: Math.max(0, gridKwh),
    exportKwh,
    curtailedKwh: Math.max(0, -gridKwh) - exportKwh,
    socEndKwh,
  };
}
