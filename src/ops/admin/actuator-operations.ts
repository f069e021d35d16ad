import { DeviceError } from "../../equipment/command.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import type { TrialResult } from "../../equipment/trials.js";
import { textsOf } from "../../texts/index.js";
import { AdminError, type AdminServices, adminOperation, name, textField } from "./operation.js";

/** Commands for the devices that the gateway switches. */
export const actuatorOperations = {
  "actuator list": adminOperation({ optional: { site: name } }, async (services, { site }) => ({
    actuators: running(services).list(site).map(actuatorDocument),
  })),

  "actuator test": adminOperation(
    {
      required: { id: name, state: name },
      optional: { site: name, power_kw: { ...textField, pattern: "^\\d{1,4}(\\.\\d{1,3})?$" } },
    },
    async (services, { id, state, site, power_kw }) => {
      const siteId = siteOf(services, id, site);
      try {
        const outcome = await running(services).test(
          siteId,
          id,
          state,
          power_kw === undefined ? {} : { powerKw: Number(power_kw) },
        );
        return { site_id: siteId, id, state, outcome, error: null };
      } catch (error) {
        if (!(error instanceof DeviceError)) throw refusal(error);
        return { site_id: siteId, id, state, outcome: "failed", error: error.message };
      }
    },
  ),

  "devices test": adminOperation(
    {
      required: { id: name },
      optional: { site: name, power_kw: { ...textField, pattern: "^\\d{1,4}(\\.\\d{1,3})?$" } },
    },
    async (services, { id, site, power_kw }, signal) => {
      const siteId = siteOf(services, id, site);
      const { experimental, dry_run } = commandsOf(services, siteId, id);
      if (services.trials === undefined)
        throw new AdminError("No gateway is running; start it to try its devices.");
      try {
        const result = await services.trials.run(siteId, id, {
          ...(power_kw !== undefined && { powerKw: Number(power_kw) }),
          ...(signal && { signal }),
        });
        return { site: siteId, id, experimental, dry_run, ...trialDocument(result) };
      } catch (error) {
        throw refusal(error);
      }
    },
  ),

  "actuator enable": switching(true),
  "actuator disable": switching(false),
};

function switching(enabled: boolean) {
  return adminOperation(
    { required: { id: name }, optional: { site: name } },
    async (services, { id, site }) => {
      const siteId = siteOf(services, id, site);
      const actuators = running(services);
      try {
        await actuators.setEnabled(siteId, id, enabled);
      } catch (error) {
        throw refusal(error);
      }
      return actuatorDocument(actuators.list(siteId).find((one) => one.id === id)!);
    },
  );
}

function running({ actuators }: AdminServices): NonNullable<AdminServices["actuators"]> {
  if (actuators === undefined) throw new AdminError("No gateway is running; start it to use its actuators.");
  return actuators;
}

/** The site of an actuator; it need not be given when only one site has an actuator of that id. */
function siteOf(services: AdminServices, id: string, site: string | undefined): string {
  const all = running(services).list(site);
  const [first, ...more] = all.filter((one) => one.id === id);
  if (first === undefined)
    throw new AdminError(
      `There is no actuator "${id}"; there are ${all.map((one) => `${one.siteId}/${one.id}`).join(", ") || "none"}.`,
    );
  if (more.length > 0)
    throw new AdminError(`Several sites have an actuator "${id}"; name the site with --site.`);
  return first.siteId;
}

/** The caller's error as sentence; any other error unchanged. */
function refusal(error: unknown): unknown {
  return error instanceof ActuatorInputError ? new AdminError(error.message) : error;
}

/** What is known of the commands of a device. */
function commandsOf(services: AdminServices, siteId: string, id: string) {
  const status = running(services)
    .list(siteId)
    .find((one) => one.id === id)!;
  return { experimental: status.isExperimental, dry_run: status.dryRun };
}

function trialDocument(result: TrialResult) {
  const { outcome, fault, message, wantedKw, beforeKw, measuredKw, socPct, isRestored, at } = result;
  return {
    outcome,
    fault: fault ?? null,
    message: fault === undefined ? message : `${message} ${textsOf("en").components.actuatorFaults[fault]}`,
    wanted_kw: wantedKw,
    before_kw: beforeKw ?? null,
    measured_kw: measuredKw ?? null,
    soc_pct: socPct ?? null,
    restored: isRestored,
    at: at.toISOString(),
  };
}

function actuatorDocument(status: ActuatorStatus) {
  return {
    site_id: status.siteId,
    id: status.id,
    controls: status.controls,
    template: status.template,
    transport: status.transport,
    phase: status.phase,
    enabled: status.enabled,
    dry_run: status.dryRun,
    wanted: status.wanted && { state: status.wanted.state, power_kw: status.wanted.powerKw },
    accepted: status.accepted && { state: status.accepted.state, power_kw: status.accepted.powerKw },
    confirmed: status.confirmed && {
      state: status.confirmed.state,
      power_kw: status.confirmed.powerKw,
      at: status.confirmed.at.toISOString(),
    },
    last_error: status.lastError && {
      fault: status.lastError.fault,
      message: status.lastError.message,
      at: status.lastError.at.toISOString(),
    },
    writes_today: status.writesToday,
    shown: status.shown,
    changes_at: status.wait?.for === "dwell" ? (status.wait.until?.toISOString() ?? null) : null,
    external_until: status.externalUntil?.toISOString() ?? null,
    states: status.states,
  };
}
