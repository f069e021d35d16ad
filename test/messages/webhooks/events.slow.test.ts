import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hoursDemandDocument } from "../../../src/api/documents/hours-demand.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { type Disk, newDisk, removeDisk, webhooksOn } from "./harness.js";
import { makeCertificate, missingOpenssl, type Receiver, startReceiver } from "./receiver.js";
import { type PriceAt, type SimulatedSite, startSimulatedSite } from "./simulated-site.js";
import { replayDays, replayedPrices } from "./week.js";

const missing = missingOpenssl();
if (missing !== undefined) console.warn(missing);

const VIEW = { zone: "Europe/Vienna", baseUrl: "http://192.168.1.5:8080/", language: "de" as const };
/** Cheap until 06:00 in Vienna, expensive in the morning and the evening. */
const winterDay: PriceAt = (start) =>
  start.getUTCHours() < 5 ? 50 : start.getUTCHours() % 12 < 8 ? 300 : 150;

/** The fields of docs/spec/webhooks.md sections 4 and 5, in the order of its tables. */
const PLAN_FIELDS = (
  "event issued_at hours_needed hours_needed_today energy_charge_kwh charge_hours_today hours_demand_url " +
  "prefix_hours_needed_today prefix_period_hours_today prefix_energy_charge_kwh charge_now charge_stop_soc_pct " +
  "discharge_power_kw discharge_reason adaptive_discharge min_soc_pct charge_power_kw grid_charge_allowed plan_hash " +
  "charge_cap_kw charge_cap_reason feed_in_limit_kw discharge_set_kw"
).split(" ");

describe.skipIf(missing !== undefined)("an event", () => {
  const certificate = missing === undefined ? makeCertificate() : { key: "", cert: "" };
  let receiver: Receiver;
  let disk: Disk;
  const stops: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    receiver = await startReceiver(certificate);
    disk = newDisk();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await receiver.close();
    removeDisk(disk);
  });

  const start = async (changes: Parameters<typeof webhooksOn>[1] = {}) => {
    const webhooks = await webhooksOn(disk, { ca: certificate.cert, ...changes });
    stops.push(() => webhooks.webhooks.stop());
    return webhooks;
  };
  const hook = () => `https://127.0.0.1:${receiver.port}/hook`;
  const bodies = () => receiver.received.map(({ rawBody }) => JSON.parse(rawBody));
  it("forecast.updated has the specified fields, with the site for partner accounts only", async () => {
    const card = { api_key_id: "key-7", label: "Haus Süd", customer_ref: "K-1001" };
    const { webhooks, forecastRun, recorded } = await start({ cards: new Map([["s2", card]]) });
    await webhooks.set("home", hook());
    forecastRun("day_ahead");
    // Nothing is sent before `open`.
    expect(receiver.received).toEqual([]);
    webhooks.open();
    await recorded("home", 1);
    await webhooks.set("s2", hook());
    forecastRun("manual");
    await recorded("home", 2);
    await recorded("s2", 1);
    const event = {
      event: "forecast.updated",
      issued_at: "2026-01-15T01:00:00+01:00",
      model_version: "ridge-1",
      trigger: "day_ahead",
      forecast_url: "http://192.168.1.5:8080/v1/forecast",
    };
    const manual = { ...event, trigger: "manual" };
    expect(bodies()).toEqual([event, manual, { ...manual, site: card }]);
    expect(receiver.received[0]!.rawBody).toBe(JSON.stringify(event));
  });

  it("plant.plan_updated has exactly the specified fields with the values of hours-demand", async () => {
    const { webhooks, bus, clock, recorded } = await start();
    webhooks.open();
    await webhooks.set("home", hook());
    const simulated = await startSimulatedSite({ bus, clock, documents: disk.documents, priceAt: winterDay });
    stops.push(simulated.stop);
    const plan = simulated.measure(20);
    await recorded("home", 1);
    const [body] = bodies();
    expect(Object.keys(body)).toEqual(PLAN_FIELDS);
    const answer = hoursDemandDocument(plan, VIEW);
    for (const field of PLAN_FIELDS.slice(1)) expect([field, body[field]]).toEqual([field, answer[field]]);
    expect(body.hours_demand_url).toBe("http://192.168.1.5:8080/v1/decision/hours-demand");
    expect(body.issued_at).toBe("2026-01-15T01:00:00+01:00");
    expect(body.charge_hours_today.length).toBeGreaterThan(0);
    for (const run of body.charge_hours_today) expect(Object.keys(run)).toEqual(["start", "end"]);
    expect(body.plan_hash).toBe(hashOfStarts(answer));
  });

  it("is sent when near_min_soc starts and when it ends", async () => {
    const { webhooks, bus, clock, recorded } = await start();
    webhooks.open();
    // Constant high price: charging never pays off.
    const simulated = await startSimulatedSite({ bus, clock, documents: disk.documents, priceAt: () => 300 });
    stops.push(simulated.stop);
    simulated.measure(60);
    await webhooks.set("home", hook());
    const before = simulated.plans.filter(({ material }) => material).length;
    const [begin, during, end] = [12, 12.1, 60].map(
      (socPct) => simulated.measure(socPct).scalars.dischargeReason,
    );
    expect([begin, during]).toEqual(["near_min_soc", "near_min_soc"]);
    expect(end).not.toBe("near_min_soc");
    await recorded("home", 2);
    expect(bodies().map((body) => body.discharge_reason)).toEqual(["near_min_soc", end]);
    expect(simulated.plans.filter(({ material }) => material)).toHaveLength(before + 2);
  });

  it("is not sent again for an unchanged plan after a restart", async () => {
    const run = async (socPct: number, clockAt?: Date) => {
      const webhooks = await start();
      if (clockAt !== undefined) await webhooks.clock.set(clockAt);
      if (webhooks.webhooks.get("home") === undefined) await webhooks.webhooks.set("home", hook());
      const simulated: SimulatedSite = await startSimulatedSite({
        bus: webhooks.bus,
        clock: webhooks.clock,
        documents: disk.documents,
        priceAt: winterDay,
      });
      simulated.measure(socPct);
      webhooks.webhooks.open();
      await simulated.stop();
      // Waits for deliveries in progress.
      await webhooks.webhooks.stop();
    };
    await run(20);
    expect(bodies()).toHaveLength(1);
    await run(20.1, new Date("2026-01-15T00:10:00Z"));
    expect(bodies()).toHaveLength(1);
    // A nearly full battery changes the plan: the receiver is still reachable.
    await run(95, new Date("2026-01-15T00:20:00Z"));
    expect(bodies()).toHaveLength(2);
  });

  it("is sent for each material change of three replayed days and for nothing else", {
    timeout: 180_000,
  }, async () => {
    const week = replayedPrices();
    const { webhooks, bus, clock, recorded } = await start();
    webhooks.open();
    await webhooks.set("home", hook());
    await clock.set(week.start);
    const simulated = await startSimulatedSite({
      bus,
      clock,
      documents: disk.documents,
      priceAt: week.priceAt,
      publicUntil: week.publicUntil,
    });
    stops.push(simulated.stop);

    const changes: SitePlan[] = [];
    const reasons = new Set<string>();
    // All plans are compared, not only those that the service marks as material.
    bus.on("plan.updated", (plan) => {
      reasons.add(plan.scalars.dischargeReason);
      if (hasChanged(changes.at(-1), plan)) changes.push(plan);
    });
    await replayDays(simulated, clock, () => receiver.until(changes.length));
    expect(changes.length).toBeGreaterThan(6);
    expect([...reasons]).toContain("near_min_soc");
    await recorded("home", Math.min(50, changes.length));
    expect(bodies().map(({ issued_at, plan_hash }) => [Date.parse(issued_at), plan_hash])).toEqual(
      changes.map((plan) => [
        Math.floor(plan.issuedAt.getTime() / 1000) * 1000,
        hashOfStarts(hoursDemandDocument(plan, VIEW)),
      ]),
    );
  });
});

/** plan_hash by docs/spec/webhooks.md section 5, computed from the hours-demand answer. */
function hashOfStarts(answer: Record<string, unknown>): string {
  const runs = answer.charge_hours as { start: string }[];
  const starts = runs.map(({ start }) => new Date(start).toISOString().replace(".000Z", "Z"));
  return createHash("sha256").update(starts.join(",")).digest("hex").slice(0, 16);
}

/** Whether the change is material by docs/spec/webhooks.md section 6. */
function hasChanged(known: SitePlan | undefined, plan: SitePlan): boolean {
  if (known === undefined) return true;
  const now = +plan.issuedAt;
  const today = ({ chargeHoursToday }: SitePlan) =>
    chargeHoursToday.filter(({ end }) => +end > now).map(({ start, end }) => `${+start} ${+end}`);
  const futureStarts = ({ chargeHours }: SitePlan) =>
    chargeHours.map(({ start }) => +start).filter((start) => start > now && start < now + 6 * 86_400_000);
  const isNearMin = ({ scalars }: SitePlan) => scalars.dischargeReason === "near_min_soc";
  const capKw = ({ scalars }: SitePlan) => scalars.dischargePowerKw;
  return (
    (known.days[0]!.date === plan.days[0]!.date && `${today(known)}` !== `${today(plan)}`) ||
    `${futureStarts(known)}` !== `${futureStarts(plan)}` ||
    Math.abs(capKw(known) - capKw(plan)) > 0.01 ||
    isNearMin(known) !== isNearMin(plan)
  );
}
