import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import type { CalendarPeriod } from "../../src/telemetry/calendar/calendar-periods.js";
import { PresenceInputError, PresenceService } from "../../src/telemetry/presence-service.js";
import { manualClock } from "../support/manual-clock.js";
import { NO_CALENDARS } from "./usual-presence.js";

const NOW = new Date("2026-07-01T12:00:00Z");
const DAY_MS = 86_400_000;
const day = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

async function service(
  stored = new Map<string, unknown>(),
  calendars: ConstructorParameters<typeof PresenceService>[0]["calendars"] = NO_CALENDARS,
) {
  const bus = createBus();
  const clock = manualClock(NOW);
  const changed: string[] = [];
  bus.on("load.learned", ({ siteId }) => changed.push(siteId));
  const plant = defaultSettings().plants[0]!;
  const presence = new PresenceService({
    bus,
    clock,
    sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]),
    calendars,
    documents: {
      get: async (name) => stored.get(name),
      put: async (name, value) => void stored.set(name, JSON.parse(JSON.stringify(value))),
    },
    log: silentLog,
  });
  await presence.start();
  return { presence, clock, changed, stored };
}

describe("PresenceService", () => {
  it("keeps what is named over a restart, and says that the load has changed", async () => {
    const { presence, changed, stored } = await service();
    expect(presence.periods("home")).toEqual([]);
    await presence.add("home", { kind: "away", from: day(2), until: day(12) });
    await presence.add("home", { kind: "guests" });
    expect(changed).toEqual(["home", "home"]);
    const again = await service(stored);
    expect(again.presence.periods("home")).toEqual([
      { id: "p1", kind: "away", fromMs: day(2).getTime(), untilMs: day(12).getTime() },
      { id: "p2", kind: "guests", fromMs: NOW.getTime(), untilMs: null },
    ]);
    expect(again.presence.periods("elsewhere")).toEqual([]);
  });

  it("ends the period in progress and removes coming ones when somebody is back", async () => {
    const { presence, clock } = await service();
    await presence.add("home", { kind: "away", until: day(10) });
    await presence.add("home", { kind: "guests", from: day(11), until: day(12) });
    expect(presence.mayBeAway("home")).toBe(false);
    await clock.advance(DAY_MS);
    await presence.end("home");
    expect(presence.periods("home")).toEqual([
      { id: "p1", kind: "away", fromMs: NOW.getTime(), untilMs: day(1).getTime() },
    ]);
    // Who says to be at home is believed for two days.
    expect(presence.mayBeAway("home")).toBe(false);
    await clock.advance(2 * DAY_MS);
    expect(presence.mayBeAway("home")).toBe(true);
  });

  it.each([
    ["until", { from: day(2), until: day(1) }],
    ["from", { from: day(500) }],
    ["from", { from: day(-100) }],
  ])("names the field %s that makes no sense, and nothing is lost", async (field, wrong) => {
    const { presence } = await service();
    await presence.add("home", { kind: "guests" });
    const refused = presence.add("home", { kind: "away", ...wrong });
    await expect(refused).rejects.toThrow(PresenceInputError);
    await expect(refused).rejects.toMatchObject({ field });
    expect(presence.periods("home")).toHaveLength(1);
  });

  it("changes the end of what holds now, and ends it for something else", async () => {
    const { presence, clock } = await service();
    await presence.add("home", { kind: "away" });
    await presence.add("home", { kind: "away", until: day(3) });
    expect(presence.periods("home")).toEqual([
      { id: "p1", kind: "away", fromMs: NOW.getTime(), untilMs: day(3).getTime() },
    ]);
    await clock.advance(DAY_MS);
    await presence.add("home", { kind: "guests" });
    expect(presence.periods("home")).toEqual([
      { id: "p1", kind: "away", fromMs: NOW.getTime(), untilMs: day(1).getTime() },
      { id: "p2", kind: "guests", fromMs: day(1).getTime(), untilMs: null },
    ]);
    expect(presence.inForce("home")).toMatchObject({ kind: "guests" });
  });

  it("takes a period back by its id, which no other one gets", async () => {
    const { presence } = await service();
    await presence.add("home", { kind: "away", from: day(-5), until: day(-2) });
    await presence.remove("home", "p1");
    expect(presence.periods("home")).toEqual([]);
    await expect(presence.remove("home", "p1")).rejects.toMatchObject({ field: "remove" });
    await presence.add("home", { kind: "guests" });
    expect(presence.periods("home")).toMatchObject([{ id: "p2" }]);
  });

  it("says that the load changes when a period begins and when it ends", async () => {
    const { presence, clock, changed } = await service();
    await presence.add("home", { kind: "away", from: day(1), until: day(2) });
    changed.length = 0;
    await clock.set(day(1));
    expect(changed).toEqual(["home"]);
    await clock.set(new Date(day(2).getTime() - 60_000));
    expect(changed).toEqual(["home"]);
    await clock.set(day(2));
    expect(changed).toEqual(["home", "home"]);
  });

  it("takes the events of a calendar, too; what people say comes first", async () => {
    const event: CalendarPeriod = {
      id: "c1",
      kind: "away",
      title: "Urlaub",
      fromMs: day(-1).getTime(),
      untilMs: day(5).getTime(),
    };
    const cuts: unknown[] = [];
    const events = [event];
    const calendars = { periods: () => events, cut: async (...cut: unknown[]) => void cuts.push(cut) };
    const { presence } = await service(new Map(), calendars);
    expect(presence.inForce("home")).toEqual(event);
    expect(presence.periods("home")).toBe(presence.periods("home"));
    expect(presence.mayBeAway("home")).toBe(false);
    await presence.add("home", { kind: "guests", until: day(1) });
    expect(presence.inForce("home")).toMatchObject({ kind: "guests" });
    await presence.end("home");
    await presence.remove("home", "c1");
    expect(cuts).toEqual([
      ["home", "c1", NOW.getTime()],
      ["home", "c1", event.fromMs],
    ]);
  });
});
