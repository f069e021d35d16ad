#!/usr/bin/env node
// Compares what evcc has as tariffs with what hourgate says on its API, moment by moment.
//
//   node compare.mjs EVCC_URL HOURGATE_URL KEY
import process from "node:process";

const [evcc, hourgate, key] = process.argv.slice(2).map((v) => v.replace(/\/$/, ""));
const json = async (url, headers = {}) => (await fetch(url, { headers })).json();
const mine = (where) => json(hourgate + where, { "x-api-key": key });
const rates = async (name) => {
  const a = await json(`${evcc}/api/tariff/${name}`);
  return a.rates ?? a.result?.rates ?? [];
};
const forecast = await mine("/v1/forecast?timezone=Europe/Vienna");
const pv = await mine("/v1/plant/pv-forecast?granularity=both&timezone=Europe/Vienna").catch(() => null);
const hourAt = (ms) => forecast.prices.find((p) => Date.parse(p.start) <= ms && ms < Date.parse(p.end));

for (const [name, of] of [
  ["grid", (p) => p.total_ct_kwh ?? p.price_ct_kwh],
  ["feedin", (p) => p.export_ct_kwh ?? p.price_ct_kwh],
  ["planner", (p) => p.total_ct_kwh ?? p.price_ct_kwh],
]) {
  const list = await rates(name);
  const steps = new Set(list.map((r) => Date.parse(r.end) - Date.parse(r.start)));
  const gaps = list.filter((r, i) => i > 0 && Date.parse(r.start) !== Date.parse(list[i - 1].end)).length;
  let quarters = 0;
  const hours = new Map();
  for (const r of list) {
    const hour = hourAt(Date.parse(r.start));
    if (!hour) continue;
    const h = hours.get(hour.start) ?? { source: hour.source, want: of(hour) / 100, got: [] };
    h.got.push(r.value);
    hours.set(hour.start, h);
    quarters += 1;
  }
  const whole = [...hours.values()].filter((h) => h.got.length === 4);
  const off = whole.map((h) => Math.abs(h.got.reduce((a, b) => a + b) / 4 - h.want));
  const distinct = whole.filter((h) => new Set(h.got).size > 1).length;
  console.log(
    `${name}: ${list.length} slots of ${[...steps].map((s) => s / 60_000)} min, ${list[0]?.start} to ${list.at(-1)?.end}, ${gaps} gaps; ${quarters} slots within hourgate's ${forecast.prices.length} h; hours whose mean differs by more than 0.00001: ${off.filter((d) => d > 1e-5).length} of ${whole.length} (most ${off.length ? Math.max(...off).toFixed(6) : "-"}); hours with different quarters: ${distinct}`,
  );
}
const solar = await rates("solar");
if (solar.length && pv?.hourly) {
  const gaps = solar.filter((r, i) => i > 0 && Date.parse(r.start) !== Date.parse(solar[i - 1].end)).length;
  console.log(`solar: ${solar.length} slots, ${solar[0].start} to ${solar.at(-1).end}, ${gaps} gaps`);
  for (const day of pv.daily) {
    const wh = solar
      .filter((r) => new Date(r.start).toLocaleDateString("sv", { timeZone: "Europe/Vienna" }) === day.date)
      .reduce((sum, r) => sum + (r.value * (Date.parse(r.end) - Date.parse(r.start))) / 3_600_000, 0);
    console.log(`  ${day.date}: evcc ${(wh / 1000).toFixed(2)} kWh, hourgate ${day.kwh} kWh`);
  }
}
const state = await json(`${evcc}/api/state`);
const now = hourAt(Date.now());
console.log(
  "evcc now:",
  JSON.stringify({
    tariffGrid: state.tariffGrid,
    tariffFeedIn: state.tariffFeedIn,
    tariffSolar: state.tariffSolar,
    currency: state.currency,
    solarToday: state.forecast?.solar?.today,
    solarTomorrow: state.forecast?.solar?.tomorrow,
  }),
);
console.log(
  "hourgate now:",
  JSON.stringify({ hour: now?.start, total: now?.total_ct_kwh / 100, export: now?.export_ct_kwh / 100 }),
);
