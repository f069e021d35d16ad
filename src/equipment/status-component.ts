import type { ActuatorFault, ActuatorPhase } from "../core/domain/actuator.js";
import type { FollowingObstacle } from "../core/domain/battery.js";
import type { ComponentHealth } from "../core/health-registry.js";
import type { ActuatorStatus } from "./status.js";

const DEGRADED: readonly ActuatorPhase[] = [
  "failed",
  "offline",
  "external",
  "conflict",
  "standby",
  "misconfigured",
];

/** Why an actuator does not switch its device, for notifications. */
export function actuatorFault({
  phase,
  lastError,
}: Pick<ActuatorStatus, "phase" | "lastError">): ActuatorFault {
  if (phase === "external") return "external";
  return lastError?.fault ?? (phase === "offline" ? "offline" : "not_confirmed");
}

/** A battery that is full or empty does what it can. */
const AT_ITS_END: readonly string[] = ["effect_full", "effect_empty"] satisfies ActuatorFault[];

/** Why the device of an actuator cannot follow the plan; undefined: nothing is known against it. */
export function obstacleOf({
  phase,
  lastError,
}: Pick<ActuatorStatus, "phase" | "lastError">): FollowingObstacle | undefined {
  if (lastError !== null && AT_ITS_END.includes(lastError.fault)) return undefined;
  return phase === "external" || phase === "offline" || phase === "declined" ? phase : undefined;
}

/** The state of an actuator as a component of the status page. */
export function actuatorComponent(status: ActuatorStatus): Pick<ComponentHealth, "state" | "detail"> {
  const { phase, confirmed, accepted, wanted, lastError, externalUntil, wait, neighbours } = status;
  const fault = lastError?.fault ?? "not_confirmed";
  const shown = { phase, state: (confirmed ?? accepted ?? wanted)?.state ?? null, until: externalUntil };
  return {
    state:
      DEGRADED.includes(phase) || (lastError !== null && !AT_ITS_END.includes(fault)) ? "degraded" : "ok",
    detail: [
      { code: "actuator_phase", ...shown },
      ...(wait?.for === "dwell" || wait?.for === "budget"
        ? [{ code: "actuator_wait" as const, for: wait.for, until: wait.until }]
        : []),
      ...(status.isExperimental && status.dryRun ? [{ code: "actuator_experimental" as const }] : []),
      ...neighbours.map((texts) => ({ code: "actuator_neighbour" as const, ...texts })),
      ...(lastError === null ? [] : [{ code: "actuator_error" as const, fault, message: lastError.message }]),
    ],
  };
}
