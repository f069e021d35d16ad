import "../../support/setup.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import type { NotificationKind } from "../../../src/core/domain/notification.js";
import { localDate } from "../../../src/core/time/zone.js";
import { isQuiet } from "../../../src/messages/notifications/quiet-hours.js";
import {
  claimed,
  type DeliveryOutcome,
  dueNotifications,
  endedSince,
  NO_NOTIFICATIONS,
  type NotificationState,
  notificationsFromJson,
  observed,
  type ReportedState,
  settled,
} from "../../../src/messages/notifications/rules.js";
import { withRubbish } from "../../support/with-rubbish.js";

const VIENNA = "Europe/Vienna";
const NIGHT = { from: "22:00", to: "07:00" };

const at = (text: string) => new Date(text);
const lost: ReportedState = { kind: "telemetry_lost", key: "soc", data: {} };
const car: ReportedState = { kind: "actuator_failed", key: "car", data: {} };

/** A site with one channel that takes what `outcome` says. */
class Site {
  stored = NO_NOTIFICATIONS;
  holds: ReportedState[] = [];
  outcome: DeliveryOutcome = { is: "sent" };
  readonly taken: { at: Date; kind: NotificationKind; keys: string[]; ended: string[] }[] = [];

  constructor(
    readonly quiet: NotificationState["quiet"] = null,
    readonly zone = VIENNA,
  ) {}

  turn(now: Date): void {
    this.stored = observed(this.stored, this.holds, now);
    for (const due of dueNotifications(this.state(), now)) {
      this.stored = claimed(this.stored, due, now, this.zone);
      const ended = endedSince(this.stored, due.channel);
      if (this.outcome.is !== "failed")
        this.taken.push({
          at: now,
          kind: due.kind,
          keys: due.occurrences.map(({ key }) => key),
          ended: [...due.occurrences.filter(({ endedMs }) => endedMs !== null), ...ended].map(
            ({ key }) => key,
          ),
        });
      this.stored = settled(this.stored, due, this.outcome, { now, ended });
    }
  }

  /** A turn every ten minutes. */
  run(from: string, to: string): void {
    for (let ms = at(from).getTime(); ms <= at(to).getTime(); ms += 10 * MINUTE_MS) this.turn(new Date(ms));
  }

  state(): NotificationState {
    const { zone, quiet } = this;
    const kinds = ["telemetry_lost", "actuator_failed"] as const;
    return { ...this.stored, zone, quiet, kinds, channels: ["ntfy"] };
  }
}

describe("quiet hours", () => {
  it("end and begin at local times, across midnight and on days with a change of the clock", () => {
    const quiet = (text: string, hours = NIGHT) => isQuiet(at(text), hours, VIENNA);
    expect(quiet("2026-01-15T20:59:59Z")).toBe(false);
    expect(quiet("2026-01-15T21:00:00Z")).toBe(true);
    expect(quiet("2026-01-16T05:59:59Z")).toBe(true);
    expect(quiet("2026-01-16T06:00:00Z")).toBe(false);
    // Spring: 02:30 does not exist, 03:00 follows 02:00.
    const early = { from: "01:00", to: "02:30" };
    expect(quiet("2026-03-29T00:59:00Z", early)).toBe(true);
    expect(quiet("2026-03-29T01:00:00Z", early)).toBe(false);
    // Autumn: the second 02:00 to 02:30 is not quiet again.
    expect(quiet("2026-10-25T00:29:00Z", early)).toBe(true);
    expect(quiet("2026-10-25T00:30:00Z", early)).toBe(false);
    expect(quiet("2026-10-25T01:15:00Z", early)).toBe(false);
    expect(isQuiet(at("2026-01-15T21:00:00Z"), { from: "08:00", to: "08:00" }, VIENNA)).toBe(false);
  });
});

describe("notifications", () => {
  it("report a state once it has lasted, and its end with the next message", () => {
    const site = new Site();
    site.holds = [lost];
    site.turn(at("2026-01-15T10:00:00Z"));
    expect(site.taken).toEqual([]);
    site.run("2026-01-15T10:10:00Z", "2026-01-15T12:00:00Z");
    expect(site.taken).toEqual([
      { at: at("2026-01-15T10:10:00Z"), kind: "telemetry_lost", keys: ["soc"], ended: [] },
    ]);
    site.holds = [car];
    site.run("2026-01-15T12:10:00Z", "2026-01-15T13:00:00Z");
    expect(site.taken[1]).toMatchObject({ kind: "actuator_failed", keys: ["car"], ended: ["soc"] });
  });

  it("send one of a kind a day; a second one waits for the next day, unless it has ended by then", () => {
    const site = new Site();
    site.holds = [lost];
    site.run("2026-01-15T10:00:00Z", "2026-01-15T11:00:00Z");
    site.holds = [];
    site.run("2026-01-15T11:10:00Z", "2026-01-15T12:00:00Z");
    site.holds = [lost];
    site.run("2026-01-15T12:10:00Z", "2026-01-15T23:30:00Z");
    expect(site.taken.map(({ at }) => at.toISOString())).toEqual([
      "2026-01-15T10:10:00.000Z",
      // Midnight in Vienna.
      "2026-01-15T23:00:00.000Z",
    ]);
    site.holds = [];
    site.run("2026-01-15T23:40:00Z", "2026-01-15T23:50:00Z");
    site.holds = [lost];
    site.run("2026-01-16T00:00:00Z", "2026-01-16T22:00:00Z");
    site.holds = [];
    site.run("2026-01-16T22:10:00Z", "2026-01-17T12:00:00Z");
    expect(site.taken).toHaveLength(2);
  });

  it("wait for the end of the quiet hours, and are left out if they are obsolete by then", () => {
    const site = new Site(NIGHT);
    site.holds = [lost];
    site.run("2026-01-15T22:00:00Z", "2026-01-16T02:00:00Z");
    site.holds = [car];
    site.run("2026-01-16T02:10:00Z", "2026-01-16T08:00:00Z");
    expect(site.taken).toEqual([
      { at: at("2026-01-16T06:00:00Z"), kind: "actuator_failed", keys: ["car"], ended: [] },
    ]);
  });

  it("are tried again while the channel is down, also after their end, and given up after three days", () => {
    const site = new Site();
    site.holds = [lost];
    site.outcome = { is: "failed", fault: "unreachable" };
    site.run("2026-01-15T10:00:00Z", "2026-01-15T12:00:00Z");
    expect(site.stored.log).toMatchObject([{ kind: "telemetry_lost", fault: "unreachable" }]);
    site.holds = [];
    site.run("2026-01-15T12:10:00Z", "2026-01-16T12:00:00Z");
    site.outcome = { is: "sent" };
    site.run("2026-01-16T12:10:00Z", "2026-01-16T13:00:00Z");
    expect(site.taken).toMatchObject([{ keys: ["soc"], ended: ["soc"] }]);
    expect(site.stored.log).toMatchObject([{ fault: null }]);
    expect(site.stored.occurrences).toEqual([]);
    site.holds = [car];
    site.outcome = { is: "failed", fault: "unreachable" };
    site.run("2026-02-01T10:00:00Z", "2026-02-04T12:00:00Z");
    site.outcome = { is: "sent" };
    site.run("2026-02-04T12:10:00Z", "2026-02-06T12:00:00Z");
    expect(site.taken).toHaveLength(1);
  });

  it("do not wait for the times of a clock that was years ahead", () => {
    const seen = new Site();
    seen.holds = [lost];
    seen.turn(at("2036-01-15T10:00:00Z"));
    seen.run("2026-01-15T10:00:00Z", "2026-01-15T11:00:00Z");
    expect(seen.taken).toMatchObject([{ at: at("2026-01-15T10:10:00Z"), keys: ["soc"] }]);
    const refused = new Site();
    refused.holds = [lost];
    refused.outcome = { is: "failed", fault: "unreachable" };
    refused.run("2036-01-15T10:00:00Z", "2036-01-15T12:00:00Z");
    refused.outcome = { is: "sent" };
    refused.run("2026-01-15T10:00:00Z", "2026-01-15T10:10:00Z");
    expect(refused.taken).toHaveLength(1);
    refused.holds = [];
    refused.run("2026-01-15T10:20:00Z", "2026-01-16T12:00:00Z");
    expect(refused.stored.occurrences).toEqual([]);
  });

  it("that may have arrived before a crash are not repeated on the same day", () => {
    const site = new Site();
    site.holds = [lost];
    site.outcome = { is: "unknown" };
    site.run("2026-01-15T10:00:00Z", "2026-01-15T22:50:00Z");
    expect(site.taken).toHaveLength(1);
    site.outcome = { is: "sent" };
    site.run("2026-01-15T23:00:00Z", "2026-01-16T12:00:00Z");
    expect(site.taken.map(({ at }) => at.toISOString())).toEqual([
      "2026-01-15T10:10:00.000Z",
      "2026-01-15T23:00:00.000Z",
    ]);
  });

  it("never come twice of a kind on a local day nor in quiet hours, and none is lost", () => {
    const clock = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 30))
      .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 700 }),
      toggles: fc.subarray([lost, car]),
      outcome: fc.constantFrom<DeliveryOutcome>(
        { is: "sent" },
        { is: "sent" },
        { is: "failed", fault: "timeout" },
        { is: "unknown" },
      ),
      crashes: fc.boolean(),
    });
    const run = fc.record({
      quiet: fc.option(fc.record({ from: clock, to: clock }), { nil: null }),
      zone: fc.constantFrom(VIENNA, "UTC", "Australia/Lord_Howe", "America/Havana"),
      // Around the changes of the clock in Europe, Lord Howe and Havana.
      start: fc.constantFrom("2026-03-07T20:00:00Z", "2026-03-28T20:00:00Z", "2026-10-24T12:00:00Z"),
      steps: fc.array(step, { minLength: 1, maxLength: 40 }),
    });
    fc.assert(
      fc.property(run, ({ quiet, zone, start, steps }) => {
        const site = new Site(quiet, zone);
        let now = at(start);
        const since = new Map<string, Date>();
        for (const { minutes, toggles, outcome, crashes } of steps) {
          now = new Date(now.getTime() + minutes * MINUTE_MS);
          for (const one of toggles) {
            const holds = site.holds.includes(one);
            site.holds = holds ? site.holds.filter((other) => other !== one) : [...site.holds, one];
            since.set(one.key, now);
          }
          site.outcome = outcome;
          site.turn(now);
          // A restart reads what was stored.
          if (crashes) site.stored = JSON.parse(JSON.stringify(site.stored));
        }
        site.outcome = { is: "sent" };
        for (let left = 0; left < 3 * DAY_MS; left += HOUR_MS / 2) {
          now = new Date(now.getTime() + HOUR_MS / 2);
          site.turn(now);
        }
        const days = site.taken.map(({ at, kind }) => `${kind} ${localDate(at, zone)}`);
        expect(new Set(days).size).toBe(days.length);
        expect(site.taken.filter(({ at }) => isQuiet(at, quiet, zone))).toEqual([]);
        for (const { key } of site.holds)
          expect(
            site.taken.some(({ at, keys }) => keys.includes(key) && at >= since.get(key)!),
            `${key} since ${since.get(key)?.toISOString()}`,
          ).toBe(true);
        // What the channel had refused is delivered even if it ended meanwhile.
        expect(
          site.stored.occurrences.filter(({ deliveries }) => deliveries.ntfy?.state === "failed"),
        ).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

it("uses what is stored as it is, and nothing with rubbish in it", () => {
  const delivery = { state: "sent", attempts: 1, firstMs: 1, retryMs: 2 };
  const occurrence = {
    kind: "telemetry_lost",
    key: "soc",
    data: { hours: 2 },
    sinceMs: 1,
    endedMs: null,
    expiresMs: null,
    deliveries: { email: delivery },
  };
  const entry = { atMs: 1, kind: "telemetry_lost", channel: "ntfy", firstMs: 1, fault: "full" };
  const stored = { occurrences: [occurrence], days: { "email/telemetry_lost": "2026-05-04" }, log: [entry] };
  expect(notificationsFromJson({ version: 1, ...stored })).toEqual(stored);
  fc.assert(
    fc.property(withRubbish(stored), (one) => {
      const { occurrences, days, log } = notificationsFromJson(one);
      for (const each of log) expect({ ...each, fault: "full" }).toEqual(entry);
      for (const each of occurrences) expect(each.sinceMs).toBe(1);
      for (const day of Object.values(days)) expect(day).toBeTypeOf("string");
    }),
  );
});
