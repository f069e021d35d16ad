import { type Access, basicAccess, tierOf } from "../../src/accounts/access.js";
import { Quotas } from "../../src/accounts/quotas.js";
import type { TariffPrices } from "../../src/api/documents/forecast.js";
import type { Services } from "../../src/api/services.js";
import type { PlantSettings, QuotaSettings, SlotSettings } from "../../src/config/settings.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { type Bus, createBus } from "../../src/core/bus.js";
import { floorTo, HOUR_MS } from "../../src/core/domain/interval.js";
import type { PricePoint } from "../../src/core/domain/price.js";
import type { LiveState, Sample } from "../../src/core/domain/sample.js";
import type { Plan } from "../../src/core/domain/tier.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import { silentLog } from "../../src/core/log.js";
import { VIENNA } from "../../src/core/time/zone.js";
import { VERSION } from "../../src/core/version.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import type { ForecastQuality } from "../../src/forecast/price/day-record.js";
import type { ForecastHour, ForecastRun } from "../../src/forecast/price/forecast.js";
import { PvService } from "../../src/forecast/pv/service.js";
import { WeatherSeries } from "../../src/forecast/weather/weather-series.js";
import { type BatteryOverrideRequest, batteryOverrideOf } from "../../src/plan/battery-override.js";
import type { PlanOverrides } from "../../src/plan/overrides.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import type { DeviceState } from "../../src/plan/windows/estimates.js";
import { FlexService } from "../../src/plan/windows/service.js";
import type { DocumentArchive } from "../../src/store/archive.js";
import { PresenceService } from "../../src/telemetry/presence-service.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { NO_CALENDARS } from "../telemetry/usual-presence.js";

/** Thursday 2026-01-15, 09:20 in Vienna. */
export const NOW = new Date("2026-01-15T08:20:00Z");
const MIDNIGHT_MS = Date.parse("2026-01-14T23:00:00Z");

export const KEYS = { owner: "hg_live_owner", community: "hg_live_community" };

/** A wavy price that never repeats within two days, EUR/MWh, by elapsed hours since local midnight. */
export function priceAt(hour: number): number {
  return 90 + 40 * Math.sin(hour / 3.7) + hour / 10;
}

/** Published prices of the 15th and 16th of January 2026, local days. */
export function publishedPoints(): PricePoint[] {
  return Array.from({ length: 48 }, (_, hour) => ({
    start: new Date(MIDNIGHT_MS + hour * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: priceAt(hour),
  }));
}

function runAt(now: Date): ForecastRun {
  const first = Math.floor((now.getTime() - MIDNIGHT_MS) / HOUR_MS);
  const hours: ForecastHour[] = Array.from({ length: 192 }, (_, index) => {
    const p50 = priceAt(first + index);
    const published = first + index < 48;
    return {
      start: new Date(MIDNIGHT_MS + (first + index) * HOUR_MS),
      p10: published ? p50 : p50 - 10,
      p50,
      p90: published ? p50 : p50 + 12,
      source: published ? "day_ahead" : "forecast",
    };
  });
  return { issuedAt: now, trigger: "scheduled", modelVersion: "recent-mean-1", tier: "recent_mean", hours };
}

/** A slot as it stands in the configuration, defaults filled in. */
export function slotSettings(settings: Partial<SlotSettings>): SlotSettings {
  return {
    slot: 1,
    label: "",
    kind: "wallbox",
    power_kw: null,
    window_start_hour: null,
    window_end_hour: null,
    energy_kwh: null,
    hours: null,
    segments: null,
    segment_consecutive: "off",
    min_run_minutes: null,
    max_starts_per_day: null,
    deadline_strict: false,
    battery_to_ev_pct: null,
    enabled: true,
    optimise: null,
    vehicle: null,
    store: null,
    sg_ready: null,
    ...settings,
  };
}

/** Documents that live as long as the test. */
export function memoryDocuments(): DocumentArchive {
  const documents = new Map<string, string>();
  return {
    get: async (name) => {
      const text = documents.get(name);
      return text === undefined ? undefined : JSON.parse(text);
    },
    put: async (name, value) => void documents.set(name, JSON.stringify(value)),
  };
}

export function samplePlan(siteId = "home"): SitePlan {
  const start = new Date("2026-01-15T12:00:00Z");
  const end = new Date("2026-01-15T14:00:00Z");
  const reason = {
    code: "cheap_import" as const,
    figures: { importCtKwh: 9.1, storedCtKwh: 9.6, valueCtKwh: 18.2, energyKwh: 5 },
  };
  return {
    siteId,
    issuedAt: NOW,
    scalars: {
      hoursNeeded: 2.25,
      hoursNeededToday: 2.25,
      energyChargeKwh: 10.1 + 0.2,
      prefixHoursNeededToday: 2.25,
      prefixPeriodHoursToday: 14.6666666667,
      prefixEnergyChargeKwh: 10.3,
      chargeNow: 0,
      chargeStopSocPct: 87.123456,
      dischargePowerKw: 5,
      dischargeReason: "full",
      adaptiveDischarge: false,
      minSocPct: 10,
      chargePowerKw: 0,
      gridChargeAllowed: true,
      chargeCapKw: 5,
      chargeCapReason: "full",
      feedInLimitKw: null,
      dischargeSetKw: 0,
      importTargetKw: null,
      following: "yes",
      followingCause: "none",
      followingSince: NOW,
      planHash: "0123456789abcdef",
      socAgeMinutes: 3,
      socStale: false,
      minutesToChargeStart: 220,
      currentQuartile: 3,
      currentPriceCtKwh: 21.37,
    },
    chargeHours: [
      {
        start,
        end,
        energyKwh: 10.3,
        powerKw: 5,
        priceCtKwh: 9.1,
        totalCtKwh: 19.1,
        prefix: true,
        provisional: false,
        reason,
      },
    ],
    chargeHoursToday: [{ start, end }],
    days: [
      {
        date: "2026-01-15",
        hoursNeeded: 2.25,
        energyChargeKwh: 10.3,
        loadKwh: 6,
        pvKwh: 0,
        importKwh: 16.3,
        exportKwh: 0,
        socStartPct: 20,
        socEndPct: 87.12,
        socMinPct: 20,
        costEur: 3.1,
        baselineCostEur: 3.5,
        cover: "satisfied",
        hours: [
          {
            start,
            end: new Date("2026-01-15T13:00:00Z"),
            priceCtKwh: 9.1,
            totalCtKwh: 19.1,
            source: "day_ahead",
            loadKwh: 0.4,
            pvKwh: -0,
            chargeKwh: 5,
            dischargeKwh: 0,
            importKwh: 5.4,
            exportKwh: 0,
            socEndPct: 60,
            socP10Pct: 57,
            socP90Pct: 62,
            mode: "charge",
            action: "grid_charge",
            reason,
          },
        ],
      },
    ],
    command: {
      mode: "free",
      chargePowerKw: 0,
      stopSocKwh: 10,
      dischargeCapKw: 5,
      chargeCapKw: 5,
      valueCtKwh: 18.2,
      reason: "self_consumption",
    },
    commandSince: NOW,
    expectation: {
      at: NOW,
      costEur: 3.1,
      costP10Eur: 2.9,
      costP90Eur: 3.4,
      savingEur: 0.4,
      savingDayEur: 0.1,
      savingByDay: {},
    },
    savingsEur: 0.4,
    savingsStoredEur: 0,
    horizonBinding: false,
    steps: [],
    solver: { objectiveEur: 2.9, boundEur: 2.9, ms: 7.25 },
    material: true,
  };
}

const TABLE: QuotaSettings = {
  basic: { decision: 60 },
  community: { decision: 120, telemetry: 2000, pv: 48, weather: 48 },
  trial: { decision: 600, telemetry: 10000, pv: 288, weather: 288 },
  professional: { decision: 600, telemetry: 10000, pv: 288, weather: 288 },
  oem: { decision: 3000, telemetry: 10000, pv: 288, weather: 288 },
};

export interface FakeServices extends Services {
  flex: FlexService;
  bus: Bus;
  clock: ManualClock;
  /** What was ingested, in order. */
  ingested: { siteId: string; samples: readonly Sample[]; thinSeconds: number | undefined }[];
  decided: PlanOverrides[];
  batteryOverrides: BatteryOverrideRequest[];
  /** How often a forecast answer was made; undefined run before the first. */
  run: ForecastRun | undefined;
  series: PriceSeries;
  /** What the next ingest throws. */
  failure: Error | undefined;
}

/** Hand-made services in one process: a gateway without disk, broker or internet. */
export function fakeServices(
  options: {
    table?: Partial<QuotaSettings>;
    now?: Date;
    /** Slots of the plant `home`. */
    slots?: readonly SlotSettings[];
    battery?: PlantSettings["battery"];
    /** What is known of every device. */
    deviceState?: DeviceState;
    /** Where the plants stand, and what is on their roofs. */
    place?: { latitude: number; longitude: number };
    pv?: PlantSettings["pv"];
    weather?: WeatherSeries;
    series?: PriceSeries;
    tariff?: TariffPrices | null;
    priceMinutes?: 60 | 15;
    quality?: ForecastQuality;
  } = {},
): FakeServices {
  const now = options.now ?? NOW;
  const clock = manualClock(now);
  const table = { ...TABLE, ...options.table };
  const { slots = [], battery = null } = options;
  const plant = {
    id: "home",
    timezone: VIENNA,
    slots,
    battery,
    latitude: options.place?.latitude ?? null,
    longitude: options.place?.longitude ?? null,
    pv: options.pv ?? [],
    inverters: [],
    batteries: [],
    grid: { import_limit_kw: null, export_limit_kw: null },
    telemetry: {},
  } as unknown as PlantSettings;
  const accessBy = (plan: Plan, siteId: string): Access => ({
    ...tierOf(plan),
    plan,
    tokenPresent: true,
    tokenValid: true,
    site: {
      id: siteId,
      accountId: plan,
      plant: { ...plant, id: siteId, ...(siteId === "home" ? {} : { slots: [] }) },
    },
    accountId: plan,
    keyId: plan,
    administrator: plan === "professional",
  });
  const accesses = new Map([
    [KEYS.owner, accessBy("professional", "home")],
    [KEYS.community, accessBy("community", "cabin")],
  ]);
  const tariff = {
    importCtKwh: (spot: number) => (spot + 10) * 1.2,
    exportCtKwh: (spot: number) => spot - 1,
  };
  const tariffOf = (siteId: string) =>
    siteId === "home" ? (options.tariff === null ? undefined : (options.tariff ?? tariff)) : undefined;
  const bus = createBus();
  const sites = new SiteRuntimes(
    bus,
    [...accesses.values()].map(({ site }) => site!),
  );
  const live: LiveState = {};
  const weather = {
    series: () => options.weather ?? WeatherSeries.empty,
    issuedAt: () => (options.weather === undefined ? undefined : now),
  };
  const presence = new PresenceService({
    bus,
    clock,
    sites,
    documents: { get: async () => undefined, put: async () => {} },
    calendars: NO_CALENDARS,
    log: silentLog,
  });
  const services: FakeServices = {
    presence,
    calendars: NO_CALENDARS,
    corrections: { of: () => [], set: async () => {} },
    loads: { model: () => undefined, absentSince: () => undefined },
    sites,
    clock,
    version: VERSION,
    baseUrl: "http://gateway.test:8080",
    mqtt: () => ({ url: null, port: 1883, prefix: "hourgate" }),
    components: new HealthRegistry(clock),
    devices: { list: () => [] },
    devicePlans: {
      tryOverride: async (siteId, ...asked) => services.flex.sites.of(siteId).tryOverride(...asked),
      prepareToTry() {},
    },
    // A home that nothing has measured yet.
    why: {
      at: async (_site, at) => {
        const start = new Date(floorTo(at.getTime(), HOUR_MS));
        const hour = { start, end: new Date(start.getTime() + HOUR_MS) };
        const unknown = {
          decision: undefined,
          outcome: undefined,
          laterCtKwh: undefined,
          firstDate: undefined,
        };
        return hour.end > clock.now() ? undefined : { ...hour, ...unknown };
      },
    },
    whatIf: {
      begin: () => "started",
      cancel: () => {},
      current: () => ({ status: "idle" }),
      isBusy: () => false,
      prices: () => PriceSeries.empty,
      remove: async () => {},
      results: async () => [],
      tariffs: () => [],
    },
    zoneDefault: VIENNA,
    stepMinutes: 60,
    run: runAt(now),
    series: options.series ?? PriceSeries.of(publishedPoints()),
    ingested: [],
    decided: [],
    batteryOverrides: [],
    failure: undefined,
    forecast: {
      current: () => services.run,
      hours: (count) => services.run?.hours.slice(0, count),
    },
    prices: { published: () => services.series },
    plans: {
      current: () => undefined,
      settle: () => {},
      overrideCostEur: async (_siteId, request) => {
        batteryOverrideOf(request, { plant, socPct: 50, now: services.clock.now() });
        return request.action === "auto" ? 0 : 0.423;
      },
      override: async (_siteId, request) => {
        batteryOverrideOf(request, { plant, socPct: 50, now: services.clock.now() });
        services.batteryOverrides.push(request);
      },
      decide: (siteId, overrides) => {
        services.decided.push(overrides);
        return samplePlan(siteId);
      },
    },
    telemetry: {
      ingest: async (siteId, samples, ingestOptions) => {
        if (services.failure !== undefined) throw services.failure;
        services.ingested.push({ siteId, samples, thinSeconds: ingestOptions?.thinSeconds });
        for (const { at, values } of samples) {
          for (const [name, value] of Object.entries(values)) Object.assign(live, { [name]: { value, at } });
        }
        return { accepted: samples.length, duplicates: 0, latest: live };
      },
      leaveOut: () => {},
      live: () => live,
    },
    accounts: {
      access: (key) => (key === undefined ? basicAccess(false) : (accesses.get(key) ?? basicAccess(true))),
      site: (id) => [...accesses.values()].find((access) => access.site?.id === id)?.site,
    },
    quotas: new Quotas({ table, clock }),
    quotaTable: table,
    tariff: tariffOf,
    quality: () => options.quality ?? { load: [], pv: [] },
    weather,
    pv: new PvService({
      clock,
      bus,
      sites,
      weather,
      telemetry: { readings: async () => [] },
      documents: memoryDocuments(),
      log: silentLog,
    }),
    bus,
    flex: new FlexService({
      clock,
      bus,
      sites,
      stepMinutes: options.priceMinutes ?? 60,
      breakPenaltyCtKwh: 1,
      forecast: { hours: (count) => services.forecast.hours(count) },
      prices: { published: () => services.series },
      estimator: { state: () => options.deviceState },
      deliveries: { of: () => undefined },
      switches: { startBudget: () => undefined, takenKw: (_site, _slot, askedKw) => askedKw },
      tariff: tariffOf,
      documents: memoryDocuments(),
      log: silentLog,
    }),
  };
  return services;
}
