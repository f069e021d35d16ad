import { accessDocument } from "../accounts/access.js";
import { EXAMPLE_ACCESS } from "./contract.js";
import { deviceSchedulesDocument } from "./documents/device-schedules.js";
import { localZone } from "./horizon.js";
import { notAvailable } from "./not-available.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";
import { deviceSchedulesResponse, notAvailableAnswer } from "./windows-schema.js";

/** GET /v1/plant/device-schedules (docs/spec/http-api.md section 11). */
export function deviceSchedulesOperation(services: Services): Operation {
  return {
    method: "GET",
    path: "/v1/plant/device-schedules",
    purpose: "The schedule of each flexible device of the plant, from its last request or from its settings.",
    schema: { type: "object", properties: {} },
    contract: {
      tag: "plant",
      example: {},
      answer: {
        schema: "device_schedules_v1",
        issued_at: "2026-01-15T18:00:00+01:00",
        access: EXAMPLE_ACCESS,
        recipes: [],
      },
    },
    response: deviceSchedulesResponse,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: ({ access, now }) => {
      if (access.site === undefined) throw notAvailable("The list of device schedules");
      return deviceSchedulesDocument(services.flex.current(access.site.id), {
        now,
        zone: localZone(services, access),
        access: accessDocument(access),
      });
    },
  };
}
