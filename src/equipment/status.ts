import type { ActuatorFault, ActuatorPhase } from "../core/domain/actuator.js";
import type { EffectMiss } from "./effect-proof.js";
import type { DeviceRules, MachineState } from "./machine/device-state.js";
import { phaseOf } from "./machine/phase.js";
import type { ActuatorState } from "./states.js";
import type { Wanted } from "./wanted.js";

/** The state of an actuator for status pages, topics and metrics. Contains no secrets. */
export interface ActuatorStatus {
  siteId: string;
  id: string;
  controls: string;
  template: string;
  transport: string;
  isExperimental: boolean;
  phase: ActuatorPhase;
  enabled: boolean;
  dryRun: boolean;
  /** What the plan asks for, after replacing what the device cannot do; null without a usable plan. */
  wanted: { state: string; powerKw: number } | null;
  /** What the controller of the device has accepted. */
  accepted: { state: string; powerKw: number; at: Date } | null;
  /** What hourgate has set and the device shows. */
  confirmed: { state: string; powerKw: number; at: Date } | null;
  /** The state that the device shows, if it is one of hourgate's. */
  shown: string | null;
  /** Why a change that is due waits, and until when if that is known. */
  wait: { for: "reading" | "device" | "dwell" | "budget" | "retry"; until: Date | null } | null;
  /** A control of the device's own controller that acts beside the plan, as the template states it. */
  neighbours: readonly { en: string; de: string }[];
  /** `at` of a device that has not reported its state: since when it is waited for. */
  lastError: { fault: ActuatorFault; message: string; at: Date } | null;
  writesToday: number;
  maxWritesPerDay: number;
  externalUntil: Date | null;
  /** Next attempt of a failed command. */
  retryAt: Date | null;
  /** The states that a test can send. */
  states: readonly ActuatorState[];
}

/** What the machine of a device says about itself. */
export type OwnStatus = Omit<
  ActuatorStatus,
  "siteId" | "id" | "controls" | "template" | "transport" | "isExperimental" | "states"
>;

/** The status of a machine. */
export function statusOf(
  state: MachineState,
  rules: DeviceRules,
  more: {
    enabled: boolean;
    dryRun: boolean;
    wanted: Wanted | undefined;
    writesToday: number;
    maxWritesPerDay: number;
    nowMs: number;
    /** The measured power does not show the state. */
    miss: EffectMiss | undefined;
    neighbours: readonly { en: string; de: string }[];
    redact(text: string): string;
  },
): OwnStatus {
  const { stand, owned, reading, evidence, error, wait, externalUntilMs } = state;
  const { wanted, nowMs, redact, miss, ...shown } = more;
  const told = phaseOf(state, rules);
  const isMissed = miss !== undefined && (told === "confirmed" || told === "accepted");
  const phase = isMissed ? "declined" : told;
  // What is switched off, and left to itself, has no problem.
  const fault = phase === "disabled" ? null : (error ?? (isMissed ? miss : null));
  const isRepeating = "isRepetition" in stand && stand.isRepetition;
  const isSet =
    owned?.isConfirmed === true && (stand.kind === "holding" || stand.kind === "doubting" || isRepeating);
  const set = isSet ? { state: owned.state, powerKw: owned.powerKw, at: owned.at } : null;
  const isHeard = reading?.link === "up";
  return {
    ...shown,
    phase,
    wanted: wanted === undefined ? null : { state: wanted.state, powerKw: wanted.powerKw },
    accepted: evidence === "none" && !isRepeating ? null : set,
    confirmed: told === "confirmed" && isHeard ? set : null,
    shown: isHeard ? (reading.shown ?? null) : null,
    lastError: fault && { fault: fault.fault, message: redact(fault.message), at: new Date(fault.atMs) },
    externalUntil: externalUntilMs !== null && externalUntilMs > nowMs ? new Date(externalUntilMs) : null,
    retryAt: stand.kind === "failed" && stand.untilMs > nowMs ? new Date(stand.untilMs) : null,
    wait:
      wait === undefined
        ? null
        : { for: wait.for, until: wait.untilMs === undefined ? null : new Date(wait.untilMs) },
  };
}
