import { accessDocument } from "../accounts/access.js";
import { FairTurns } from "../core/work/fair-turns.js";
import { WorkError } from "../core/work/work-error.js";
import { PlanInputError, type PlanOverrides } from "../plan/overrides.js";
import type { SitePlan } from "../plan/site-plan.js";
import { recipeDocument } from "./documents/device-schedules.js";
import { hoursDemandDocument } from "./documents/hours-demand.js";
import { localZone } from "./horizon.js";
import {
  type HoursDemandRequest,
  hoursDemandReduced,
  hoursDemandRequest,
  hoursDemandResponse,
} from "./hours-demand-schema.js";
import { createInputReader, invalidParameter } from "./input.js";
import { localeLanguage } from "./language.js";
import { notAvailable, notReady } from "./not-available.js";
import type { Call, Caller, Document, Operation } from "./operation.js";
import { tooManyAtOnce } from "./quota-exceeded.js";
import type { Services } from "./services.js";
import { storeTelemetry, type TelemetryInput, telemetryReader, telemetryResponse } from "./telemetry.js";

/** With mode telemetry the body is telemetry; otherwise it contains values for a plan. */
export type HoursDemandInput =
  | { mode: "telemetry"; telemetry: TelemetryInput }
  | { mode?: "decide"; request: HoursDemandRequest };

/** Calls of an account that may wait while one is computed. */
const WAITING_PER_ACCOUNT = 100;

/** POST /v1/decision/hours-demand (docs/spec/http-api.md section 8). */
export function hoursDemandOperation(services: Services): Operation<HoursDemandInput> {
  const readTelemetry = telemetryReader(services);
  const readRequest = createInputReader(hoursDemandRequest);
  const turns = new FairTurns(WAITING_PER_ACCOUNT);
  return {
    method: "POST",
    path: "/v1/decision/hours-demand",
    purpose: "Hours of charging needed, and which, from battery, load and PV; with mode telemetry ingest.",
    schema: hoursDemandRequest,
    contract: {
      tag: "planning",
      description:
        "Without values the plan in force; with values a plan for them, which changes nothing. With mode telemetry the body is that of POST /v1/plant/telemetry, and so is the answer.",
      example: { battery: { soc_pct: 40 }, load: { daily_kwh: 12 }, timezone: "Europe/Vienna" },
    },
    response: hoursDemandResponse,
    otherResponse: telemetryResponse,
    reduced: hoursDemandReduced,
    quotaClass: (input) => (input.mode === "telemetry" ? "telemetry" : "decision"),
    read: (raw: Record<string, unknown>, caller: Caller) => {
      if (Object.hasOwn(raw, "mode") && raw.mode === "telemetry") {
        return { mode: "telemetry", telemetry: readTelemetry(raw, caller) };
      }
      const request = readRequest(raw) as HoursDemandRequest;
      checkBand(request);
      return { request };
    },
    run: (call) => {
      const { input, ...caller } = call;
      if (input.mode === "telemetry") return storeTelemetry(services, { ...caller, input: input.telemetry });
      return decide(services, turns, { ...caller, input: input.request });
    },
  };
}

async function decide(
  services: Services,
  turns: FairTurns,
  { access, input, now }: Call<HoursDemandRequest>,
): Promise<Document> {
  const { site, accountId } = access;
  if (site === undefined) throw notAvailable("The hours demand");
  if (services.forecast.current() === undefined) throw notReady();
  const overrides = overridesOf(input);
  const isComputed = Object.keys(overrides).length > 0;
  // A reading sent just before must be in the answer, and in what is published.
  if (!isComputed) services.plans.settle(site.id);
  const planNow = () => planFor(services, site.id, overrides);
  const plan = isComputed ? await inTurn(turns, { owner: accountId ?? site.id, now }, planNow) : planNow();
  const zone = input.timezone ?? localZone(services, access);
  return hoursDemandDocument(plan, {
    zone,
    baseUrl: services.baseUrl,
    language: localeLanguage(input.locale),
    recipes: services.flex.current(site.id).map((plan) => recipeDocument(plan, { now, zone })),
    access: accessDocument(access),
    otherValues: givenFields(input),
  });
}

/** A plan for other values takes some ten milliseconds: the accounts are served in turn. */
async function inTurn(
  turns: FairTurns,
  { owner, now }: { owner: string; now: Date },
  job: () => SitePlan,
): Promise<SitePlan> {
  try {
    return await turns.run(owner, job);
  } catch (error) {
    if (!(error instanceof WorkError)) throw error;
    const message = `${WAITING_PER_ACCOUNT} calls of this account are waiting: send the next one after an answer.`;
    throw tooManyAtOnce(message, { limit: WAITING_PER_ACCOUNT, scope: "account", seconds: 1, now });
  }
}

/** Names of the fields that replace a known value, such as `battery.soc_pct`. */
function givenFields({ battery, load, pv }: HoursDemandRequest): string[] {
  return Object.entries({ battery, load, pv }).flatMap(([part, fields = {}]) =>
    Object.keys(fields).map((name) => `${part}.${name}`),
  );
}

/** The plan; if several fields are missing, the error names each of them. */
function planFor(services: Services, siteId: string, overrides: PlanOverrides): SitePlan {
  try {
    return services.plans.decide(siteId, overrides);
  } catch (error) {
    if (error instanceof PlanInputError && error.problems.length > 1) {
      throw invalidParameter([...error.problems]);
    }
    throw error;
  }
}

/** Rejects a request with both ends of the SOC band in the wrong order, independent of the plant's settings. */
function checkBand({ battery }: HoursDemandRequest): void {
  if (battery?.min_soc_pct === undefined || battery.max_soc_pct === undefined) return;
  if (battery.min_soc_pct < battery.max_soc_pct) return;
  const message = "battery.min_soc_pct must be below battery.max_soc_pct.";
  throw invalidParameter([
    { field: "battery.min_soc_pct", message },
    { field: "battery.max_soc_pct", message },
  ]);
}

/** Maps the request's fields to the planner's; only given fields. */
function overridesOf({ battery, load, pv }: HoursDemandRequest): PlanOverrides {
  const given = {
    socPct: battery?.soc_pct,
    capacityKwh: battery?.capacity_kwh,
    minSocPct: battery?.min_soc_pct,
    maxSocPct: battery?.max_soc_pct,
    maxChargePowerKw: battery?.max_charge_power_kw,
    maxDischargePowerKw: battery?.max_discharge_power_kw,
    efficiencyPct: battery?.efficiency_pct,
    gridChargeAllowed: battery?.grid_charge_allowed,
    loadPowerKw: load?.power_kw,
    loadDailyKwh: load?.daily_kwh,
    loadHourlyKwh: load?.hourly_kwh,
    evPowerKw: load?.ev_power_kw,
    pvPowerKw: pv?.power_kw,
    pvDailyKwh: pv?.daily_kwh,
    pvHourlyKwh: pv?.hourly_kwh,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
