import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import { PresenceInputError, PresenceService } from "../../src/telemetry/presence-service.js";
import { manualClock } from "../support/manual-clock.js";

const NOW = new Date("2026-07-01T12:00:00Z");
const DAY_MS = 86_400_000;
const day = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

async function service(stored = new Map<string, unknown>()) {
  const bus = createBus();
  const clock = manualClock(NOW);
  const changed: string[] = [];
  bus.on("load.learned", ({ siteId }) => changed.push(siteId));
  const plant = defaultSettings().plants[0]!;
  const presence = new PresenceService({
    bus,
    clock,
    sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]),
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
      { kind: "away", fromMs: day(2).getTime(), untilMs: day(12).getTime() },
      { kind: "guests", fromMs: NOW.getTime(), untilMs: null },
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
      { kind: "away", fromMs: NOW.getTime(), untilMs: day(1).getTime() },
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
});
