import type { Site } from "../config/site.js";
import type { DeviceFault } from "../core/domain/actuator.js";
import type { LiveState } from "../core/domain/sample.js";
import type { DeviceCommands } from "./device-commands.js";
import type { Pace } from "./device-pace.js";
import type { StateEffect } from "./effect.js";
import type { DeviceCommand, MachineState } from "./machine/device-state.js";

/** What is measured of a battery. */
export interface BatteryPowers {
  /** Positive while charging. */
  powerKw: number;
  at: Date;
  socPct: number | undefined;
  /** PV power less the load. */
  surplusKw: number | undefined;
  /** Where the settings end charging and discharging, %. */
  minSocPct: number;
  maxSocPct: number;
}

/** Why the measured power does not show the state, probably. */
export type EffectFault = Extract<
  DeviceFault,
  "effect_full" | "effect_empty" | "effect_cold" | "effect_grid_charge" | "effect_other"
>;

/** A state that the measured power does not show. */
export interface EffectMiss {
  fault: EffectFault;
  message: string;
  atMs: number;
}

/** Share of the commanded power that shows it. */
const LEAST_SHARE = 0.3;
/** Power below this is none: what inverter and battery use themselves, kW. */
const NONE_KW = 0.2;
/** A battery takes and gives less near the ends of its band, %. */
const EDGE_PCT = 2;
/** A deviation counts once readings have shown it for this time. */
const LASTING_MS = 20_000;
/** An older reading shows nothing of now. */
const OLDEST_MS = 2 * 60_000;
/** Until the state must show itself, and while it does not, the battery is looked at this often. */
const LOOK_MS = 10_000;

/** Time in which the battery follows a command at least; a controller between needs that in which it applies commands. */
const SETTLE_MS = 30_000;

interface EffectProofOptions {
  device: Pick<DeviceCommands, "effect" | "isAppliedByAnother">;
  pace: Pick<Pace, "settleMs" | "appliedMs">;
  /** Left out: nothing is measured. */
  measured?: (() => BatteryPowers | undefined) | undefined;
  /** The state does not show itself, as a line of the log. */
  note?(state: string, text: string): void;
}

/** Compares the measured power of a battery with the state that it has been set to, from a while after the command on. */
export class EffectProof {
  readonly #options: EffectProofOptions;
  readonly #settleMs: number;
  #command: { state: string; powerKw: number; sinceMs: number } | undefined;
  #missingSinceMs: number | undefined;
  #miss: EffectMiss | undefined;
  #isShown = false;

  constructor(options: EffectProofOptions) {
    this.#options = options;
    const { device, pace } = options;
    this.#settleMs = Math.max(pace.settleMs, SETTLE_MS, device.isAppliedByAnother ? pace.appliedMs : 0);
  }

  /** Undefined: the power shows the state, or it cannot be said. */
  get miss(): EffectMiss | undefined {
    return this.#miss;
  }

  /** When the battery is to be looked at again; Infinity: with the next change. */
  lookAtMs(nowMs: number): number {
    if (this.#command === undefined || this.#isShown || this.#options.measured === undefined) return Infinity;
    return Math.max(nowMs + LOOK_MS, this.#command.sinceMs + this.#settleMs);
  }

  /** Compares what is measured with what a device is set to; whether the answer has changed. */
  watch({ stand, owned }: Pick<MachineState, "stand" | "owned">, nowMs: number): boolean {
    const before = this.#miss?.fault;
    const isSet =
      stand.kind === "holding" ||
      stand.kind === "doubting" ||
      ("isRepetition" in stand && stand.isRepetition);
    const command = isSet && owned?.isConfirmed ? owned : undefined;
    const miss = this.observe(command, this.#options.measured?.(), nowMs);
    if (miss !== undefined && miss.fault !== before) this.#options.note?.(command?.state ?? "", miss.message);
    return miss?.fault !== before;
  }

  /** `command`: what the device has; undefined: it is left to itself, or something is being sent. */
  observe(
    command: DeviceCommand | undefined,
    measured: BatteryPowers | undefined,
    nowMs: number,
  ): EffectMiss | undefined {
    const before = this.#command;
    if (command === undefined || this.#options.device.effect(command.state) === undefined) {
      this.#begin(undefined);
      return undefined;
    }
    if (before === undefined || !isNearlySame(before, command)) this.#begin({ ...command, sinceMs: nowMs });
    const { sinceMs } = this.#command!;
    if (measured === undefined || nowMs - measured.at.getTime() > OLDEST_MS) return this.#miss;
    if (measured.at.getTime() < sinceMs + this.#settleMs) return this.#miss;
    const fault = effectFault(command, this.#options.device.effect(command.state)!, measured);
    this.#isShown = fault === undefined;
    if (fault === undefined) {
      this.#missingSinceMs = undefined;
      this.#miss = undefined;
      return undefined;
    }
    this.#missingSinceMs ??= measured.at.getTime();
    if (measured.at.getTime() - this.#missingSinceMs >= LASTING_MS)
      this.#miss = { fault, message: textOf(command, measured), atMs: this.#miss?.atMs ?? nowMs };
    return this.#miss;
  }

  #begin(command: { state: string; powerKw: number; sinceMs: number } | undefined): void {
    this.#command = command;
    this.#missingSinceMs = undefined;
    this.#miss = undefined;
    this.#isShown = false;
  }
}

/** Whether both are one command: a set-point that follows the load changes a little with each reading. */
function isNearlySame(one: { state: string; powerKw: number }, other: DeviceCommand): boolean {
  const most = Math.max(one.powerKw, other.powerKw);
  return one.state === other.state && Math.abs(one.powerKw - other.powerKw) <= LEAST_SHARE * most;
}

function textOf({ state, powerKw }: DeviceCommand, { powerKw: kw, socPct }: BatteryPowers): string {
  const wanted = powerKw > 0 ? `${state} ${powerKw.toFixed(1)} kW` : state;
  const soc = socPct === undefined ? "" : ` at ${Math.round(socPct)} %`;
  const does =
    Math.abs(kw) < 0.05 ? "0 kW" : `${kw > 0 ? "charging" : "discharging"} ${Math.abs(kw).toFixed(1)} kW`;
  return `${wanted}: measured ${does}${soc}`;
}

/** The probable cause why the measured power does not show a state; undefined: it shows it, or it cannot be said. */
export function effectFault(
  { state, powerKw, socStopPct }: DeviceCommand,
  effect: StateEffect,
  measured: BatteryPowers,
): EffectFault | undefined {
  const { powerKw: kw, socPct, minSocPct, maxSocPct, surplusKw } = measured;
  if (state === "charge") {
    // A device that charges with its own power may have a lower one.
    if (kw >= (effect.setsPower ? Math.max(LEAST_SHARE * powerKw, 0.05) : NONE_KW)) return undefined;
    if (socPct !== undefined && socPct >= Math.min(socStopPct, maxSocPct) - EDGE_PCT)
      return socStopPct < maxSocPct ? undefined : "effect_full";
    if (kw < -NONE_KW) return "effect_other";
    // PV is not stored either: the battery itself refuses.
    if (surplusKw !== undefined && surplusKw > NONE_KW && kw < LEAST_SHARE * surplusKw) return "effect_cold";
    return "effect_grid_charge";
  }
  if (state === "discharge") {
    if (-kw >= Math.max(LEAST_SHARE * powerKw, 0.05)) return undefined;
    if (kw > NONE_KW) return "effect_other";
    return socPct !== undefined && socPct <= minSocPct + EDGE_PCT ? "effect_empty" : "effect_other";
  }
  if (state === "cap") return -kw > powerKw * (1 + LEAST_SHARE) + NONE_KW ? "effect_other" : undefined;
  if (!effect.servesLoad && kw < -NONE_KW) return "effect_other";
  // A battery below its minimum is recharged by the inverter itself.
  const isLow = socPct !== undefined && socPct <= minSocPct;
  return !effect.storesPv && kw > NONE_KW && !isLow ? "effect_other" : undefined;
}

/** The measured power of a site's battery with what explains it; undefined without a reading, or of a site that was removed. */
export function batteryPowers(site: Site | undefined, live: () => LiveState): BatteryPowers | undefined {
  const battery = site?.plant.battery;
  if (battery === undefined || battery === null) return undefined;
  const { battery_power_kw: power, soc_pct, pv_power_kw: pv, load_power_kw: load } = live();
  if (power === undefined) return undefined;
  return {
    powerKw: power.value,
    at: power.at,
    socPct: soc_pct?.value,
    surplusKw: pv === undefined || load === undefined ? undefined : pv.value - load.value,
    minSocPct: battery.min_soc_pct,
    maxSocPct: battery.max_soc_pct,
  };
}
