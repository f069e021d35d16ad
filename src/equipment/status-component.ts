import type { ActuatorPhase } from "../core/domain/actuator.js";
import type { ComponentHealth } from "../core/health-registry.js";
import type { ActuatorStatus } from "./status.js";

const DEGRADED: readonly ActuatorPhase[] = ["failed", "offline", "conflict", "misconfigured"];

/** The state of an actuator as a component of the status page. */
export function actuatorComponent(status: ActuatorStatus): Pick<ComponentHealth, "state" | "detail"> {
  const { phase, confirmed, wanted, lastError, externalUntil } = status;
  const fault = lastError?.fault ?? "not_confirmed";
  const shown = { phase, state: (confirmed ?? wanted)?.state ?? null, until: externalUntil };
  return {
    state: DEGRADED.includes(phase) || lastError !== null ? "degraded" : "ok",
    detail: [
      { code: "actuator_phase", ...shown },
      ...(lastError === null ? [] : [{ code: "actuator_error" as const, fault, message: lastError.message }]),
    ],
  };
}
