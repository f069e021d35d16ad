import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { WorkPool } from "../../../src/core/work/work-pool.js";
import { type CalendarRules, calendarPeriods } from "../../../src/telemetry/calendar/calendar-periods.js";
import { CalendarService } from "../../../src/telemetry/calendar/calendar-service.js";
import { CalendarInputError } from "../../../src/telemetry/calendar/calendar-settings.js";
import { type AnsweringServer, answeringServer } from "../../support/answering-server.js";
import { manualClock } from "../../support/manual-clock.js";

const NOW = new Date("2026-07-01T12:00:00Z");
const CALENDAR = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1
SUMMARY:Urlaub
DTSTART:20260701T080000Z
DTEND:20260718T160000Z
END:VEVENT
END:VCALENDAR`.replaceAll("\n", "\r\n");

describe("CalendarService", () => {
  let server: AnsweringServer;
  const running: CalendarService[] = [];
  beforeEach(async () => {
    server = await answeringServer((_request, response) => response.end(CALENDAR));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    await server.close();
  });

  async function service({ stored = new Map<string, unknown>(), allowsPrivate = true } = {}) {
    const bus = createBus();
    const clock = manualClock(NOW);
    const changed: string[] = [];
    bus.on("load.learned", ({ siteId }) => changed.push(siteId));
    const plant = defaultSettings().plants[0]!;
    const calendars = new CalendarService({
      bus,
      clock,
      wall: clock,
      random: () => 0,
      sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]),
      documents: {
        get: async (name) => stored.get(name),
        put: async (name, value) => {
          if (value === null) stored.delete(name);
          else stored.set(name, JSON.parse(JSON.stringify(value)));
        },
      },
      allowsPrivateHosts: () => allowsPrivate,
      log: silentLog,
    });
    running.push(calendars);
    await calendars.start();
    return { bus, calendars, changed, clock, stored };
  }

  it("reads every hour; what it last said holds while it is gone, also over a restart", async () => {
    const { calendars, changed, clock, stored } = await service();
    await calendars.set("home", server.url, ["Urlaub"]);
    await calendars.settled();
    expect(calendars.periods("home")).toMatchObject([{ kind: "away", title: "Urlaub" }]);
    expect(changed).toEqual(["home"]);
    expect(calendars.view("home")).toEqual({
      host: "127.0.0.1",
      words: ["Urlaub"],
      readAt: NOW,
      problem: undefined,
    });
    server.answer((_request, response) => void response.writeHead(410).end());
    await clock.advance(HOUR_MS);
    await calendars.settled();
    expect(server.requests).toHaveLength(2);
    expect(calendars.view("home")).toMatchObject({ readAt: NOW, problem: expect.stringContaining("410") });
    expect(calendars.periods("home")).toHaveLength(1);
    server.answer((_request, response) => response.end("<p>Sign in</p>"));
    const again = (await service({ stored })).calendars;
    expect(again.periods("home")).toHaveLength(1);
    await again.settled();
    expect(again.view("home")?.problem).toContain("no calendar that can be read");
    expect(again.periods("home")).toHaveLength(1);
    await again.remove("home");
    expect(again.periods("home")).toEqual([]);
    expect(again.view("home")).toBeUndefined();
    expect(stored.size).toBe(0);
  });

  /** Calendars are read without a process for each: starting it takes longer than all the rest. */
  const readHere = () =>
    vi.spyOn(WorkPool.prototype, "run").mockImplementation(async (_task, input) => {
      const { text, rules } = input as { text: string; rules: CalendarRules };
      return calendarPeriods(text, rules) as never;
    });

  it("goes on reading when the clock was years ahead and is set right", async () => {
    readHere();
    const { calendars, clock } = await service();
    await clock.leap(new Date("2036-01-01T00:00:00Z"));
    await calendars.set("home", server.url, []);
    await calendars.settled();
    expect(server.requests).toHaveLength(1);
    await clock.leap(NOW);
    await clock.advance(MINUTE_MS);
    await calendars.settled();
    expect(server.requests).toHaveLength(2);
    expect(calendars.periods("home")).toHaveLength(1);
  });

  it("keeps what was taken back while the event is in the calendar", async () => {
    readHere();
    const { calendars, clock } = await service();
    await calendars.set("home", server.url, []);
    await calendars.settled();
    const [event] = calendars.periods("home");
    await calendars.cut("home", event!.id, NOW.getTime());
    await clock.advance(HOUR_MS);
    await calendars.settled();
    expect(calendars.periods("home")).toEqual([{ ...event, untilMs: NOW.getTime() }]);
    await calendars.cut("home", event!.id, event!.fromMs);
    expect(calendars.periods("home")).toEqual([]);
  });

  it("keeps everything that is taken back at the same time", async () => {
    readHere();
    const other = CALENDAR.replace("UID:1", "UID:2").replace("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "");
    server.answer((_request, response) => response.end(CALENDAR.replace("END:VCALENDAR", other)));
    const { calendars } = await service();
    await calendars.set("home", server.url, []);
    await calendars.settled();
    const events = calendars.periods("home");
    expect(events).toHaveLength(2);
    await Promise.all(events.map(({ id, fromMs }) => calendars.cut("home", id, fromMs)));
    expect(calendars.periods("home")).toEqual([]);
  });

  it("reads with words that are named while it is being read", async () => {
    readHere();
    let release = () => {};
    let asked = 0;
    server.answer((request, response) => {
      asked++;
      const isKnown = request.headers["if-none-match"] === '"1"';
      const end = () => {
        response.writeHead(isKnown ? 304 : 200, { etag: '"1"' });
        response.end(isKnown ? undefined : CALENDAR);
      };
      if (asked === 2) release = end;
      else end();
    });
    const { calendars, clock } = await service();
    await calendars.set("home", server.url, ["verreist"]);
    await calendars.settled();
    expect(calendars.periods("home")).toEqual([]);
    await clock.advance(HOUR_MS);
    await vi.waitUntil(() => asked === 2);
    await calendars.set("home", server.url, ["Urlaub"]);
    release();
    await calendars.settled();
    await clock.advance(MINUTE_MS);
    await calendars.settled();
    expect(calendars.periods("home")).toHaveLength(1);
  });

  it("stores nothing of a site that was removed meanwhile", async () => {
    const { bus, calendars, stored } = await service();
    const naming = calendars.set("home", server.url, []);
    bus.emit("site.removed", { siteId: "home" });
    await naming;
    expect(stored.size).toBe(0);
  });

  it.each([
    ["url_invalid", "calendar"],
    ["url_invalid", "ftp://example.org/a.ics"],
    ["host_not_public", "http://127.0.0.1/a.ics"],
    ["host_not_public", "https://localhost/a.ics"],
    ["host_not_public", "http://93.184.215.14/a.ics"],
    ["words_invalid", "https://example.org/a.ics", ["x".repeat(51)]],
  ])("refuses with %s the address %s, and nothing is lost", async (code, url, words: string[] = []) => {
    const { calendars, stored } = await service({ allowsPrivate: false });
    const refused = calendars.set("home", url, words);
    await expect(refused).rejects.toThrow(CalendarInputError);
    await expect(refused).rejects.toMatchObject({ code });
    expect(stored.size).toBe(0);
  });
});
