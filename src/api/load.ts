import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { DAY_GROUPS, HIGHEST_KW, PART_NAMES } from "../forecast/load/load-corrections.js";
import { EXAMPLE_ACCESS } from "./contract.js";
import { loadDocument } from "./documents/load.js";
import { localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Caller, Document, Operation } from "./operation.js";
import { accessSchema, objectOf, timeSchema } from "./schemas.js";
import type { Services } from "./services.js";
import { notAvailableAnswer } from "./windows-schema.js";

const PATH = "/v1/plant/load";
const number = { type: "number" };
const maybeNumber = { type: ["number", "null"] };
const band = {
  kwh: number,
  low_kwh: { ...number, description: "Mean of the lowest quarter of what is possible." },
  high_kwh: { ...number, description: "Mean of the highest tenth." },
};

const response = objectOf({
  schema: { const: "load_v1" },
  issued_at: timeSchema,
  timezone: { type: "string" },
  learned: { type: "boolean", description: "false: less than a day is measured." },
  persistence: { ...maybeNumber, description: "How likely the load keeps its rank for an hour." },
  access: accessSchema,
  days: {
    type: "array",
    items: objectOf({
      date: { type: "string" },
      ...band,
      hours: { type: "array", items: objectOf({ start: timeSchema, ...band }) },
    }),
    description: "Today and tomorrow, without the devices that are measured apart.",
  },
  habits: {
    type: "array",
    items: objectOf({
      part: { enum: PART_NAMES },
      days: { enum: DAY_GROUPS },
      kw: { ...number, description: "Mean power, corrections included." },
      corrected_kw: { ...maybeNumber, description: "What somebody says; null: as learned." },
    }),
  },
  devices: {
    type: "array",
    items: objectOf({
      slot_id: { type: "string" },
      weekday_kwh: {
        type: "array",
        items: maybeNumber,
        description: "Mean energy by weekday, Monday first; null: not measured.",
      },
    }),
    description: "Devices that are measured apart.",
  },
});

/** GET /v1/plant/load (docs/api.md). */
export function loadOperation(services: Services): Operation {
  return {
    method: "GET",
    path: PATH,
    purpose:
      "The load that the plan expects today and tomorrow with its band, and the habits that were learned.",
    schema: { type: "object", properties: {} },
    contract: {
      tag: "plant",
      example: {},
      answer: {
        schema: "load_v1",
        issued_at: "2026-01-15T18:00:00+01:00",
        timezone: "Europe/Vienna",
        learned: false,
        persistence: null,
        access: EXAMPLE_ACCESS,
        days: [],
        habits: [],
        devices: [],
      },
    },
    response,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: (caller) => answer(services, caller),
  };
}

/** The members of a request. */
const correction = {
  type: "object",
  properties: {
    part: {
      type: "string",
      enum: PART_NAMES,
      description: "Required. Part of the day: from 0, 6, 10 and 17 o'clock.",
    },
    days: {
      type: "string",
      enum: DAY_GROUPS,
      description: "Required. Public holidays are among the weekends.",
    },
    kw: {
      type: "number",
      minimum: 0,
      maximum: HIGHEST_KW,
      description: "Mean power of that part; its hours keep their shape. Left out: as learned.",
    },
  },
} as const;

type CorrectionInput = FromSchema<typeof correction>;

/** POST /v1/plant/load (docs/api.md). */
export function correctLoadOperation(services: Services): Operation<CorrectionInput> {
  return {
    method: "POST",
    path: PATH,
    purpose: "Correct the learned load of a part of the days, or take the correction back.",
    schema: correction,
    contract: {
      tag: "plant",
      keywords: { required: ["part", "days"] },
      example: { part: "evening", days: "workdays", kw: 0.9 },
    },
    response,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: async ({ access, input, now }) => {
      if (access.site === undefined) throw notAvailable("A correction of the load");
      const { part, days, kw = null } = input;
      const missing = (["part", "days"] as const).filter((field) => input[field] === undefined);
      if (part === undefined || days === undefined)
        throw invalidParameter(
          missing.map((field) => ({ field, message: `${field} is missing: send part and days.` })),
        );
      await services.corrections.set(access.site.id, { part, days, kw });
      return answer(services, { access, now });
    },
  };
}

function answer(services: Services, { access, now }: Caller): Document {
  const { site } = access;
  if (site === undefined) throw notAvailable("The expected load");
  return loadDocument(services.loads.model(site.id), services.corrections.of(site.id), {
    now,
    zone: localZone(services, access),
    access: accessDocument(access),
  });
}
