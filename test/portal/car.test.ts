import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { carHome, OWNER } from "./car-home.js";
import type { Browser } from "./form-browser.js";

const words = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("the page of a car", () => {
  let home: Awaited<ReturnType<typeof carHome>>;
  let owner: Browser;
  beforeAll(async () => {
    home = await carHome();
    owner = await home.portal.signedIn(OWNER);
  });
  afterAll(() => home.close());

  const page = async (query = "lang=de") => (await owner.get(`/car?${query}`)).text;
  const override = (fields: Record<string, string>) =>
    owner.post("/dashboard/override", { slot: "1", back: "car", ...fields });

  it("shows the plan in force with its price, beside charging now", async () => {
    const html = await page();
    // 30 % of 40 kWh; the prices of the fixture are the truth of what they cost.
    const { slots } = home.plan().result!;
    const eur = slots.reduce(
      (sum, { energyKwh = 0, importCtKwh }) => sum + (energyKwh * importCtKwh) / 100,
      0,
    );
    expect(words(html)).toContain(`12,0 kWh · ${eur.toFixed(2).replace(".", ",")} €`);
    expect(words(html)).toMatch(/Jetzt wären es \d,\d\d €\. .*So ist es geplant\./);
    expect(html).toMatch(
      /<input type="range" id="target" name="target_soc_pct" min="0" max="100" step="1" value="80"/,
    );
    expect(html).toMatch(/class="night-charge"/);
    expect(words(html)).toContain("Nach Plan");
    expect(words(html)).not.toMatch(/Slot|soc_pct|EMS/);
  });

  it("shows what another target costs without changing anything, and takes it", async () => {
    const asked = "slot=1&target_soc_pct=100&day=2026-01-16&until=06:00";
    const shown = words(await page(asked));
    expect(shown).toContain("20,0 kWh · ");
    expect(shown).toContain("Auf 100 % laden bis morgen 06:00");
    expect(home.plan().override).toBeUndefined();
    const data = JSON.parse(
      (await owner.get(`/car/offer?${asked}`, { accept: "application/json" })).text,
    ) as {
      parts: Record<string, string>;
    };
    expect(Object.keys(data.parts)).toEqual(["car-offer"]);
    expect(words(data.parts["car-offer"]!)).toContain("20,0 kWh · ");
    const answer = await override({
      override: "target",
      target_soc_pct: "100",
      day: "2026-01-16",
      until: "06:00",
    });
    expect([answer.status, answer.location]).toEqual([303, "/car?site=home&slot=1"]);
    expect(home.plan()).toMatchObject({
      override: { action: "target", targetSocPct: 100, until: new Date("2026-01-16T05:00:00Z") },
      result: { demandEnergyKwh: 20 },
    });
    expect(words(await page())).toMatch(
      /Einmal: 100 % bis morgen 06:00\..*So ist es geplant|So ist es geplant.*Einmal: 100 % bis/,
    );
    await override({ override: "auto" });
  });

  it("leads to only sun, now and a guest with their cost, and back to the plan", async () => {
    const confirm = async (query: string) =>
      words((await owner.get(`/dashboard/override?slot=1&back=car&lang=de&${query}`)).text);
    expect(await confirm("override=surplus")).toContain("Wallbox lädt bis morgen 07:00 nur mit Sonnenstrom.");
    expect(await confirm("override=run")).toMatch(/Wallbox läuft ab sofort, bis heute/);
    expect(await confirm("override=guest&energy_kwh=15&until=18:00")).toMatch(
      /Ein Gast bekommt bis heute 18:00 15,0 kWh\. 15,0 kWh um \d,\d\d €\. Jetzt wären es \d,\d\d €\./,
    );
    await override({ override: "guest", energy_kwh: "15", until: "18:00" });
    expect(words(await page())).toContain(
      "Ein Gast bekommt 15,0 kWh bis heute 18:00, oder bis zum Abstecken.",
    );
    await override({ override: "surplus" });
    expect(home.plan().settings.vehicle?.surplus).toBe("only");
    expect(words(await page())).toContain("Nur Sonne bis morgen 07:00.");
    await override({ override: "auto" });
    expect(words(await page())).toContain("Das Auto wird nach Plan geladen.");
  });

  it("says where the state of charge comes from, and takes one that is typed", async () => {
    expect(words(await page())).toContain("50 % geschätzt aus 20 % bei der Ankunft");
    await home.services.telemetry.ingest("home", [
      { at: new Date("2026-01-15T08:00:00Z"), values: { slot_1_soc_pct: 50 } },
    ]);
    expect(words(await page())).toContain("50 % gemeldet heute 09:00");
    await owner.post("/car/soc", { slot: "1", soc_pct: "50 %" });
    expect(words(await page())).toMatch(/50 % von Ihnen eingetragen, heute \d\d:\d\d/);
    await owner.post("/car/soc", { slot: "1", soc_pct: "voll" });
    expect(words(await page())).toContain("Bitte einen Ladestand von 0 bis 100 eingeben.");
    expect(home.services.ingested).toHaveLength(2);
  });

  it("saves the departures of the week, with undo", async () => {
    const saved = await owner.post("/car/week", {
      slot: "1",
      mon: "06:30",
      sat: "09:00",
      target_soc_pct: "90",
      min_soc_pct: "30",
    });
    expect([saved.status, saved.location]).toEqual([303, "/car?site=home&slot=1"]);
    const vehicle = () => home.portal.sites.get("home")!.plant.slots[0]!.vehicle!;
    expect(vehicle()).toMatchObject({
      departure: { mon: "06:30", tue: null, sat: "09:00", sun: null },
      target_soc_pct: 90,
      min_soc_pct: 30,
    });
    const { text } = await owner.get("/car?lang=de");
    expect(words(text)).toContain("Die Abfahrten sind gespeichert.");
    const id = /name="id" value="([^"]+)"/.exec(text)![1]!;
    const undone = await owner.post("/settings/ems/undo", { id, back: "/car", site: "home" });
    expect([undone.status, undone.location]).toEqual([303, "/car"]);
    expect(vehicle()).toMatchObject({ departure: "07:00", target_soc_pct: 80, min_soc_pct: 20 });
    for (const wrong of [
      { mon: "", target_soc_pct: "80", min_soc_pct: "20" },
      { mon: "25:00", target_soc_pct: "80", min_soc_pct: "20" },
      { mon: "07:00", target_soc_pct: "50", min_soc_pct: "60" },
    ])
      await owner.post("/car/week", { slot: "1", ...wrong });
    expect(words(await page())).toContain("Bitte ganze Prozente eingeben");
    expect(vehicle().departure).toBe("07:00");
  });

  it("is there for wallboxes only", async () => {
    expect((await owner.get("/car?slot=2")).status).toBe(404);
    expect((await owner.get("/car/offer?slot=2")).status).toBe(404);
  });
});
