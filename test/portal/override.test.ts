import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deviceSchedulesOperation } from "../../src/api/device-schedules.js";
import { defaultSettings } from "../../src/config/load.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import type { QuarterColumns } from "../../src/money/ledger/stored-day.js";
import { dashboardPages } from "../../src/portal/dashboard/pages.js";
import { devicePages } from "../../src/portal/devices/pages.js";
import { fakeServices, KEYS, slotSettings } from "../api/fake-services.js";
import { type OpenPortal, openPortal } from "./harness.js";

const MAIL = "owner@example.org";
const PATH = "/dashboard/override";

describe("the form of an override", () => {
  const boiler = slotSettings({ slot: 2, label: "Boiler", kind: "boiler", power_kw: 2, hours: 1 });
  const services = fakeServices({
    slots: [{ ...boiler, window_start_hour: 18, window_end_hour: 22 }],
    battery: defaultSettings().plants[0]!.battery,
  });
  let portal: OpenPortal;

  beforeAll(async () => {
    const unused = undefined as never;
    const pages = dashboardPages({
      services,
      events: unused,
      quota: () => undefined,
      savings: unused,
      recent: unused,
      commands: unused,
      deviceNames: unused,
      retried: unused,
      limits: unused,
      setLoadWithout: unused,
      socTopic: unused,
      isSignedIn: unused,
    }).filter(({ path }) => path === PATH);
    const quarters = {
      importKwh: [0.5],
      importCtKwh: [20],
      exportCtKwh: [5],
      slots: { 2: [0.5] },
    } as unknown as QuarterColumns;
    const devices = devicePages({
      services,
      savings: { now: () => undefined },
      recent: {
        of: async () => ({ soc: [], days: [{ start: new Date("2026-01-14T23:00:00Z"), quarters }] }),
      },
      actuators: { list: () => [], templates: () => new TemplateLibrary() } as never,
      devices: { list: () => [] } as never,
      sites: unused,
      searches: unused,
      history: unused,
    }).filter(({ path }) => path === "/portal/devices");
    await services.flex.start();
    portal = await openPortal({
      services,
      pages: [...pages, ...devices],
      operations: [deviceSchedulesOperation(services)],
    });
    await portal.addAccount(MAIL, { administrator: true });
  });
  afterAll(async () => {
    await portal.close();
    await services.flex.stop();
  });

  const schedule = async () => {
    const answer = await fetch(`${portal.url}/v1/plant/device-schedules`, {
      headers: { "X-API-Key": KEYS.owner },
    });
    return ((await answer.json()) as { recipes: [Record<string, unknown>] }).recipes[0];
  };

  it("changes the schedule of the device until it is taken back or expires", async () => {
    const browser = await portal.signedIn(MAIL);
    await browser.get("/dashboard");
    expect(await schedule()).toMatchObject({ charge_now: 0, override: "auto", override_until: null });
    const answer = await browser.post(PATH, { slot: "2", override: "run" });
    expect([answer.status, answer.location]).toEqual([303, "/dashboard?site=home#slots"]);
    // Its own hour, not the 24 hours of a request without an end. It is 09:20.
    const until = "2026-01-15T10:30:00+01:00";
    expect(await schedule()).toMatchObject({ charge_now: 1, override: "run", override_until: until });
    await browser.post(PATH, { slot: "2", override: "auto" });
    expect(await schedule()).toMatchObject({ charge_now: 0, override: "auto" });
    await browser.post(PATH, { slot: "2", override: "skip" });
    // To the end of the day, not for 24 hours.
    const midnight = "2026-01-16T00:00:00+01:00";
    expect(await schedule()).toMatchObject({ charge_now: 0, override: "skip", override_until: midnight });
    await services.clock.set(new Date(midnight));
    expect(await schedule()).toMatchObject({ override: "auto", override_until: null });
  });

  it("overrides the battery with the next such time of the plant, and says why it is refused", async () => {
    const browser = await portal.signedIn(MAIL);
    await browser.get("/dashboard");
    // It is midnight before the 16th.
    await browser.post(PATH, { slot: "battery", override: "hold", until: "06:00" });
    await browser.post(PATH, { slot: "battery", override: "charge", target_soc_pct: "80", until: "" });
    await browser.post(PATH, { slot: "battery", override: "charge", target_soc_pct: "90", until: "00:00" });
    expect(services.batteryOverrides).toEqual([
      { action: "hold", until: new Date("2026-01-16T06:00:00+01:00"), targetSocPct: undefined },
      { action: "charge", until: undefined, targetSocPct: 80 },
      { action: "charge", until: new Date("2026-01-17T00:00:00+01:00"), targetSocPct: 90 },
    ]);
    const answer = await browser.post(PATH, { slot: "battery", override: "charge", target_soc_pct: "20" });
    expect([answer.status, answer.location]).toEqual([303, "/dashboard?site=home#slots"]);
    expect(services.batteryOverrides).toHaveLength(3);
    expect((await browser.post(PATH, { slot: "battery", override: "run" })).status).toBe(404);
  });

  it("leads from a card of the page Devices, which says what the device took today", async () => {
    const browser = await portal.signedIn(MAIL);
    const { text } = await browser.get("/portal/devices");
    const card = (JSON.parse(text) as { parts: { devices: string } }).parts.devices;
    expect(card.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ")).toMatch(/Boiler .*0[.,]5 kWh · 0[.,]10 €/);
    expect(card).toContain('name="back" value="devices"');
  });

  it("shows what it changes and costs before it is confirmed, and changes nothing", async () => {
    const browser = await portal.signedIn(MAIL);
    const page = async (fields: Record<string, string>) => {
      const { status, text } = await browser.get(`${PATH}?${new URLSearchParams(fields)}`);
      expect(status).toBe(200);
      return text;
    };
    const words = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
    // 2 kW for an hour and what is left of the quarter-hour, at the prices of the fixture.
    const run = await page({ slot: "2", override: "run", lang: "en" });
    expect(words(run)).toMatch(/Boiler is switched on now, until .* \d\d:\d\d\./);
    expect(words(run)).toMatch(/\d\.\d kWh for \d+\.\d\d €; the plan would pay \d+\.\d\d € for them\./);
    expect(run).toMatch(/method="post" action="\/dashboard\/override".*name="_csrf"/s);
    expect(run).toMatch(/name="slot" value="2".*name="override" value="run"/s);
    expect(words(await page({ slot: "2", override: "skip", lang: "de" }))).toMatch(
      /Boiler bleibt bis .* aus\. Der Plan hatte in dieser Zeit 2,0 kWh um \d+,\d\d €\./,
    );
    const charge = { slot: "battery", override: "charge", target_soc_pct: "80", until: "", lang: "en" };
    expect(words(await page(charge))).toContain(
      "The battery charges from the grid now, up to 80 %, no later than tomorrow 11:00. This costs about 0.42 € more than the plan",
    );
    expect(await schedule()).toMatchObject({ override: "auto" });
    expect(services.batteryOverrides).toHaveLength(3);
    const refused = await browser.get(`${PATH}?slot=battery&override=charge&target_soc_pct=20`);
    expect([refused.status, refused.location]).toEqual([303, "/dashboard?site=home#slots"]);
    expect((await browser.get(`${PATH}?slot=3&override=run`)).status).toBe(404);
  });

  it("is refused without its token, for another action and for a slot without a device", async () => {
    const browser = await portal.signedIn(MAIL);
    await browser.get("/dashboard");
    for (const fields of [
      { slot: "2", override: "run", _csrf: undefined },
      { slot: "2", override: "full" },
      { slot: "2", override: "on" },
      { slot: "3", override: "run" },
    ])
      expect((await browser.post(PATH, fields)).status).toBeGreaterThanOrEqual(400);
    expect(await schedule()).toMatchObject({ override: "auto" });
  });
});
