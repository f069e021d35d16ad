import { accessDocument } from "../accounts/access.js";
import { batteriesDocument } from "../documents/hours-demand.js";
import { visibleTo } from "../health-registry.js";
import { componentText } from "../texts/index.js";
import { formatIso } from "../time/zone.js";
import { accessModel } from "./access-model.js";
import { localZone } from "./horizon.js";
import { batteryPartsSchema } from "./hours-demand-schema.js";
import { localeLanguage, localeSchema } from "./language.js";
import type { Operation } from "./operation.js";
import { accessSchema, objectOf, timeSchema } from "./schemas.js";
import type { Services } from "./services.js";

const statusLocale = {
  ...localeSchema,
  description:
    "Language of the details: de or en; a tag such as de-AT is reduced to its language. Default: en.",
} as const;

/** GET /v1/status (docs/spec/http-api.md section 11). The endpoint map lists `operations`. */
export function statusOperation(services: Services, operations: () => readonly Operation[]): Operation {
  return {
    method: "GET",
    path: "/v1/status",
    purpose: "Readiness, components, access model and endpoint map.",
    schema: { type: "object", properties: { locale: statusLocale } },
    response: statusResponse,
    quotaClass: () => "status",
    run: ({ access, now, input }) => {
      const language = typeof input.locale === "string" ? localeLanguage(input.locale) : "en";
      const zone = localZone(services, access);
      const run = services.forecast.current();
      return {
        ready: run !== undefined,
        version: services.version,
        model_version: run?.modelVersion ?? null,
        forecast_issued_at: run === undefined ? null : formatIso(run.issuedAt, zone),
        time: formatIso(now, zone),
        access: accessDocument(access),
        ...batteriesOf(services, access.site?.id, zone),
        access_model: accessModel(services.quotaTable),
        ...(access.tokenValid ? { mqtt: services.mqtt } : {}),
        endpoints: operations().map((operation) => ({
          method: operation.method,
          path: operation.path,
          purpose: operation.purpose,
          quota_class: operation.quotaClass({}),
        })),
        components: visibleTo(
          { administrator: access.administrator, siteId: access.site?.id },
          services.components.list(),
        ).map(({ name, state, since, detail }) => ({
          name,
          state,
          since: formatIso(since, zone),
          ...(access.tokenValid ? { detail: componentText(detail, language) } : {}),
        })),
      };
    },
  };
}

/** The batteries of a plant with several; nothing otherwise. */
function batteriesOf(services: Services, siteId: string | undefined, zone: string) {
  const plan = siteId === undefined ? undefined : services.plans.current(siteId);
  return plan?.batteries === undefined ? {} : { batteries: batteriesDocument(plan, zone) };
}

const text = { type: "string" } as const;
const limit = { type: ["integer", "null"] } as const;

const statusResponse = objectOf(
  {
    ready: { type: "boolean" },
    version: text,
    model_version: { type: ["string", "null"] },
    forecast_issued_at: { type: ["string", "null"] },
    time: timeSchema,
    access: accessSchema,
    access_model: objectOf({
      tiers: {
        type: "array",
        items: objectOf({
          tier: text,
          label: text,
          who: text,
          horizon_hours: { type: "integer" },
          full_version_available: { type: "boolean" },
          decision_limit: limit,
          decision_window: { enum: ["hour", "day"] },
          decision_scope: text,
          telemetry_per_day: limit,
          pv_per_day: limit,
          weather_per_day: limit,
        }),
      },
    }),
    endpoints: {
      type: "array",
      items: objectOf({
        method: { enum: ["GET", "POST"] },
        path: text,
        purpose: text,
        quota_class: { enum: ["decision", "telemetry", "pv", "weather", "status"] },
      }),
    },
    components: {
      type: "array",
      items: objectOf(
        { name: text, state: { enum: ["ok", "degraded", "down"] }, since: timeSchema },
        {
          detail: {
            type: "string",
            description: "Only with a valid key. Empty for components whose details are for administrators.",
          },
        },
      ),
    },
  },
  {
    batteries: batteryPartsSchema,
    mqtt: {
      ...objectOf({
        url: {
          type: ["string", "null"],
          description:
            "The external broker, without its user name and password; null: the embedded broker or none.",
        },
        port: {
          type: ["integer", "null"],
          description:
            "Port of the embedded broker on the host of this address; null: not embedded, or none.",
        },
        prefix: { ...text, description: "First level of the topics." },
      }),
      description: "The MQTT broker of the gateway. Only with a valid key.",
    },
  },
);
