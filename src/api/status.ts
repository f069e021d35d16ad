import { type Access, accessDocument, tierOf } from "../accounts/access.js";
import { PLANS, type Plan } from "../core/domain/tier.js";
import { visibleTo } from "../core/health-registry.js";
import { formatIso } from "../core/time/zone.js";
import { componentText } from "../texts/index.js";
import { forecastQualityDocument } from "./documents/forecast-quality.js";
import { batteriesDocument } from "./documents/hours-demand.js";
import { localZone } from "./horizon.js";
import { batteryPartsSchema } from "./hours-demand-schema.js";
import { localeLanguage, localeSchema } from "./language.js";
import type { Operation } from "./operation.js";
import { accessSchema, objectOf, timeSchema } from "./schemas.js";
import type { QuotaTable, Services } from "./services.js";

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
    contract: { tag: "gateway", example: { locale: "en" } },
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
        ...qualityOf(services, access),
        ...(access.tokenValid
          ? { mqtt: services.mqtt(access.site?.id ?? ""), plants: plantsOf(services, access) }
          : {}),
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

/** The plants of a key's account that it reaches, first the one that HTTP calls are about. */
function plantsOf(services: Services, { site, administrator }: Access): string[] {
  if (site === undefined) return [];
  const all = services.sites.list();
  const account = all.find(({ id }) => id === site.id)?.accountId;
  const others = all.filter(({ accountId }) => administrator && accountId === account);
  return [...new Set([site, ...others].map(({ id }) => id))];
}

/** The track record of the caller's plant; nothing without a valid key. */
function qualityOf(services: Services, { site, tokenValid }: Access) {
  if (!tokenValid || site === undefined) return {};
  return { forecast_quality: forecastQualityDocument(services.quality(site.id)) };
}

const text = { type: "string" } as const;
const limit = { type: ["integer", "null"] } as const;

const scoresSchema = {
  type: "array",
  items: objectOf({
    day: { type: "integer", description: "1: the day that begins when the forecast is made, to 7." },
    days: { type: "integer", description: "Number of days compared, at most 60." },
    mae_kwh: { type: "number", description: "Mean absolute error of a day's energy." },
    mae_pct: { type: ["number", "null"], description: "The same relative to the mean measured energy." },
    bias_kwh: { type: "number", description: "Mean of forecast minus measurement." },
    coverage_pct: { type: "number", description: "Share of days from P10 to P90; 80 is intended." },
  }),
} as const;

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
    plants: {
      type: "array",
      items: text,
      description:
        "Ids of the plants of the key's account that it reaches over MQTT; HTTP calls are about the first one. Only with a valid key.",
    },
    forecast_quality: {
      ...objectOf({ load: scoresSchema, pv: scoresSchema }),
      description:
        "How the forecasts of daily load and PV energy of the plant were met; empty lists before the first comparison. Only with a valid key.",
    },
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

/** Who a plan applies to (docs/spec/http-api.md section 3). */
const WHO: Record<Plan, string> = {
  basic: "no key or invalid key",
  community: "registered key",
  trial: "registered key, 14 days",
  professional: "paid integrator",
  oem: "contract",
};

/** Window and scope of the decision limit of a plan (docs/spec/http-api.md section 4). */
const COUNTING: Record<Plan, { window: "hour" | "day"; scope: string }> = {
  basic: { window: "hour", scope: "ip" },
  community: { window: "day", scope: "api_key_day" },
  trial: { window: "hour", scope: "account" },
  professional: { window: "hour", scope: "account" },
  oem: { window: "hour", scope: "account" },
};

/** `access_model` of the status: every tier with its horizon and limits; null if a class is unavailable. */
function accessModel(table: QuotaTable) {
  return {
    tiers: PLANS.map((plan) => ({
      ...tierOf(plan),
      who: WHO[plan],
      horizon_hours: plan === "basic" ? 48 : 168,
      full_version_available: plan !== "basic",
      decision_limit: table[plan].decision ?? null,
      decision_window: COUNTING[plan].window,
      decision_scope: COUNTING[plan].scope,
      telemetry_per_day: table[plan].telemetry ?? null,
      pv_per_day: table[plan].pv ?? null,
      weather_per_day: table[plan].weather ?? null,
    })),
  };
}
