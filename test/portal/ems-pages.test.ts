import { describe, expect, it } from "vitest";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { type EmsHome, eachWithHome, PRESETS, SOC } from "./ems-home.js";

/** Tariffs of all kinds: of presets, typed by hand, the short form, with dates, and none. */
const TARIFFS = [
  PRESETS,
  [
    {
      energy: { type: "fixed", ct_kwh: 20 },
      grid_usage: { ct_kwh: 8 },
      vat_pct: 20,
      feed_in: { type: "fixed", ct_kwh: 7 },
    },
    {
      valid_from: "2025-03-01",
      energy: { type: "spot", markup_pct: 3, markup_ct_kwh: 1.5 },
      grid_usage: { windows: [{ ct_kwh: 7 }, { months: "4-9", from: "10:00", to: "16:00", ct_kwh: 5.6 }] },
      levies: [{ name: "Levy", ct_kwh: 0.12 }],
      community: { price_ct_kwh: 9 },
    },
    { valid_from: "2027-01-01", energy: { type: "spot", markup_ct_kwh: 1.2 }, vat_pct: 20 },
  ],
  {
    markup_ct_kwh: 1.5,
    grid_fee_ct_kwh: [{ ct_kwh: 7 }, { months: "4-9", hours: "10-16", ct_kwh: 5.6 }],
    vat_pct: 20,
  },
  null,
];

const TARIFF_FORMS = ["/settings/ems/tariff", "/settings/ems/tariff?at=2027-01-01"];
const FORMS = [
  "/settings/ems/place",
  "/settings/ems/battery",
  "/settings/ems/battery?row=new",
  "/settings/ems/pv?row=0",
  "/settings/ems/pv?row=1",
  "/settings/ems/pv?row=new",
  "/settings/ems/load",
  "/settings/ems/grid",
  ...TARIFF_FORMS,
  "/settings/ems/slots?row=2",
  "/settings/ems/slots?row=3",
  "/settings/ems/slots?row=4",
  "/settings/ems/slots?row=new",
  "/settings/ems/telemetry?row=0",
  "/settings/ems/telemetry?row=new",
];

/** What a browser sends of the first form of a page. */
function sentFields(html: string): [string, string][] {
  const [, form = ""] = /<form method="post" action="\/settings\/ems"(.*?)<\/form>/s.exec(html) ?? [];
  const decoded = (text = "") =>
    text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const attribute = (tag: string, name: string) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);
  const controls = form.match(/<input[^>]*>|<select.*?<\/select>/gs) ?? [];
  return controls.flatMap((tag): [string, string][] => {
    const name = attribute(tag, "name");
    if (tag.startsWith("<select")) {
      const options = tag.match(/<option[^>]*>/g) ?? [];
      const chosen = options.find((option) => / selected/.test(option)) ?? options[0] ?? "";
      return [[name, attribute(chosen, "value")]];
    }
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag)) return [];
    return [[name, attribute(tag, "value")]];
  });
}

describe("the pages of the EMS settings", () => {
  let home: EmsHome;
  eachWithHome((one) => {
    home = one;
  });

  it("refuse what the device of the battery cannot do", async () => {
    home.library = await TemplateLibrary.open();
    const inverter = {
      id: "inverter",
      template: "sonnen",
      controls: "battery",
      with: { host: "192.168.1.9", token: "secret" },
    };
    await home.sites.change("home", { plant: { devices: [inverter] } });
    const refused = await home.ask("POST", "/settings/ems", { "battery.controls": "block" });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toMatch(/sonnen[^<]* kann das nicht: [^<]*\. Haken entfernen/);
    expect(home.sites.get("home")?.plant.battery?.controls).toBeNull();
    expect(await home.ask("POST", "/settings/ems", { "battery.controls": "charge" })).toMatchObject({
      redirect: "/settings/ems/battery",
    });
  });

  it("ask one question at a time, open the refused ones, and name what is set in the others", async () => {
    const folded = /<details class="row" name="question"><summary>Leistung und Verschleiß/;
    const open = /<details class="row" open><summary>Leistung und Verschleiß/;
    expect((await home.ask("GET", "/settings/ems/battery")).html).toMatch(folded);
    expect((await home.ask("POST", "/settings/ems", { "battery.wear_ct_kwh": "x" })).html).toMatch(open);
    await home.ask("POST", "/settings/ems", { "battery.wear_ct_kwh": "2" });
    expect((await home.ask("GET", "/settings/ems/battery")).html).toContain(
      "Ladeleistung 5 kW, Entladeleistung 5 kW, Verschleißkosten 2 ct/kWh</span>",
    );
  });

  it("list the subjects with what is set in each, and question unlikely values before a save", async () => {
    const { html } = await home.ask("GET", "/settings/ems");
    expect(html).toContain(
      "<strong>Batterie</strong><span>Ihre Batterie hat 10 kWh und lädt mit bis zu 5 kW.<",
    );
    expect(html).toContain("Ein Topic wird gelesen.");
    const efficiency = () => home.sites.get("home")?.plant.battery?.efficiency_pct;
    const [, held = ""] = /name="held" value="([^"]*)"/.exec(
      (await home.ask("GET", "/settings/ems/battery")).html,
    )!;
    const typed = { "battery.efficiency_pct": "50", held: held.replaceAll("&quot;", '"') };
    const asked = await home.ask("POST", "/settings/ems", typed);
    expect(asked).toMatchObject({ status: 422 });
    expect(asked.html).toContain("<li>Wirkungsgrad (%): Ein Wirkungsgrad von 50 % ist niedrig.");
    expect(asked.html).toContain('name="battery.efficiency_pct" type="text" value="50"');
    expect(efficiency()).toBe(90);
    const [, confirmed = ""] = /name="confirmed" value="([^"]+)"/.exec(asked.html)!;
    // What was confirmed is that value only.
    const other = await home.ask("POST", "/settings/ems", {
      ...typed,
      "battery.efficiency_pct": "51",
      confirmed,
    });
    expect(other).toMatchObject({ status: 422 });
    expect(await home.ask("POST", "/settings/ems", { ...typed, confirmed })).toMatchObject({
      redirect: "/settings/ems/battery",
    });
    expect(efficiency()).toBe(50);
  });

  it("saved with nothing typed change nothing, whichever form it is", async () => {
    await home.furnish();
    for (const [index, tariff] of TARIFFS.entries()) {
      await home.sites.change("home", { plant: { tariff } });
      const before = structuredClone([home.sites.get("home")?.plant, home.sites.telemetryMap("home")]);
      home.changed = [];
      // Forms of other subjects do not read the tariff.
      for (const path of index === 0 ? FORMS : TARIFF_FORMS)
        for (const language of ["de", "en"] as const) {
          const { html } = await home.askAll("GET", path, [], "home", language);
          const fields = sentFields(html);
          expect(fields.length, path).toBeGreaterThan(1);
          expect(await home.askAll("POST", "/settings/ems", fields, "home", language), path).toHaveProperty(
            "redirect",
          );
          expect(home.flashes.get("saved"), path).toBe("unchanged");
        }
      expect(home.changed).toEqual([]);
      expect([home.sites.get("home")?.plant, home.sites.telemetryMap("home")]).toEqual(before);
    }
  });

  it("show at most three fields of a form at once", async () => {
    await home.furnish();
    await home.sites.change("home", { plant: { tariff: TARIFFS[1] } });
    for (const path of FORMS) {
      const { html } = await home.ask("GET", path);
      const [, form = ""] = /<form method="post" action="\/settings\/ems"(.*?)<\/form>/s.exec(html)!;
      const questions = form.includes("<details") ? form.split("<details").slice(1) : [form];
      for (const question of questions) {
        const isPart = /class="field[ "]/g;
        const shown = question.split("</details>")[0]!.replaceAll("only-fixed", "");
        // Of a markup and a fixed price only one is shown.
        const most = shown.includes('name="fixed_ct_kwh"') ? 5 : 3;
        expect((shown.match(isPart) ?? []).length, `${path}: ${shown.slice(0, 200)}`).toBeLessThanOrEqual(
          most,
        );
      }
    }
  });

  it("refuse what does not fit with 422: all of it shown as typed, nothing changed", async () => {
    const typed = { "battery.capacity_kwh": "<b>12", "load.daily_kwh": "9", "pv.0.peak_kw": "0,5" };
    const refused = await home.ask("POST", "/settings/ems", typed);
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain('value="&lt;b>12"');
    expect(refused.html).toContain("Nutzbare Kapazität (kWh): Bitte eine Zahl über 0 bis");
    expect(refused.html).toContain('aria-invalid="true"');
    expect(refused.html).toContain('value="9"');
    expect(refused.html).toContain('value="0,5"');
    expect(refused.html).toContain('<span class="unsaved" role="status">');
    expect(home.changed).toEqual([]);
    const removal = await home.ask("POST", "/settings/ems", { "mqtt.telemetry.0.battery": "x" });
    expect(removal.html).toContain("Keine Batterie dieser Anlage hat diese Kennung.");
  });

  it("refuse more than 100 rows in a sentence, without a page of them", async () => {
    const rows = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, row) => [`pv.${row}.peak_kw`, "1"]));
    const refused = await home.ask("POST", "/settings/ems", rows(101));
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain("Auf einmal können höchstens 100 Zeilen gesendet werden.");
    expect(refused.html).not.toContain("pv.99.peak_kw");
    expect((await home.ask("POST", "/settings/ems", rows(100))).html).not.toContain("höchstens 100 Zeilen");
    expect(home.changed).toEqual([]);
  });

  it("show what the last payload of a topic gives now", async () => {
    const row = "/settings/ems/telemetry?row=0";
    expect((await home.ask("GET", row)).html).toContain("soc_pct = 55");
    await home.ask("POST", "/settings/ems", {
      "mqtt.telemetry.0.scale": "0.5",
      "mqtt.telemetry.0.offset": "1",
    });
    expect((await home.ask("GET", row)).html).toContain("soc_pct = 28,5");
    await home.ask("POST", "/settings/ems", { "mqtt.telemetry.0.path": "none" });
    expect((await home.ask("GET", row)).html).toContain("Die Nachricht enthält none nicht.");
  });

  it("say at an entry of the topic map that it waits for approval, and show no payload there", async () => {
    const text = "wartet auf die Freigabe durch den Administrator";
    expect((await home.ask("GET", "/settings/ems/telemetry")).html).not.toContain(text);
    home.approved = (filter) => filter !== SOC.topic;
    expect((await home.ask("GET", "/settings/ems/telemetry")).html).toContain(text);
    const { html } = await home.ask("GET", "/settings/ems/telemetry?row=0");
    expect(html).toContain(text);
    expect(html).not.toContain("N/a/Soc");
  });
});
