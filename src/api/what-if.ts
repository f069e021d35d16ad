import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import type { Site } from "../config/site.js";
import { MOST_IN_AN_HOUR, WhatIfInputError } from "../money/compare/service.js";
import type { SiteChange } from "../money/compare/site-change.js";
import type { WhatIfRequest } from "../money/compare/what-if-answers.js";
import { whatIfDocument } from "./documents/what-if.js";
import { invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Caller, Document, Operation } from "./operation.js";
import { plantReduced } from "./plant-schema.js";
import { tooManyAtOnce } from "./quota-exceeded.js";
import { accessSchema, objectOf } from "./schemas.js";
import type { Services } from "./services.js";

const PATH = "/v1/plant/what-if";
/** A year takes up to a minute. */
const BUSY_SECONDS = 30;
const TOO_MANY_SECONDS = 3600;

const number = { type: "number" } as const;
const nullable = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const amount = (maximum: number, description: string) =>
  ({ type: "number", exclusiveMinimum: 0, maximum, description }) as const;

/** Members of a question, in requests and answers. */
const changes = {
  battery_kwh: amount(
    1000,
    "Capacity of the battery. Its powers stay; without one 5 kW and 90 % are assumed.",
  ),
  pv_kwp_more: amount(1000, "Peak power of further PV."),
  tariff: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    description: "A built-in supplier of the plant's grid area.",
  },
  tariffs: {
    type: "array",
    minItems: 1,
    maxItems: 40,
    items: { type: "string", minLength: 1, maxLength: 64 },
    description: "Suppliers that are compared with each other and with the plant's tariff.",
  },
  area: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    description: "Grid area of the suppliers. Default: that of the plant's tariff.",
  },
  without_car: { type: "boolean", description: "true: the energy of the wallbox is left out." },
  heat_pump_kwh_year: amount(100_000, "Electricity of a heat pump in a year."),
  annual_kwh: amount(
    1_000_000,
    "Consumption of a year by the last bill, where the plant's own is not measured. Default: that of the settings.",
  ),
} as const;
const periodSchema = {
  type: "string",
  minLength: 4,
  maxLength: 7,
  description:
    "year: the newest 365 days. Else a calendar year such as 2025 or a local month such as 2026-05.",
} as const;

/** A question, as JSON Schema. */
export const whatIfQuestion = { type: "object", properties: { period: periodSchema, ...changes } } as const;

const response = objectOf(
  {
    schema: { const: "what_if_v1" },
    site: { type: "string" },
    status: { enum: ["idle", "running", "failed"], description: "Of the question asked last." },
    progress_pct: nullable({ type: "integer", minimum: 0, maximum: 100 }),
    fault: nullable({ enum: ["no_prices", "failed"] }),
    access: accessSchema,
    results: {
      type: "array",
      description:
        "The answers that are kept, at most 8, for 31 days and as long as the settings stay, oldest first.",
      items: objectOf(
        {
          id: { type: "string" },
          from: { type: "string", format: "date" },
          to: { type: "string", format: "date", description: "Included." },
          basis: {
            enum: ["measured", "metered", "standard"],
            description:
              "Load of the plant as measured, its import and export alone, or a usual household with the energy of annual_kwh.",
          },
          cost_is: {
            enum: ["billed", "computed", "no_tariff"],
            description:
              "Whether cost_eur is what was billed, or that of the replay. no_tariff: cost_eur and saved_eur are null, because the plant has no tariff that suppliers could be compared with.",
          },
          cost_eur: nullable(number),
          changed_eur: { ...number, description: "The cost with the change." },
          saved_eur: { ...nullable(number), description: "cost_eur less changed_eur." },
          period: periodSchema,
        },
        {
          ...changes,
          metered: objectOf({
            import_kwh: number,
            export_kwh: number,
            hours_missing: number,
            missing: {
              type: "array",
              items: { enum: ["pv", "battery"] },
              description: "Readings without which the plant cannot be replayed.",
            },
          }),
          comparison: {
            type: "array",
            description: "The cost under each of tariffs; current is that of the plant.",
            items: objectOf(
              {
                tariff: { type: "string" },
                no_battery_eur: nullable(number),
                uncontrolled_eur: nullable(number),
                hourgate_eur: nullable(number),
                perfect_eur: nullable(number),
              },
              { metered_eur: number },
            ),
          },
        },
      ),
    },
  },
  {
    asked: {
      ...objectOf({ period: periodSchema }, changes),
      description: "What is computed, or failed; left out: nothing.",
    },
  },
);

type WhatIfServices = Pick<Services, "whatIf">;

async function answer({ whatIf }: WhatIfServices, { id }: Site, { access }: Caller): Promise<Document> {
  const document = whatIfDocument(id, { run: whatIf.current(id), results: await whatIf.results(id) });
  const { asked, results, ...scalars } = document;
  return { ...scalars, access: accessDocument(access), ...(asked && { asked }), results };
}

/** GET /v1/plant/what-if (docs/api.md). */
export function whatIfQueryOperation(services: WhatIfServices): Operation {
  return {
    method: "GET",
    path: PATH,
    purpose:
      "Answers to what the past would have cost with a change of the plant, and the one that is computed.",
    schema: { type: "object", properties: {} },
    contract: { tag: "plant", example: {} },
    response,
    reduced: plantReduced,
    quotaClass: () => "decision",
    run: (call) => {
      const { site } = call.access;
      if (site === undefined) throw notAvailable("What if");
      return answer(services, site, call);
    },
  };
}

/** The members of a request. */
const question = {
  type: "object",
  properties: {
    ...whatIfQuestion.properties,
    cancel: {
      type: "boolean",
      description: "true: the question that is computed is ended; nothing is asked.",
    },
    remove: {
      type: "string",
      minLength: 1,
      maxLength: 64,
      description: "id of an answer that is removed; nothing is asked.",
    },
  },
} as const;

type WhatIfInput = FromSchema<typeof question>;

/** POST /v1/plant/what-if (docs/api.md). */
export function whatIfBodyOperation(services: WhatIfServices): Operation<WhatIfInput> {
  return {
    method: "POST",
    path: PATH,
    purpose:
      "Ask what a past month or year would have cost with another battery, more PV, another tariff, without the car or with a heat pump.",
    schema: question,
    contract: {
      tag: "plant",
      description:
        "Computed in the background, one question at a time: a month takes seconds, a year up to a minute. The answer has the progress; GET gives it again.",
      example: { period: "year", battery_kwh: 15 },
    },
    response,
    reduced: plantReduced,
    quotaClass: () => "decision",
    run: async (call) => {
      const { site } = call.access;
      const { input } = call;
      if (site === undefined) throw notAvailable("What if");
      if (input.cancel) services.whatIf.cancel(site.id);
      else if (input.remove !== undefined) await services.whatIf.remove(site.id, input.remove);
      else ask(services, site, { request: requestOf(input), now: call.now });
      return answer(services, site, call);
    },
  };
}

function ask(
  { whatIf }: WhatIfServices,
  site: Site,
  { request, now }: { request: WhatIfRequest; now: Date },
): void {
  const begun = begin(whatIf, site, request);
  if (begun === "busy") {
    const message = "Another question of the account is being computed or waits; repeat the request later.";
    throw tooManyAtOnce(message, { limit: 1, scope: "account", seconds: BUSY_SECONDS, now });
  }
  if (begun === "too_many") {
    const message = "Too many questions in this hour; repeat the request later.";
    throw tooManyAtOnce(message, {
      limit: MOST_IN_AN_HOUR,
      scope: "account",
      seconds: TOO_MANY_SECONDS,
      now,
    });
  }
}

const FIELDS = { period: "period", tariff: "tariff", area: "area", withoutCar: "without_car" } as const;

function begin(whatIf: WhatIfServices["whatIf"], site: Site, request: WhatIfRequest) {
  try {
    return whatIf.begin(site, request);
  } catch (error) {
    if (error instanceof WhatIfInputError)
      throw invalidParameter([{ field: FIELDS[error.field], message: error.message }]);
    throw error;
  }
}

function requestOf(input: WhatIfInput): WhatIfRequest {
  const {
    period = "year",
    battery_kwh,
    pv_kwp_more,
    tariff,
    tariffs,
    area,
    without_car,
    heat_pump_kwh_year,
    annual_kwh,
  } = input;
  const change: SiteChange = {
    ...(battery_kwh !== undefined && { batteryKwh: battery_kwh }),
    ...(pv_kwp_more !== undefined && { pvKwpMore: pv_kwp_more }),
    ...(tariff !== undefined && { tariff }),
    ...(without_car === true && { withoutCar: true }),
    ...(heat_pump_kwh_year !== undefined && { heatPumpKwhYear: heat_pump_kwh_year }),
  };
  return {
    period,
    change,
    ...(annual_kwh !== undefined && { annualKwh: annual_kwh }),
    ...(tariffs && { tariffs }),
    ...(area !== undefined && { area }),
  };
}
