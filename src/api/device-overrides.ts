import { accessDocument } from "../accounts/access.js";
import { deviceSchedulesDocument } from "../documents/device-schedules.js";
import { slotNumber } from "../domain/slot.js";
import { OVERRIDE_ACTIONS, type OverrideAction } from "../flex/override.js";
import { FlexInputError } from "../flex/request.js";
import { parseTime } from "../time/zone.js";
import { slotNotAssigned } from "./errors.js";
import { localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Call, Document, Operation } from "./operation.js";
import { timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";
import { deviceSchedulesResponse, notAvailableAnswer } from "./windows-schema.js";

interface OverrideInput {
  [field: string]: unknown;
  slot_id?: string | number;
  override?: OverrideAction;
  until?: string;
  timezone?: string;
}

/** POST /v1/plant/device-overrides (docs/spec/http-api.md section 13). */
export function deviceOverridesOperation(services: Services): Operation<OverrideInput> {
  return {
    method: "POST",
    path: "/v1/plant/device-overrides",
    purpose: "Override the schedule of a flexible device until a time: run now, skip, or full by then.",
    schema: {
      type: "object",
      properties: {
        slot_id: {
          type: ["integer", "string"],
          minimum: 1,
          maximum: 8,
          minLength: 1,
          maxLength: 20,
          description:
            "Required. Slot of the plant's settings: 3, wallbox_3 and O3 all name slot 3 of 1 to 8.",
        },
        override: {
          enum: OVERRIDE_ACTIONS,
          description:
            "Required. run: on at once. skip: off. full: the device's demand by the time in until. auto: no override.",
        },
        until: {
          type: "string",
          maxLength: 64,
          description:
            "ISO 8601 time at which the override ends, at most 7 days ahead; required for full. Default: the end of the current window, at most 24 hours ahead.",
        },
        timezone: timezoneSchema,
      },
    },
    response: deviceSchedulesResponse,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: (call) => override(services, call),
  };
}

async function override(services: Services, { access, input, now }: Call<OverrideInput>): Promise<Document> {
  const { site } = access;
  if (site === undefined) throw notAvailable("The override of a device");
  const zone = input.timezone ?? localZone(services, access);
  const slot = slotNumber(/^(?:wallbox_|O)?([1-8])$/.exec(String(input.slot_id ?? "").trim())?.[1]);
  const until = input.until === undefined ? undefined : parseTime(input.until, zone);
  const problems = [
    ...(slot === undefined
      ? [{ field: "slot_id", message: "slot_id must name a slot from 1 to 8, such as 3, wallbox_3 or O3." }]
      : []),
    ...(input.override === undefined
      ? [{ field: "override", message: `override must be one of ${OVERRIDE_ACTIONS.join(", ")}.` }]
      : []),
    ...(input.until !== undefined && until === undefined
      ? [{ field: "until", message: "until must be an ISO 8601 time such as 2026-01-15T06:00:00+01:00." }]
      : []),
  ];
  if (problems.length > 0) throw invalidParameter(problems);
  if (!services.flex.isAssigned(site.id, slot!)) throw slotNotAssigned(slot!);
  try {
    await services.flex.override(site.id, slot!, { action: input.override!, until });
  } catch (error) {
    if (error instanceof FlexInputError)
      throw invalidParameter([{ field: error.field, message: error.message }]);
    throw error;
  }
  const plans = services.flex.current(site.id).filter((plan) => plan.slot === slot);
  return deviceSchedulesDocument(plans, { now, zone, access: accessDocument(access) });
}
