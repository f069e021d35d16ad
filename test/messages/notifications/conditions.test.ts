import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { dayInterval } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import {
  conditionsOf,
  reportedMonth,
  type SiteFacts,
} from "../../../src/messages/notifications/conditions.js";
import { messageOf } from "../../../src/messages/notifications/message.js";
import {
  dueNotifications,
  NO_NOTIFICATIONS,
  type Occurrence,
  observed,
} from "../../../src/messages/notifications/rules.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { BROKEN } from "./harness.js";

const VIENNA = "Europe/Vienna";
const plant = { ...defaultSettings().plants[0]!, timezone: VIENNA };

function facts(changes: Partial<SiteFacts> & { now: Date }): SiteFacts {
  return {
    site: { id: "home", accountId: "owner", plant },
    actuators: [],
    plan: undefined,
    live: {},
    limits: { staleMinutes: 10, lostMinutes: 60 },
    published: PriceSeries.empty,
    tariff: undefined,
    report: undefined,
    story: undefined,
    ...changes,
  };
}

/** What is known to hold. */
const holding = (of: SiteFacts) =>
  conditionsOf(of)
    .filter(({ isUnknown }) => !isUnknown)
    .map(({ kind, key }) => `${kind} ${key}`);

const unknown = (of: SiteFacts) =>
  conditionsOf(of)
    .filter(({ isUnknown }) => isUnknown)
    .map(({ kind, key }) => `${kind} ${key}`);

/** Hourly prices of local days, EUR/MWh, by their place in the day. */
function prices(dates: readonly string[], eurPerMwh: (hour: number) => number): PriceSeries {
  return PriceSeries.of(
    dates.flatMap((date) => {
      const { start, end } = dayInterval(date, VIENNA);
      const hours = (end.getTime() - start.getTime()) / 3_600_000;
      return Array.from({ length: hours }, (_, hour) => ({
        start: new Date(start.getTime() + hour * 3_600_000),
        minutes: 60 as const,
        eurPerMwh: eurPerMwh(hour),
      }));
    }),
  );
}

const NOON = new Date("2026-05-23T11:00:00Z");
const followed = (following: string) =>
  ({ scalars: { following, followingCause: "not_charging" } }) as unknown as SitePlan;

it("knows devices that have failed, not those that are switched off, waiting or sending", () => {
  const of = (changes: object) => facts({ now: NOON, actuators: [{ ...BROKEN, ...changes }] });
  expect(holding(of({}))).toEqual(["actuator_failed car"]);
  expect(holding(of({ phase: "sending" }))).toEqual(["actuator_failed car"]);
  expect(holding(of({ phase: "dry_run" }))).toEqual([]);
  expect(unknown(of({ phase: "waiting", lastError: null }))).toContain("actuator_failed car");
  expect(unknown(of({ phase: "confirmed", lastError: null }))).not.toContain("actuator_failed car");
});

it("counts the time of a device that is waited for from its beginning", () => {
  const at = new Date(NOON.getTime() - 30_000);
  const lastError = { fault: "no_reading" as const, message: "", at };
  const of = facts({ now: NOON, actuators: [{ ...BROKEN, phase: "waiting", lastError }] });
  const seen = observed(NO_NOTIFICATIONS, conditionsOf(of), NOON);
  expect(seen.occurrences.map(({ sinceMs }) => sinceMs)).toContain(at.getTime());
  const due = (seconds: number) =>
    dueNotifications(
      { ...seen, zone: VIENNA, quiet: null, kinds: ["actuator_failed"], channels: ["email"] },
      new Date(at.getTime() + seconds * 1000),
    ).length;
  expect([due(299), due(300)]).toEqual([0, 1]);
});

it("knows whether the battery follows and is measured, and says unknown where it cannot tell", () => {
  const soc = (minutes: number) => ({
    soc_pct: { value: 50, at: new Date(NOON.getTime() - minutes * 60_000) },
  });
  expect(holding(facts({ now: NOON, plan: followed("no"), live: soc(5) }))).toEqual([
    "battery_not_following battery",
  ]);
  expect(holding(facts({ now: NOON, plan: followed("yes"), live: soc(61) }))).toEqual([
    "telemetry_lost soc_pct",
  ]);
  expect(unknown(facts({ now: NOON, plan: followed("unknown") }))).toEqual(
    expect.arrayContaining(["battery_not_following battery", "telemetry_lost soc_pct"]),
  );
  const site = { id: "home", accountId: "owner", plant: { ...plant, battery: null } };
  expect(holding(facts({ now: NOON, site, plan: followed("no"), live: soc(61) }))).toEqual([]);
});

it("tells tomorrow's negative prices once all of them are known, with hours of the local day", () => {
  const dates = ["2026-05-23", "2026-05-24"];
  const noonIsNegative = (hour: number) => (hour >= 11 && hour < 16 ? -10 * (hour - 10) : 80);
  const known = facts({ now: NOON, published: prices(dates, noonIsNegative) });
  expect(holding(known)).toEqual(["negative_prices 2026-05-24"]);
  expect(holding(facts({ now: NOON, published: prices(dates.slice(0, 1), noonIsNegative) }))).toEqual([]);
  expect(holding(facts({ now: NOON, published: prices(dates, () => 0) }))).toEqual([]);

  const tariff = { importCtKwh: (spot: number) => spot + 10, exportCtKwh: (spot: number) => spot };
  const [condition] = conditionsOf({ ...known, tariff }).filter(({ isUnknown }) => !isUnknown);
  expect(condition?.expiresMs).toBe(Date.parse("2026-05-24T14:00:00Z"));
  const occurrence: Occurrence = {
    ...condition!,
    sinceMs: NOON.getTime(),
    endedMs: null,
    expiresMs: condition!.expiresMs!,
    deliveries: {},
  };
  const message = messageOf("negative_prices", [occurrence], [], {
    siteId: "home",
    siteName: "Almhütte",
    zone: VIENNA,
    language: "de",
    now: NOON,
    link: "http://gate.example/dashboard",
  });
  expect(message.title).toBe("Almhütte: Negative Strompreise morgen (24.05.2026)");
  expect(message.text).toBe(
    "Der Börsenpreis liegt unter 0 ct/kWh: 11:00–16:00. Niedrigster Preis: −5,00 ct/kWh um 15:00. " +
      "Mit Ihrem Tarif ist der niedrigste Preis des Tages 5,00 ct/kWh.",
  );
});

it("finds negative hours on days with a change of the clock", () => {
  // The second hour of the 25-hour day repeats 02:00: hours 3 and 4 are 02:00 (again) and 03:00.
  const autumn = facts({
    now: new Date("2026-10-24T12:00:00Z"),
    published: prices(["2026-10-24", "2026-10-25"], (hour) => (hour === 24 ? -1 : 50)),
  });
  const [condition] = conditionsOf(autumn).filter(({ isUnknown }) => !isUnknown);
  expect(condition?.data).toMatchObject({
    spans: [{ startMs: Date.parse("2026-10-25T22:00:00Z"), endMs: Date.parse("2026-10-25T23:00:00Z") }],
    allInCtKwh: null,
  });
});

it("reports a month from its next first day at eight, local time, for a week", () => {
  const month = (text: string) => reportedMonth(new Date(text), VIENNA);
  expect(month("2026-02-28T22:59:00Z")).toBeUndefined();
  expect(month("2026-03-01T06:59:00Z")).toBeUndefined();
  expect(month("2026-03-01T07:00:00Z")).toBe("2026-02");
  // The clock goes forward within the day: eight is eight.
  expect(month("2026-04-01T06:00:00Z")).toBe("2026-03");
  expect(month("2026-03-07T22:59:00Z")).toBe("2026-02");
  expect(month("2026-03-07T23:00:00Z")).toBeUndefined();
});
