import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { each } from "../core/shape.js";
import { parseTime } from "../core/time/zone.js";
import { DOCUMENTED_TIME } from "./contract.js";
import { whyDocument } from "./documents/why.js";
import { localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { localeLanguage, localeSchema } from "./language.js";
import { notAvailable } from "./not-available.js";
import type { Operation } from "./operation.js";
import { plantReduced } from "./plant-schema.js";
import { accessSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";

const number = { type: "number" } as const;
const text = { type: "string" } as const;
const nullable = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const orUnknown = nullable(number);

const response = objectOf(
  {
    schema: { const: "why_v1" },
    site: text,
    start: timeSchema,
    end: timeSchema,
    recorded: {
      type: "boolean",
      description: "false: decided before the gateway kept records, or while it did not run.",
    },
    sentence: {
      ...text,
      description: "What was done, what came otherwise than expected, and what it brought.",
    },
    access: accessSchema,
  },
  {
    known: objectOf({
      price_ct_kwh: number,
      price_published: { type: "boolean" },
      later_at: nullable(timeSchema),
      later_ct_kwh: orUnknown,
      soc_pct: number,
      pv_kwh: number,
      load_kwh: number,
    }),
    decided: objectOf({ action: text, reason_code: text, reason: text, soc_end_pct: number }),
    outcome: objectOf({
      ...each(["import_kwh", "export_kwh", "pv_kwh", "load_kwh", "charge_kwh", "discharge_kwh"], number),
      ...each(["price_ct_kwh", "later_ct_kwh", "cost_eur"], orUnknown),
      saved_eur: {
        ...orUnknown,
        description: "The hours of a day add up to what the battery and devices saved.",
      },
    }),
  },
);

/** The parameters of a request. */
const whyRequest = {
  type: "object",
  properties: {
    at: {
      type: "string",
      maxLength: 64,
      description: "ISO 8601 time in the hour. Default: the last hour that is over.",
    },
    timezone: timezoneSchema,
    locale: localeSchema,
  },
} as const;

type WhyInput = FromSchema<typeof whyRequest>;

/** GET /v1/plant/why (docs/api.md). */
export function whyOperation(services: Services): Operation<WhyInput> {
  return {
    method: "GET",
    path: "/v1/plant/why",
    purpose: "A past hour: what was known, what was decided, and what came of it.",
    schema: whyRequest,
    contract: {
      tag: "plant",
      members: { at: DOCUMENTED_TIME },
      example: { at: "2026-01-15T07:00:00+01:00", locale: "en" },
    },
    response,
    reduced: plantReduced,
    quotaClass: () => "decision",
    run: async ({ access, input, now }) => {
      const { site } = access;
      if (site === undefined) throw notAvailable("Why");
      const zone = input.timezone ?? localZone(services, access);
      const lastHour = new Date(now.getTime() - 3_600_000);
      const at = input.at === undefined ? lastHour : parseTime(input.at, zone);
      const why = at && (await services.why.at(site, at));
      if (why === undefined)
        throw invalidParameter([
          {
            field: "at",
            message:
              "at must be an ISO 8601 time in an hour that is over, such as 2026-01-15T06:00:00+01:00.",
          },
        ]);
      const document = whyDocument(site.id, why, { zone, language: localeLanguage(input.locale) });
      const { known, decided, outcome, ...scalars } = document;
      return {
        ...scalars,
        access: accessDocument(access),
        ...(known && { known, decided }),
        ...(outcome && { outcome }),
      };
    },
  };
}
