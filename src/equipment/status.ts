import type { ActuatorFault, ActuatorPhase } from "../core/domain/actuator.js";
import type { ActuatorState } from "./states.js";

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
  /** What hourgate has set and the device has shown. */
  confirmed: { state: string; powerKw: number; at: Date } | null;
  lastError: { fault: ActuatorFault; message: string; at: Date } | null;
  writesToday: number;
  maxWritesPerDay: number;
  externalUntil: Date | null;
  /** Next attempt of a failed command. */
  retryAt: Date | null;
  /** The states that a test can send. */
  states: readonly ActuatorState[];
}

export const LOG_EVENTS = [
  "sent",
  "would_send",
  "confirmed",
  "declined",
  "failed",
  "external",
  "released",
  "enabled",
  "disabled",
] as const;

/** One line of an actuator's log; `text` has no secrets. */
export interface ActuatorLogEntry {
  at: Date;
  event: (typeof LOG_EVENTS)[number];
  state: string;
  text: string;
}
