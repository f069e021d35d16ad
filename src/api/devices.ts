import { DEVICE_STATES } from "../core/domain/device-state.js";
import { QUALITIES } from "../equipment/reading/kept-reading.js";
import { COMMAND_STATES } from "../equipment/reading/view.js";
import { devicesDocument } from "./documents/devices.js";
import { localZone } from "./horizon.js";
import type { Operation } from "./operation.js";
import { objectOf, timeSchema } from "./schemas.js";
import type { Services } from "./services.js";

const nullable = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const text = { type: "string" } as const;
const number = { type: "number" } as const;
const time = nullable(timeSchema);
const values = { type: "object", additionalProperties: number } as const;
const faultSchema = nullable(objectOf({ code: text, message: text, at: timeSchema }));

const readingSchema = objectOf({
  value: nullable(number),
  unit: text,
  quality: {
    enum: QUALITIES,
    description:
      "good and derived: a value of now; held: the last known one; implausible: not possible after the last one; missing: not known.",
  },
  at: time,
  age_s: nullable(number),
  raw: { type: ["number", "string", "null"], description: "As the device gave it." },
});

const deviceSchema = objectOf({
  id: text,
  name: text,
  template: text,
  experimental: { type: "boolean" },
  state: { enum: DEVICE_STATES },
  reason: nullable(text),
  address: text,
  reads: { type: "array", items: text },
  controls: nullable(text),
  dry_run: { type: "boolean" },
  fallback: { type: "boolean" },
  poll_s: number,
  read_at: time,
  age_s: nullable(number),
  identity: { type: "object", additionalProperties: text },
  facts: values,
  readings: { type: "object", additionalProperties: readingSchema },
  command: nullable(
    objectOf({
      planned: nullable(text),
      power_kw: nullable(number),
      confirmed: nullable(text),
      state: { enum: COMMAND_STATES },
      since: time,
      writes_today: number,
      last_error: faultSchema,
    }),
  ),
  counts: objectOf({ reads: number, failures: number, implausible: number, writes: number }),
  last_error: faultSchema,
});

/** GET /v1/plant/devices (docs/devices.md). */
export function devicesOperation(services: Services): Operation {
  return {
    method: "GET",
    path: "/v1/plant/devices",
    purpose: "The devices of the plant: their readings with age and quality, state, and commands.",
    schema: { type: "object", properties: {} },
    contract: {
      tag: "plant",
      description: "Without the key of a plant the list is empty.",
      example: {},
      answer: { schema: "devices_v1", time: "2026-01-15T18:00:00+01:00", devices: [] },
    },
    response: objectOf({
      schema: { const: "devices_v1" },
      time: timeSchema,
      devices: { type: "array", items: deviceSchema },
    }),
    quotaClass: () => "decision",
    run: ({ access, now }) =>
      devicesDocument(access.site === undefined ? [] : services.devices.list(access.site.id), {
        now,
        zone: localZone(services, access),
      }),
  };
}
