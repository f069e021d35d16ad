import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Accounts } from "../../../src/accounts/accounts.js";
import { newKeyOf } from "../../../src/accounts/key-record.js";
import { OWNER_ID } from "../../../src/accounts/site-registry.js";
import type { Site } from "../../../src/config/site.js";
import { DAY_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { realClock } from "../../../src/core/time/clock.js";
import { openStore } from "../../../src/store/store.js";
import { BENCH_KEY, benchFolder } from "../process.js";

/** How the simulated devices send: HTTP, MQTT over the embedded broker, or MQTT over a separate broker. */
export const TRANSPORTS = ["http", "mqtt", "external"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A site of the bench and what its devices are like. */
export interface BenchSite {
  id: string;
  /** API key. */
  key: string;
  capacityKwh: number;
  powerKw: number;
  peakKw: number;
  /** Mean load, kW. */
  loadKw: number;
  /** Resolution of the reported state of charge, percent. */
  socStepPct: number;
}

/** The moment the measurement is about: a full hour (quarter-hour, hour and plans of all sites), with PV. */
export const BOUNDARY = new Date("2026-05-13T10:00:00Z");
const MANY = 1e6;

export const PASSWORD = "bench of many sites";

/** Sites of different sizes, none like the next. */
export function benchSites(count: number): BenchSite[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `site-${String(index + 1).padStart(4, "0")}`,
    key: index === 0 ? BENCH_KEY : `hg_live_${String(index).padStart(8, "0")}${"s".repeat(35)}`,
    capacityKwh: 5 + (index % 16),
    powerKw: 2.5 + (index % 7) * 0.5,
    peakKw: 3 + (index % 13),
    loadKw: 0.3 + (index % 11) * 0.1,
    socStepPct: index % 2 === 0 ? 1 : 0.1,
  }));
}

/**
 * A data folder and configuration with the sites, all of the owner. The clock starts `leadMs` before the boundary.
 */
export function fleetFolder(
  sites: readonly BenchSite[],
  { leadMs, brokerUrl }: { leadMs: number; brokerUrl: string | undefined },
) {
  const start = new Date(BOUNDARY.getTime() - leadMs).toISOString();
  const quota = { decision: MANY, telemetry: MANY };
  const folder = benchFolder({
    owner: { password: PASSWORD },
    clock: { start, speed: 1 },
    market: { resolution_minutes: 15, sources: [] },
    metrics: { enabled: true },
    quotas: { professional: quota, oem: quota },
    limits: {
      http: { connections: { total: 3000, per_address: 3000 } },
      mqtt: {
        connections: { total: 3000, unauthenticated: 3000, unauthenticated_per_address: 3000 },
        subscriptions: { total: 100_000 },
        publishes_per_second: { total: 5000 },
      },
    },
    ...(brokerUrl !== undefined && { mqtt: { broker: { enabled: false }, external: { url: brokerUrl } } }),
    plants: sites.map(plantOf),
  });
  return folder;
}

/** Creates the owner's account with the OEM plan, a key for each site, and prices up to the evening of the day after. */
export async function provision(dataDir: string, sites: readonly BenchSite[]): Promise<void> {
  const log = { info: () => {}, warn: () => {} };
  const store = await openStore(dataDir, log);
  const registry = { list: () => sites as unknown as Site[], get: () => undefined };
  const accounts = new Accounts({ state: store.state, clock: realClock(), sites: registry, log });
  await accounts.ensureOwner({ email: "owner@localhost", key: BENCH_KEY, password: PASSWORD });
  await store.state.update((draft) => {
    const createdAt = new Date().toISOString();
    for (const account of draft.accounts) account.plan = "oem";
    for (const { id, key } of sites.slice(1))
      draft.keys.push(
        newKeyOf(draft, { siteId: id, accountId: OWNER_ID, label: "bench", createdAt }, key).record,
      );
  });
  await store.prices.save(prices());
  await store.close();
}

/** The settings of a site's plant. */
export function plantOf({ id, capacityKwh, powerKw, peakKw, loadKw }: BenchSite, index: number) {
  return {
    id,
    latitude: 46.5 + (index % 20) * 0.1,
    longitude: 10 + (index % 60) * 0.1,
    timezone: "Europe/Vienna",
    battery: {
      capacity_kwh: capacityKwh,
      max_charge_power_kw: powerKw,
      max_discharge_power_kw: powerKw,
      controls: ["charge", "hold", "block"],
    },
    pv: [{ peak_kw: peakKw, tilt_deg: 30, azimuth_deg: 120 + (index % 13) * 10 }],
    load: { daily_kwh: loadKw * 24 },
    tariff: {
      markup_ct_kwh: 1.5,
      levies_ct_kwh: 1,
      grid_fee_ct_kwh: 6 + (index % 5),
      vat_pct: 20,
      feed_in: { type: "spot", deduct_ct_kwh: 1 },
    },
  };
}

/** Quarter-hourly prices from three days before to 36 hours after the boundary, with two peaks a day. */
export function prices(): PricePoint[] {
  const firstMs = BOUNDARY.getTime() - 3 * DAY_MS;
  return Array.from({ length: (4.5 * DAY_MS) / QUARTER_MS }, (_, index) => {
    const ms = firstMs + index * QUARTER_MS;
    const hour = ((ms % DAY_MS) / DAY_MS) * 24;
    const daily = 45 * Math.cos(((hour - 6) / 6) * Math.PI);
    const eurPerMwh = 90 + daily + 25 * Math.sin((hour / 12) * Math.PI + ms / DAY_MS);
    return { start: new Date(ms), minutes: 15, eurPerMwh };
  });
}

/** Starts a broker of its own process, without sign-in. */
export async function startBroker(): Promise<{ url: string; stop(): void }> {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const child = spawn(process.execPath, ["--import", loader, resolve(import.meta.dirname, "broker.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((found, fail) => {
    child.stdout.once("data", (line: Buffer) => found(line.toString().trim()));
    child.once("exit", () => fail(new Error("The broker of the bench did not start.")));
  });
  return { url: `mqtt://127.0.0.1:${port}`, stop: () => child.kill() };
}
