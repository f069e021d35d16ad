import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tierOf } from "../accounts/access.js";
import { recipeDocument } from "../api/documents/device-schedules.js";
import { deviceCommandDocument } from "../api/documents/devices.js";
import { forecastDocument } from "../api/documents/forecast.js";
import { hoursDemandDocument } from "../api/documents/hours-demand.js";
import { presenceDocument } from "../api/documents/presence.js";
import { priceCurveDocument } from "../api/documents/price-curve.js";
import { pvEnergies } from "../api/documents/pv-energies.js";
import { pvForecastDocument } from "../api/documents/pv-forecast.js";
import { createRequestHandler } from "../api/request.js";
import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import { errorMessage } from "../core/error-message.js";
import { VIENNA } from "../core/time/zone.js";
import { type MqttOptions, MqttService } from "../edges/mqtt/service.js";
import type { DisplayFacts } from "../edges/mqtt/topics/display.js";
import { MqttPriceSource } from "../forecast/market/sources/mqtt.js";
import { nowAndNext } from "../plan/now-and-next.js";
import { priceCurve } from "../plan/price-curve.js";
import { HORIZON_HOURS } from "../plan/windows/answer.js";
import { StoreError } from "../store/errors.js";
import { formatOf } from "../texts/format.js";
import type { Core } from "./core.js";
import type { Running } from "./running.js";

/** From now to the end of tomorrow. */
const CURVE_HOURS = 49;
const STORE_RETRY_MS = 1_000;

/** MQTT with the documents of `/v1`: HTTP answers and topics use the same functions. */
export function mqttOf(
  settings: Settings,
  core: Core,
  { hosts, actuators, devices }: Pick<MqttOptions, "hosts" | "actuators"> & { devices: Services["devices"] },
): MqttService {
  const { accountServices, bus, clock, flex, forecast, plans, pv, registry, telemetry } = core;
  const zoneOf = (siteId: string) => registry.get(siteId)?.plant.timezone ?? VIENNA;
  const recipes = (siteId: string) =>
    flex.current(siteId).map((plan) => recipeDocument(plan, { now: clock.now(), zone: zoneOf(siteId) }));
  const requests = requestsOf(core);
  const view = (site: Site) => ({
    zone: site.plant.timezone,
    baseUrl: core.apiUrl(),
    language: "de" as const,
    recipes: recipes(site.id),
  });
  return new MqttService({
    ...core,
    hosts,
    actuators,
    devices: {
      ...devices,
      commandDocument: (siteId, id) => {
        const command = devices.list(siteId).find((one) => one.id === id)?.command;
        return command ? deviceCommandDocument(command, { now: clock.now(), zone: zoneOf(siteId) }) : null;
      },
    },
    settings: {
      ...settings.mqtt,
      external: { ...settings.mqtt.external, ca: certificates(settings.mqtt.external.ca_file) },
    },
    limits: settings.limits.mqtt,
    dataFolder: join(core.dataFolder, "broker"),
    installationId: core.state.data.installationId,
    hasExclusiveStore: settings.store.postgres.url !== null,
    telemetry:
      settings.store.postgres.url === null
        ? telemetry
        : {
            ingest: (...sample) => untilStored(core.running, () => telemetry.ingest(...sample)),
            leaveOut: (siteId, readings) => telemetry.leaveOut(siteId, readings),
          },
    approvals: accountServices.mqttApprovals,
    languageOf: (accountId) => accountServices.accountBook.get(accountId)?.language ?? "de",
    telemetryMap: (siteId) => registry.telemetryMap(siteId),
    planDocument: (siteId) => {
      const plan = plans.current(siteId);
      const site = registry.get(siteId);
      return plan === undefined || site === undefined ? undefined : hoursDemandDocument(plan, view(site));
    },
    forecastDocument: (siteId) => {
      const hours = forecast.hours(168);
      const run = forecast.current();
      if (hours === undefined || run === undefined || registry.get(siteId) === undefined) return undefined;
      return forecastDocument({
        run,
        hours,
        zone: zoneOf(siteId),
        tariff: core.tariff(siteId),
        intervals: true,
      });
    },
    pvForecastDocument: (siteId) => {
      const yields = pv.forecast(siteId);
      return yields === undefined
        ? undefined
        : pvForecastDocument(yields, {
            zone: zoneOf(siteId),
            language: "de",
            granularity: "both",
            days: 7,
          });
    },
    display: displayFacts(settings, core),
    presence: {
      document: (siteId) => {
        const { calendars, loads, presence } = core;
        if (registry.get(siteId) === undefined) return undefined;
        const known = {
          periods: presence.periods(siteId),
          inForce: presence.inForce(siteId),
          absentSince: loads.absentSince(siteId),
          calendar: calendars.view(siteId),
        };
        return presenceDocument(known, { now: clock.now(), zone: zoneOf(siteId) });
      },
      change: requests.presence!,
    },
    listeners: core.priceSources.filter((source) => source instanceof MqttPriceSource),
    requests,
    onClientActivity: (siteId, keyId) => {
      if (keyId === undefined) bus.emit("connection.used", { siteId });
      else core.uses.note(siteId, keyId);
    },
    slots: {
      windows: requests.windows!,
      override: requests["device-overrides"]!,
      setPlugged: (siteId, slot, plugged) => flex.sites.of(siteId).setPlugged(slot, plugged),
      documents: recipes,
    },
  });
}

/** What displays show of a site. */
function displayFacts(settings: Settings, core: Core): DisplayFacts {
  const { clock, flex, forecast, plans, prices, pv, registry, savings, sessions, telemetry } = core;
  return {
    priceCurve: (siteId) => {
      const site = registry.get(siteId);
      const hours = forecast.hours(CURVE_HOURS);
      if (site === undefined || hours === undefined) return undefined;
      const now = clock.now();
      const { timezone: zone } = site.plant;
      const curve = priceCurve({
        now,
        zone,
        hours,
        stepMinutes: settings.market.resolution_minutes,
        published: prices.published(),
        tariff: core.tariff(siteId),
      });
      return { document: priceCurveDocument(curve, { now, zone }), exportCtKwh: curve.exportCtKwh };
    },
    pvEnergies: (siteId) => {
      const yields = pv.forecast(siteId);
      return yields && pvEnergies(yields, clock.now());
    },
    today: (siteId) => savings.now(siteId)?.today,
    live: (siteId) => telemetry.live(siteId),
    session: (siteId, slot) => sessions.of(siteId, slot),
    nowAndNext: (siteId, language) => {
      const site = registry.get(siteId)!;
      const facts = {
        now: clock.now(),
        site,
        plan: plans.current(siteId),
        hours: forecast.hours(HORIZON_HOURS),
        published: prices.published(),
        stepMinutes: settings.market.resolution_minutes,
        tariff: core.tariff(siteId),
        slots: flex.current(siteId),
        live: telemetry.live(siteId),
      };
      return nowAndNext(facts, formatOf(language, site.plant.timezone));
    },
  };
}

/**
 * Repeats a write that fails until it succeeds. An external broker keeps a message until it is stored, so one that arrives
 * while PostgreSQL restarts, or after another process has taken over the data, is not lost.
 */
async function untilStored<Result>(running: Running, write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    // The next gateway gets the message, which is not acknowledged.
    if (running.isStopping) return new Promise(() => {});
    await wait(STORE_RETRY_MS, undefined, { ref: false });
  }
}

/** The certificates of a CA file. Throws an Error that names the file. */
function certificates(file: string | null): string | undefined {
  if (file === null) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`mqtt.external.ca_file can't be read: ${errorMessage(error)}.`);
  }
}

/** Operations that are also served as MQTT requests, by the name of their topic. */
const REQUESTS = {
  forecast: ["GET", "/v1/forecast"],
  windows: ["POST", "/v1/decision/windows"],
  "hours-demand": ["POST", "/v1/decision/hours-demand"],
  "device-overrides": ["POST", "/v1/plant/device-overrides"],
  presence: ["POST", "/v1/plant/presence"],
} as const;

function requestsOf({ operations, registry, clock, log }: Core) {
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([name, [method, path]]) => {
      const operation = operations.find((one) => one.path === path && one.method === method)!;
      const handle = createRequestHandler(operation, (error) =>
        log.error({ err: error, request: name }, "An MQTT request failed."),
      );
      return [
        name,
        async (siteId: string, body: object) => {
          const site = registry.get(siteId)!;
          // The broker has already authorised the sender for the plant; MQTT has no quotas.
          const access = {
            ...tierOf("professional"),
            plan: "professional" as const,
            tokenPresent: true,
            tokenValid: true,
            site,
            accountId: site.accountId,
            administrator: false,
          };
          const answer = await handle(body as Record<string, unknown>, { access, now: clock.now() });
          const { access: _, ...document } = answer.document;
          return document;
        },
      ];
    }),
  );
}
