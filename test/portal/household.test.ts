import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { learnLoad } from "../../src/forecast/load/learn-load.js";
import type { LoadCorrection } from "../../src/forecast/load/load-corrections.js";
import type { CalendarView } from "../../src/telemetry/calendar/calendar-service.js";
import { CalendarInputError } from "../../src/telemetry/calendar/calendar-settings.js";
import { NO_CALENDARS } from "../telemetry/usual-presence.js";
import type { Browser } from "./form-browser.js";
import { NOW, type OpenPortal, openPortal } from "./harness.js";

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Thirty days with 0.3 kW, from 18:00 to 22:00 local time 1.5 kW. */
const MODEL = learnLoad({
  now: NOW,
  timeZone: "Europe/Vienna",
  devices: [
    {
      slot: 1,
      // 12 kWh on Mondays.
      history: Array.from({ length: 28 * 96 }, (_, k) => {
        const start = new Date(NOW.getTime() - 28 * DAY_MS + k * QUARTER_MS);
        const isCharging = start.getUTCDay() === 1 && start.getUTCHours() === 12;
        return { start, kwh: isCharging ? 3 : 0 };
      }),
    },
  ],
  history: Array.from({ length: 30 * 96 }, (_, k) => {
    const start = new Date(NOW.getTime() - 30 * DAY_MS + k * QUARTER_MS);
    const hour = (start.getUTCHours() + 1) % 24;
    return { start, kwh: (hour >= 18 && hour < 22 ? 1.5 : 0.3) / 4 };
  }),
});

describe("the page Household", () => {
  let portal: OpenPortal;
  let anna: Browser;
  let absentSince: Date | undefined;
  let calendar: CalendarView | undefined;
  const named: unknown[] = [];
  const said: LoadCorrection[] = [];
  const corrections = {
    of: () => said,
    set: async (_: string, { kw, ...habit }: Omit<LoadCorrection, "kw"> & { kw: number | null }) => {
      said.length = 0;
      if (kw !== null) said.push({ ...habit, kw });
    },
  };
  const calendars = {
    ...NO_CALENDARS,
    view: () => calendar,
    set: async (...settings: unknown[]) => {
      if (settings[1] === "nowhere") throw new CalendarInputError("url_invalid", "It is no address.");
      named.push(settings.slice(1));
    },
  };
  beforeAll(async () => {
    portal = await openPortal({
      calendars,
      corrections,
      loads: { model: () => MODEL, absentSince: () => absentSince },
    });
    await portal.addAccount("anna@example.org");
    anna = await portal.signedIn("anna@example.org");
    await portal.sites.change(portal.sites.of("account-anna@example.org")[0]!.id, {
      plant: { timezone: "Europe/Vienna", slots: [{ slot: 1, kind: "wallbox" }] },
    });
  });
  afterAll(() => portal.close());

  const page = async () => textOf((await anna.get("/household")).text);

  it("shows what the plan expects of today and tomorrow, and what was learned", async () => {
    const text = await page();
    // 20 hours of 0.3 kWh and 4 of 1.5 kWh.
    expect(text).toContain("Whole day 12.0 (12.0 to 12.0) 12.0 (12.0 to 12.0)");
    expect(text).toContain("18:00 4.5 (4.5 to 4.5)");
    expect(text).toContain("Night (0 to 6) 0.30 0.30");
    expect(text).toContain("Evening (17 to 24) 0.99 0.99");
    expect(text).toContain("The plan expects a usual household.");
  });

  it("takes an absence and guests, and takes them back", async () => {
    const answer = await anna.post("/household", {
      action: "away",
      from: "2026-01-20T08:00",
      until: "2026-01-30T18:00",
    });
    expect(answer.status).toBe(303);
    expect(await page()).toMatch(/Away from .*20.* to .*30/);
    await anna.post("/household", { action: "guests", from: "", until: "" });
    expect(await page()).toMatch(/Guests since .*, until further notice/);
    await anna.post("/household", { action: "home" });
    expect(await page()).toContain("The plan expects a usual household.");
  });

  it("says what is wrong with a time, and what to do", async () => {
    await anna.post("/household", { action: "away", from: "2026-01-20T08:00", until: "2026-01-19T08:00" });
    expect(await page()).toContain("The end must be a date and time after the beginning.");
    await anna.post("/household", { action: "away", from: "soon", until: "" });
    expect(await page()).toContain("The beginning must be a date and time");
    expect((await anna.post("/household", { action: "asleep" })).status).toBe(404);
  });

  it("takes one entry back", async () => {
    await anna.post("/household", { action: "away", from: "2026-02-20T08:00", until: "2026-02-22T18:00" });
    await anna.post("/household", { action: "guests", from: "2026-03-20T08:00", until: "2026-03-22T18:00" });
    const { text } = await anna.get("/household");
    const [away] = [...text.matchAll(/name="period" value="(p\d+)"/g)].map(([, id]) => id!);
    await anna.post("/household", { action: "remove", period: away! });
    expect(await page()).not.toContain("Away from");
    expect(await page()).toContain("Guests from");
    await anna.post("/household", { action: "remove", period: away! });
    expect(await page()).toContain("This entry is no longer there.");
    await anna.post("/household", { action: "home" });
  });

  it("names a calendar with absences and says how it is, without its address", async () => {
    await anna.post("/household", {
      action: "calendar",
      calendar_url: "https://example.org/secret.ics",
      calendar_words: "Urlaub, away",
    });
    expect(named).toEqual([["https://example.org/secret.ics", ["Urlaub", " away"]]]);
    calendar = { host: "example.org", words: ["Urlaub"], readAt: NOW, problem: "example.org is away." };
    const text = await page();
    expect(text).toContain("example.org, last read");
    expect(text).toContain("It could not be read; what it last said holds. example.org is away.");
    expect(text).toContain("Use no calendar");
    await anna.post("/household", { action: "calendar", calendar_url: "nowhere", calendar_words: "" });
    expect(await page()).toContain("Enter the whole address of the calendar");
    calendar = undefined;
  });

  it("takes a correction of what was learned, and takes it back", async () => {
    await anna.post("/household", { action: "correct", habit: "evening workdays", kw: "0,9" });
    expect(said).toEqual([{ part: "evening", days: "workdays", kw: 0.9 }]);
    expect(await page()).toContain("Workdays: Evening (17 to 24): 0.90 kW as you say.");
    await anna.post("/household", { action: "as_learned", habit: "evening workdays" });
    expect(said).toEqual([]);
    await anna.post("/household", { action: "correct", habit: "evening workdays", kw: "much" });
    expect(await page()).toContain("Enter the mean power as a number from 0 to 100 kW.");
    expect(await page()).toContain("Wallbox 1: on average Monday 12.0 kWh.");
  });

  it("says that nobody seems to be at home", async () => {
    absentSince = new Date(NOW.getTime() - 30 * HOUR_MS);
    expect(await page()).toContain("Nobody seems to have been at home since");
    absentSince = undefined;
  });

  it("has the hours of the clock on the day that it is put forward", async () => {
    await portal.clock.leap(new Date("2026-03-29T08:00:00Z"));
    const hours = (await anna.get("/household")).text.matchAll(/<th scope="row">(\d\d:00)<\/th>/g);
    expect([...hours].map(([, hour]) => hour)).toEqual(
      ["00", "03", "06", "09", "12", "15", "18", "21"].map((hour) => `${hour}:00`),
    );
  });
});
