import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { slotNumber } from "../core/domain/slot.js";
import { parseTime } from "../core/time/zone.js";
import { WorkError } from "../core/work/work-error.js";
import { BATTERY_OVERRIDE_ACTIONS, type BatteryOverrideAction } from "../plan/battery-override.js";
import type { TriedOverride } from "../plan/windows/apply-override.js";
import { OVERRIDE_ACTIONS, type OverrideAction, type OverrideRequest } from "../plan/windows/override.js";
import { FlexInputError } from "../plan/windows/request.js";
import { DOCUMENTED_TIME } from "./contract.js";
import { batteryOverrideDocument } from "./documents/battery-override.js";
import { deviceSchedulesDocument, recipeDocument } from "./documents/device-schedules.js";
import { batteryCostDocument, deviceCostDocument } from "./documents/override-cost.js";
import { slotNotAssigned } from "./errors.js";
import { localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Call, Document, Operation } from "./operation.js";
import { tooManyAtOnce } from "./quota-exceeded.js";
import { timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";
import { bodySlotId, deviceOverridesResponse, notAvailableAnswer } from "./windows-schema.js";

/** `slot_id` of the battery. */
const BATTERY = "battery";
/** What a device and a battery can be overridden with. */
const ACTIONS = [...new Set([...OVERRIDE_ACTIONS, ...BATTERY_OVERRIDE_ACTIONS])];

/** Members that do not go together, for openapi.json. */
const CONTRADICTIONS = [
  {
    properties: { slot_id: { const: BATTERY }, override: { not: { enum: BATTERY_OVERRIDE_ACTIONS } } },
    required: ["slot_id", "override"],
  },
  {
    properties: { slot_id: { not: { const: BATTERY } }, override: { not: { enum: OVERRIDE_ACTIONS } } },
    required: ["slot_id", "override"],
  },
  {
    properties: { override: { not: { enum: ["charge", "target"] } } },
    required: ["override", "target_soc_pct"],
  },
  {
    properties: { override: { not: { enum: ["target", "surplus"] } } },
    required: ["override", "min_soc_pct"],
  },
  { properties: { override: { not: { const: "guest" } } }, required: ["override", "energy_kwh"] },
  {
    properties: { override: { const: "guest" } },
    required: ["override"],
    not: { required: ["energy_kwh"] },
  },
  { properties: { override: { const: "full" } }, required: ["override"], not: { required: ["until"] } },
];

/** The members of a request. */
const overrideRequest = {
  type: "object",
  properties: {
    slot_id: {
      ...bodySlotId,
      description:
        "Required. Slot of the plant's settings: 3, wallbox_3 and O3 all name slot 3 of 1 to 8. battery: the plant's battery, with several all of them together.",
    },
    override: {
      type: "string",
      description:
        "Required. run: on immediately. skip: off. full: the device's demand by the time in until. target: the vehicle has target_soc_pct by the time in until. surplus: the vehicle is charged from PV surplus only. guest: another vehicle gets energy_kwh by the time in until. charge: the battery charges to target_soc_pct. hold: the battery is not discharged. auto: no override.",
    },
    until: {
      type: "string",
      maxLength: 64,
      description:
        "ISO 8601 time at which the override ends, at most 7 days ahead; required for full. Default: the end of the current window, at most 24 hours ahead; for target and surplus the next departure; for guest and the battery 24 hours ahead.",
    },
    target_soc_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      description:
        "Percent. charge: state of charge at which it ends; default: max_soc_pct of the plant's settings. target: state of charge of the vehicle at the time in until; default: that of its settings.",
    },
    min_soc_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      description:
        "Only for target and surplus: up to this state of charge the vehicle is charged immediately, percent. Default: that of its settings.",
    },
    energy_kwh: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 1000,
      description: "Required for guest, and only for it: energy for the vehicle, at the wallbox.",
    },
    preview: {
      type: "boolean",
      description:
        "true: nothing changes; the answer has the schedule in force, in cost what the override would cost, and for a device in preview the schedule as the override would plan it.",
    },
    timezone: timezoneSchema,
  },
} as const;

type OverrideInput = FromSchema<typeof overrideRequest>;

/** POST /v1/plant/device-overrides (docs/spec/http-api.md section 13). */
export function deviceOverridesOperation(services: Services): Operation<OverrideInput> {
  return {
    method: "POST",
    path: "/v1/plant/device-overrides",
    purpose:
      "Override the schedule of a flexible device until a time: run now, skip, or full by then; for a vehicle a target, only PV surplus, or a guest; or the plan of the battery: charge to a state of charge, or hold.",
    schema: overrideRequest,
    contract: {
      tag: "plant",
      keywords: {
        required: ["slot_id", "override"],
        not: { anyOf: CONTRADICTIONS },
      },
      members: {
        slot_id: { pattern: "^(?:(?:wallbox_|O)?[1-8]|battery)$" },
        override: { enum: ACTIONS },
        until: DOCUMENTED_TIME,
      },
      example: { slot_id: 3, override: "run" },
    },
    response: deviceOverridesResponse,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: (call) => override(services, call),
  };
}

async function override(services: Services, { access, input, now }: Call<OverrideInput>): Promise<Document> {
  const { site } = access;
  if (site === undefined) throw notAvailable("The override of a device");
  const zone = input.timezone ?? localZone(services, access);
  const isBattery = input.slot_id === BATTERY;
  const actions: readonly string[] = isBattery ? BATTERY_OVERRIDE_ACTIONS : OVERRIDE_ACTIONS;
  const slot = slotNumber(/^(?:wallbox_|O)?([1-8])$/.exec(String(input.slot_id ?? "").trim())?.[1]);
  const until = input.until === undefined ? undefined : parseTime(input.until, zone);
  const problems = [
    ...(slot === undefined && !isBattery
      ? [
          {
            field: "slot_id",
            message: "slot_id must name a slot from 1 to 8, such as 3, wallbox_3 or O3, or be battery.",
          },
        ]
      : []),
    ...(input.override === undefined || !actions.includes(input.override)
      ? [
          {
            field: "override",
            message: `override must be one of ${actions.join(", ")} for ${isBattery ? "the battery" : "a device"}.`,
          },
        ]
      : []),
    ...(isBattery
      ? (["min_soc_pct", "energy_kwh"] as const)
          .filter((field) => input[field] !== undefined)
          .map((field) => ({ field, message: `${field} does not apply to the battery; leave it out.` }))
      : input.target_soc_pct !== undefined && input.override !== "target"
        ? [
            {
              field: "target_soc_pct",
              message: "target_soc_pct applies to target and to the battery; leave it out.",
            },
          ]
        : []),
    ...(input.until !== undefined && until === undefined
      ? [{ field: "until", message: "until must be an ISO 8601 time such as 2026-01-15T06:00:00+01:00." }]
      : []),
  ];
  if (problems.length > 0) throw invalidParameter(problems);
  const { preview = false } = input;
  if (isBattery) {
    const request = {
      action: input.override as BatteryOverrideAction,
      until,
      targetSocPct: input.target_soc_pct,
    };
    const cost = batteryCostDocument(await services.plans.overrideCostEur(site.id, request));
    if (!preview) await services.plans.override(site.id, request);
    const battery = batteryOverrideDocument(services.plans.current(site.id), zone);
    return { ...deviceSchedulesDocument([], { now, zone, access: accessDocument(access) }), battery, cost };
  }
  if (services.flex.sites.of(site.id).settings(slot!) === undefined) throw slotNotAssigned(slot!);
  const request: OverrideRequest = {
    action: input.override as OverrideAction,
    until,
    targetSocPct: input.target_soc_pct,
    minSocPct: input.min_soc_pct,
    energyKwh: input.energy_kwh,
  };
  let tried: TriedOverride | undefined;
  try {
    tried = await triedOverride(services, { siteId: site.id, slot: slot!, request, preview, now });
    if (!preview) await services.flex.sites.of(site.id).override(slot!, request);
  } catch (error) {
    if (error instanceof FlexInputError)
      throw invalidParameter([{ field: error.field, message: error.message }]);
    throw error;
  }
  const plans = services.flex.current(site.id).filter((plan) => plan.slot === slot);
  return {
    ...deviceSchedulesDocument(plans, { now, zone, access: accessDocument(access) }),
    cost: deviceCostDocument(tried?.cost),
    ...(preview && tried && { preview: recipeDocument(tried.plan, { now, zone }) }),
  };
}

/** An override that is to be set does not wait for a planner that is busy: its cost is then not known. */
async function triedOverride(
  services: Services,
  {
    siteId,
    slot,
    request,
    preview,
    now,
  }: { siteId: string; slot: number; request: OverrideRequest; preview: boolean; now: Date },
): Promise<TriedOverride | undefined> {
  try {
    return await services.devicePlans.tryOverride(siteId, slot, request);
  } catch (error) {
    if (!(error instanceof WorkError)) throw error;
    if (!preview) return undefined;
    const message = "Another override of this plant is being planned: send this one after its answer.";
    throw tooManyAtOnce(message, { limit: 1, scope: "api_key", seconds: 1, now });
  }
}
