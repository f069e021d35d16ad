import type { PlantSettings, SlotSettings } from "../../../src/config/settings.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { silentLog } from "../../../src/core/log.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { Delivered } from "../../../src/plan/windows/delivered.js";
import type { DeviceState } from "../../../src/plan/windows/estimates.js";
import { momentOf } from "../../../src/plan/windows/result.js";
import { FlexService } from "../../../src/plan/windows/service.js";
import type { StartBudget } from "../../../src/plan/windows/switching.js";
import type { DocumentArchive } from "../../../src/store/archive.js";
import { memoryDocuments, slotSettings } from "../../api/fake-services.js";
import { manualClock } from "../../support/manual-clock.js";

/** Midnight in Vienna. */
export const MIDNIGHT = new Date("2026-01-14T23:00:00Z");
export const hour = (offset: number) => new Date(MIDNIGHT.getTime() + offset * HOUR_MS);

export const slotOf = (settings: Partial<SlotSettings>) => slotSettings({ power_kw: 10, ...settings });

interface Setting {
  slots: SlotSettings[];
  /** Price of an hour since midnight, ct/kWh. */
  price?: (hour: number) => number;
  /** Published prices of the quarter-hours from midnight on, ct/kWh. */
  quarters?: readonly number[];
  now?: Date;
  documents?: DocumentArchive;
  deviceState?: () => DeviceState;
  /** The starts that the actuator has commands for. */
  startBudget?: () => StartBudget | undefined;
  /** The power that the device takes when it is asked for one. */
  takenKw?: (siteId: string, slot: number, askedKw: number) => number;
  /** What the device of a slot did. */
  delivered?: (siteId: string, slot: number, from: Date, to: Date) => Delivered | undefined;
}

/** A started service of the plant `home`. */
export async function startedFlex({
  slots,
  price = (of) => of % 24,
  quarters,
  now = hour(0),
  documents = memoryDocuments(),
  delivered = () => undefined,
  deviceState = () => ({}),
  startBudget = () => undefined,
  takenKw = (_siteId, _slot, askedKw) => askedKw,
}: Setting) {
  const clock = manualClock(now);
  const components = new HealthRegistry(clock);
  const bus = createBus();
  const changes: string[] = [];
  bus.on("slots.updated", ({ siteId }) => changes.push(siteId));
  const plant = {
    id: "home",
    timezone: VIENNA,
    battery: null,
    batteries: [],
    pv: [],
    grid: { import_limit_kw: null },
    slots,
  } as unknown as PlantSettings;
  const site: Site = { id: "home", accountId: "a", plant };
  const prices = { of: price };
  const published = PriceSeries.of(
    (quarters ?? []).map((ctKwh, n) => ({ start: hour(n / 4), minutes: 15 as const, eurPerMwh: ctKwh * 10 })),
  );
  const service = new FlexService({
    clock,
    bus,
    sites: new SiteRuntimes(bus, [site]),
    stepMinutes: quarters === undefined ? 60 : 15,
    breakPenaltyCtKwh: 1,
    forecast: {
      hours: (count) => {
        const first = Math.floor((clock.now().getTime() - MIDNIGHT.getTime()) / HOUR_MS);
        return Array.from({ length: count }, (_, index) => {
          const p50 = prices.of(first + index) * 10;
          return { start: hour(first + index), p10: p50, p50, p90: p50, source: "day_ahead" };
        });
      },
    },
    prices: { published: () => published },
    tariff: () => undefined,
    estimator: { state: deviceState },
    deliveries: { of: delivered },
    switches: { startBudget, takenKw },
    documents,
    components,
    log: silentLog,
  });
  await service.start();
  const change = (changed: SlotSettings[]) =>
    bus.emit("site.changed", { ...site, plant: { ...plant, slots: changed } });
  const plan = (slot = 1) => service.current("home").find((each) => each.slot === slot)!;
  return {
    components,
    clock,
    bus,
    site,
    changes,
    service,
    documents,
    prices,
    change,
    plan,
    /** Windows of a slot in hours since midnight, in order of time. */
    windows: (slot = 1) =>
      (plan(slot).result?.windows ?? [])
        .map(({ start, end }) => [start, end].map((at) => (at.getTime() - MIDNIGHT.getTime()) / HOUR_MS))
        .sort((a, b) => a[0]! - b[0]!),
    charging: (slot = 1) =>
      momentOf({ ...plan(slot).result!, plugged: plan(slot).plugged }, clock.now()).chargeNow,
  };
}
