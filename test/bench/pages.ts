import { DAY_MS } from "../../src/core/domain/interval.js";
import { localDate, parseTime } from "../../src/core/time/zone.js";
import { writeMeasuredDays } from "../support/measured-days.js";
import { benchFolder, startBenchGateway } from "./process.js";
import { signInTo } from "./sign-in.js";
import type { BenchLine } from "./table.js";

const PASSWORD = "bench of the pages";
const ZONE = "Europe/Vienna";
const DAYS = 31;
const LOADS = 40;

/** Every page of the owner. */
export const OWNER_PAGES = [
  "/dashboard",
  "/dashboard?hours=168",
  "/developers/outputs",
  "/history",
  "/history?period=week",
  "/history?period=month",
  "/history?period=year",
  "/history/money",
  "/bill",
  "/meter",
  "/devices",
  "/devices/add",
  "/connect",
  "/settings/ems",
  "/settings/sites",
  "/settings/account",
  "/settings/plan",
  "/settings/keys",
  "/settings/webhook",
  "/settings/audit",
  "/admin",
  "/help",
  "/help?q=battery",
  "/help/configuration",
];

/** Time to load each page of a gateway with a month of measurements, from the request to the last byte. */
export async function benchPages(): Promise<BenchLine[]> {
  const now = new Date();
  const today = parseTime(`${localDate(now, ZONE)}T00:00`, ZONE)!;
  const folder = benchFolder({
    owner: { password: PASSWORD },
    plants: [
      {
        id: "home",
        timezone: ZONE,
        battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
        slots: [{ slot: 1, label: "Boiler", kind: "boiler", power_kw: 2, hours: 3 }],
        tariff: [{ energy: { type: "spot", markup_ct_kwh: 1.5 } }],
      },
    ],
  });
  try {
    await writeMeasuredDays(folder.dataDir, {
      siteId: "home",
      from: new Date(today.getTime() - DAYS * DAY_MS),
      days: DAYS,
      stepMinutes: 1,
    });
    const gateway = await startBenchGateway(folder.config);
    try {
      return await measure(gateway.url);
    } finally {
      await gateway.stop();
    }
  } finally {
    folder.remove();
  }
}

async function measure(url: string): Promise<BenchLine[]> {
  const cookie = await signInTo(url, PASSWORD);
  const worst: { path: string; p95: number }[] = [];
  const all: number[] = [];
  for (const path of OWNER_PAGES) {
    const times: number[] = [];
    for (let load = 0; load < LOADS; load++) {
      const began = performance.now();
      const response = await fetch(url + path, {
        redirect: "manual",
        headers: { cookie, accept: "text/html" },
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
      times.push(performance.now() - began);
    }
    worst.push({ path, p95: percentile(times) });
    all.push(...times);
  }
  worst.sort((a, b) => b.p95 - a.p95);
  return [
    {
      name: `${OWNER_PAGES.length} portal pages with a month of data, 95 % of loads`,
      value: percentile(all),
      unit: "ms",
      goal: "below 100",
    },
    ...worst.slice(0, 3).map(({ path, p95 }) => ({
      name: `… 95 % of loads of ${path}`,
      value: p95,
      unit: "ms",
      goal: "below 100",
    })),
  ];
}

function percentile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)]!;
}
