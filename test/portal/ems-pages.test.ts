import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { render } from "preact-render-to-string";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SettingsHistory } from "../../src/accounts/settings-history.js";
import { OWNER_ID, SiteRegistry } from "../../src/accounts/site-registry.js";
import { parsePlant } from "../../src/config/plant.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import type { FlashName, PageReply, SignedInContext } from "../../src/portal/context.js";
import { emsPages } from "../../src/portal/ems/pages.js";
import { SettingsForms } from "../../src/portal/ems/settings-forms.js";
import { FormBody } from "../../src/portal/form-body.js";
import { openStore, type Store } from "../../src/store/store.js";
import { tariffOfPresets } from "../../src/tariff/presets.js";
import { textsOf } from "../../src/texts/index.js";
import { fakeServices } from "../api/fake-services.js";
import { manualClock } from "../support/manual-clock.js";

const NOW = new Date("2026-01-15T10:00:00Z");
const SOC = { topic: "N/+/Soc", path: "value", field: "soc_pct" as const };

/** Tariffs of all kinds: of presets, typed by hand, the short form, with dates, and none. */
const TARIFFS = [
  tariffOfPresets({
    area: "oberoesterreich",
    supplier: "awattar_hourly",
    feedIn: "oemag",
    municipality: "wien",
  }),
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

const FORMS = [
  "/settings/ems/place",
  "/settings/ems/battery",
  "/settings/ems/battery?row=new",
  "/settings/ems/pv?row=0",
  "/settings/ems/pv?row=1",
  "/settings/ems/pv?row=new",
  "/settings/ems/load",
  "/settings/ems/grid",
  "/settings/ems/tariff",
  "/settings/ems/tariff?at=2027-01-01",
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
  let folder: string;
  let store: Store;
  let sites: SiteRegistry;
  let changed: string[];
  let approved: (filter: string) => boolean;
  let history: SettingsHistory;
  let wallMs: number;
  /** Resolves when the plan for new settings is there. */
  let planned: Promise<void>;
  const flashes = new Map<FlashName, string>();
  let library = new TemplateLibrary();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-ems-"));
    store = await openStore(folder, silentLog);
    const bus = createBus();
    changed = [];
    approved = () => true;
    bus.on("site.changed", ({ id }) => changed.push(id));
    const parsed = parsePlant({ id: "home", name: "Home", battery: {} }, [SOC]);
    if ("findings" in parsed) throw new Error("The plant of this test does not fit.");
    const { state } = store;
    const clock = manualClock(NOW);
    const { plant, telemetry } = parsed;
    sites = new SiteRegistry({ state, clock, bus, plants: [plant], telemetry, log: silentLog });
    wallMs = NOW.getTime();
    planned = Promise.resolve();
    history = openHistory();
    flashes.clear();
  });

  function openHistory(options: { waitMs?: number } = {}) {
    return new SettingsHistory({
      sites,
      documents: store.documents,
      // A plan that costs as many EUR as the battery has kWh; none without a battery.
      plan: {
        expectedCostEur: (siteId) => sites.get(siteId)?.plant.battery?.capacity_kwh,
        recalculated: () => planned,
      },
      log: silentLog,
      wallNowMs: () => wallMs,
      // The plan is there at once; a busy machine may take longer than the two seconds of a page.
      waitMs: 60_000,
      ...options,
    });
  }

  afterEach(async () => {
    await history.stop();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  function context(siteId: string, language: "de" | "en" = "de"): SignedInContext {
    return {
      method: "GET",
      path: "/settings/ems",
      isShared: false,
      isRegistrationOpen: false,
      isStoreDown: false,
      query: new URLSearchParams(),
      language,
      texts: textsOf(language).portal,
      account: {
        id: OWNER_ID,
        email: "owner@example.org",
        plan: "professional",
        effectivePlan: "professional",
        tier: "full_active",
        label: "",
        administrator: false,
        createdAt: NOW,
        language,
      },
      sites: sites.list(),
      site: sites.get(siteId),
      session: {
        list: () => [],
        end: async () => {},
        device: undefined,
        rememberDevice: () => {},
        signIn: async () => {},
        signOut: async () => {},
        endOthers: async () => {},
        flash: (name, text) => void flashes.set(name, text),
        takeFlash: (name) => {
          const text = flashes.get(name);
          flashes.delete(name);
          return text;
        },
      },
      csrfToken: "token",
      reachedAt: undefined,
      address: "127.0.0.1",
      audit: () => {},
      now: NOW,
      asset: (name) => `/portal/${name}`,
    } as SignedInContext;
  }

  async function ask(
    method: "GET" | "POST",
    path: string,
    fields: Record<string, string> = {},
    siteId = "home",
  ) {
    return askAll(method, path, Object.entries(fields), siteId);
  }

  async function askAll(
    method: "GET" | "POST",
    path: string,
    fields: [string, string][],
    siteId = "home",
    language: "de" | "en" = "de",
  ) {
    const services = fakeServices();
    const pages = emsPages({
      forms: new SettingsForms({ sites, history, templateOf: (id) => library.get(id), services }),
      history,
      presence: { periods: () => [] },
      prices: services.prices,
      approvals: { mayRead: (_siteId, filter) => approved(filter) },
      mqtt: { lastPayloads: () => [{ topic: "N/a/Soc", payload: '{"value": 55}', at: NOW }] },
    });
    const url = new URL(path, "http://own.invalid");
    const page = pages.find((one) => one.method === method && one.path === url.pathname);
    if (page === undefined) throw new Error(`There is no ${method} ${path}.`);
    const asked = { ...context(siteId, language), path: url.pathname, query: url.searchParams };
    const reply: PageReply = await page.handle(asked, new FormBody(new URLSearchParams(fields).toString()));
    return { ...reply, html: "page" in reply ? render(reply.page) : "" };
  }

  /** A home with something in every form. */
  async function furnish() {
    await sites.change("home", {
      plant: {
        latitude: 48.2,
        longitude: 16.4,
        battery: { capacity_kwh: 9.6, controls: ["hold", "charge"] },
        pv: [
          { peak_kw: 6, azimuth_deg: 200, inverter: "roof" },
          { peak_kw: 3, azimuth_deg: 90, inverter: "roof" },
        ],
        inverters: [{ id: "roof", kw: 8 }],
        load: { daily_kwh: 10.4, profile: Array.from({ length: 24 }, (_, hour) => hour + 0.5) },
        tariff: TARIFFS[0],
        slots: [
          {
            slot: 2,
            kind: "wallbox",
            power_kw: 11,
            vehicle: { capacity_kwh: 40, departure: { mon: "07:00" } },
          },
          { slot: 3, kind: "boiler", power_kw: 2, segments: [2, 1.5], store: { litres: 300 } },
          { slot: 4, kind: "heat_pump", sg_ready: {} },
        ],
      },
      telemetry: [SOC],
    });
  }

  /** The button "Undo" of a page. */
  async function undo(html: string, subject = "battery") {
    const [, id = ""] = /name="id" value="([^"]+)"/.exec(html) ?? [];
    return ask("POST", "/settings/ems/undo", { id, subject });
  }

  it("save a section, say what has changed and what it does to the plan, and let it go back to the file", async () => {
    const saved = await ask("POST", "/settings/ems", {
      "battery.capacity_kwh": "12,5",
      "battery.min_soc_pct": "15",
      "battery.export_allowed": "true",
    });
    expect(saved).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(changed).toEqual(["home"]);
    expect(sites.get("home")?.plant.battery).toMatchObject({
      capacity_kwh: 12.5,
      min_soc_pct: 15,
      reserve_pct: 5,
    });
    const { html } = await ask("GET", "/settings/ems/battery");
    expect(html).toContain("Nutzbare Kapazität: 10 → 12,5 kWh</li><li>Minimaler Ladestand: 10 → 15 %");
    expect(html).toMatch(/aus der Batterie[^<]*: nein → ja</);
    expect(html).toContain("Erwartete Kosten der nächsten 7 Tage: 10,00 → 12,50 €.");
    expect(html).toContain('value="12,5"');
    const asked = await ask("GET", "/settings/ems/battery?reset=battery");
    const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(asked.html) ?? [];
    await ask("POST", "/settings/ems", { reset: "battery", seen });
    expect(sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 10 });
    expect((await ask("GET", "/settings/ems/battery")).html).not.toContain("?reset=");
    await ask("POST", "/settings/ems", { "battery.capacity_kwh": "10" });
    expect((await ask("GET", "/settings/ems/battery")).html).toContain("Nichts geändert");
  });

  it("refuse what the device of the battery cannot do", async () => {
    library = await TemplateLibrary.open();
    const inverter = {
      id: "inverter",
      template: "sonnen",
      controls: "battery",
      with: { host: "192.168.1.9", token: "secret" },
    };
    await sites.change("home", { plant: { devices: [inverter] } });
    const refused = await ask("POST", "/settings/ems", { "battery.controls": "block" });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toMatch(/sonnen[^<]* kann das nicht: [^<]*\. Haken entfernen/);
    expect(sites.get("home")?.plant.battery?.controls).toBeNull();
    expect(await ask("POST", "/settings/ems", { "battery.controls": "charge" })).toMatchObject({
      redirect: "/settings/ems/battery",
    });
  });

  it("say that the plan is being recalculated until it is", async () => {
    let finish = () => {};
    history = openHistory({ waitMs: 0 });
    planned = new Promise((resolve) => {
      finish = resolve;
    });
    await ask("POST", "/settings/ems", { "battery.capacity_kwh": "20" });
    const early = await ask("GET", "/settings/ems/battery");
    expect(early.html).toContain("Der Plan wird neu berechnet.");
    expect(early.html).not.toContain("€");
    finish();
    await history.stop();
    history = openHistory();
    await ask("POST", "/settings/ems", { "load.daily_kwh": "9" });
    // The script that looks for the result does not take the notice of the next save.
    expect((await ask("GET", "/settings/ems/battery?look=1")).html).toContain("Plan neu berechnet.");
    expect((await ask("GET", "/settings/ems/load")).html).toContain("Gespeichert");
    const { html } = await ask("GET", "/settings/ems/battery");
    expect(html).toContain("Plan neu berechnet. Erwartete Kosten der nächsten 7 Tage: 10,00 → 20,00 €.");
    // Without a battery there is no plan, and none was recalculated.
    await ask("POST", "/settings/ems", { remove: "battery" });
    expect((await ask("GET", "/settings/ems/battery")).html).toContain("Noch kein Plan:");
  });

  it("undo exactly what a save replaced, also after a restart; another change of the section forbids it", async () => {
    const before = structuredClone(sites.settings("home"));
    await ask("POST", "/settings/ems", { "battery.capacity_kwh": "12,5" });
    await ask("POST", "/settings/ems", { "load.daily_kwh": "9" });
    const first = await ask("GET", "/settings/ems/battery");
    history = openHistory();
    expect(await undo(first.html)).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(sites.settings("home").plant).toEqual({ ...before.plant, load: expect.anything() });
    const undone = await ask("GET", "/settings/ems/battery");
    expect(undone.html).toContain("Rückgängig gemacht");
    expect(undone.html).toContain("12,5 → 10 kWh");
    // The change is replaced by its undoing.
    expect(await undo(first.html)).toMatchObject({ status: 409 });
    await ask("POST", "/settings/ems", { "battery.capacity_kwh": "11" });
    const second = await ask("GET", "/settings/ems/battery");
    await sites.change("home", { plant: { battery: { capacity_kwh: 7 } } });
    const refused = await undo(second.html);
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.html).toContain("Dieselben Einstellungen wurden seither geändert");
    expect(sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 7 });
    wallMs += 24 * 3_600_000;
    expect((await undo(second.html)).html).toContain("Sie ist zu alt");
    expect((await ask("GET", "/settings/ems/battery")).html).not.toContain("/undo");
    // What a change replaced may contain passwords: it is deleted then.
    await history.clean();
    expect(await store.documents.get("settings-history/home")).toBeUndefined();
  });

  it("ask before a row is removed, and refuse if the rows have changed since", async () => {
    await ask("POST", "/settings/ems", { "pv.0.peak_kw": "6" });
    await ask("POST", "/settings/ems", { "pv.1.peak_kw": "3", "pv.1.azimuth_deg": "90" });
    expect((await ask("GET", "/settings/ems/pv")).html).toContain("Fläche 2 hinzugefügt (3 kWp, Ost, 30°)");
    // A row is saved by itself: the others stay as they are.
    await ask("POST", "/settings/ems", { "pv.1.peak_kw": "4" });
    expect(sites.get("home")?.plant.pv).toMatchObject([{ peak_kw: 6 }, { peak_kw: 4, azimuth_deg: 90 }]);
    const { html } = await ask("GET", "/settings/ems/pv?remove=pv.0");
    expect(html).toContain("Fläche 1 entfernen?");
    expect(html).toContain("6 kWp, Süd, 30°");
    const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(html) ?? [];
    await sites.change("home", { plant: { pv: [{ peak_kw: 4 }, { peak_kw: 6 }] } });
    const refused = await ask("POST", "/settings/ems", { remove: "pv.0", seen });
    expect(refused).toMatchObject({ status: 409 });
    expect(sites.get("home")?.plant.pv).toHaveLength(2);
    // Programs remove without asking.
    await ask("POST", "/settings/ems", { remove: "pv.0" });
    expect(sites.get("home")?.plant.pv).toMatchObject([{ peak_kw: 6 }]);
    expect((await ask("GET", "/settings/ems/pv")).html).toContain("Fläche 1 entfernt (4 kWp, Süd, 30°)");
    expect((await ask("GET", "/settings/ems/pv?remove=pv.7")).html).not.toContain('name="remove"');
  });

  it("set the power of a shared inverter with the arrays, and undo both", async () => {
    const fields = { "pv.0.peak_kw": "6", "pv.0.inverter": "Dach", "pv.0.inverter_kw": "5" };
    await ask("POST", "/settings/ems", fields);
    await ask("POST", "/settings/ems", { "pv.1.peak_kw": "6", "pv.1.inverter": "Dach" });
    expect(sites.get("home")?.plant.inverters).toEqual([{ id: "Dach", kw: 5 }]);
    await ask("POST", "/settings/ems", { "pv.0.inverter_kw": "4,6" });
    expect(sites.get("home")?.plant.inverters).toEqual([{ id: "Dach", kw: 4.6 }]);
    const { html } = await ask("GET", "/settings/ems/pv");
    const row = await ask("GET", "/settings/ems/pv?row=1");
    expect(row.html).toMatch(/name="pv.1.inverter_kw"[^>]* value="4,6"/);
    expect(await undo(html, "pv")).toMatchObject({ redirect: "/settings/ems/pv" });
    expect(sites.get("home")?.plant).toMatchObject({
      pv: [{ inverter: "Dach" }, { inverter: "Dach" }],
      inverters: [{ id: "Dach", kw: 5 }],
    });
    // An unlikely power is asked about at the array.
    const { html: now } = await ask("GET", "/settings/ems/pv?row=1");
    const [, held = ""] = /name="held" value="([^"]*)"/.exec(now)!;
    const typed = { "pv.1.inverter_kw": "4600", held: held.replaceAll("&quot;", '"') };
    const unlikely = await ask("POST", "/settings/ems", typed);
    expect(unlikely.html).toContain("Fläche 1, Wechselrichter (kW): 4600 kW ist sehr viel");
  });

  it("refuse a save of a page that is older than a save elsewhere, with the present values and what was typed", async () => {
    const heldIn = ({ html }: { html: string }) =>
      (/name="held" value="([^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
    const held = heldIn(await ask("GET", "/settings/ems/battery"));
    expect(held).toContain('"battery.capacity_kwh":"10"');
    await ask("POST", "/settings/ems", { "battery.capacity_kwh": "12,5", held });
    const second = { "battery.capacity_kwh": "10", "battery.min_soc_pct": "20" };
    const refused = await ask("POST", "/settings/ems", { ...second, held });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.html).toContain("Nicht gespeichert: Diese Einstellungen wurden inzwischen geändert");
    expect(refused.html).toMatch(/name="battery.capacity_kwh"[^>]* value="12,5"/);
    expect(refused.html).toMatch(/name="battery.min_soc_pct"[^>]* value="20"/);
    expect(sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 12.5, min_soc_pct: 10 });
    const again = { "battery.capacity_kwh": "12,5", "battery.min_soc_pct": "20", held: heldIn(refused) };
    expect(await ask("POST", "/settings/ems", again)).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 12.5, min_soc_pct: 20 });
    // A double click, or the back button and the same values.
    expect(await ask("POST", "/settings/ems", again)).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(await ask("POST", "/settings/ems", { ...again, "battery.capacity_kwh": "13" })).toMatchObject({
      status: 409,
    });
  });

  it("ask one question at a time, open the refused ones, and name what is set in the others", async () => {
    const folded = /<details class="row" name="question"><summary>Leistung und Verschleiß/;
    const open = /<details class="row" open><summary>Leistung und Verschleiß/;
    expect((await ask("GET", "/settings/ems/battery")).html).toMatch(folded);
    expect((await ask("POST", "/settings/ems", { "battery.wear_ct_kwh": "x" })).html).toMatch(open);
    await ask("POST", "/settings/ems", { "battery.wear_ct_kwh": "2" });
    expect((await ask("GET", "/settings/ems/battery")).html).toContain(
      "Ladeleistung 5 kW, Entladeleistung 5 kW, Verschleißkosten 2 ct/kWh</span>",
    );
  });

  it("fill the fields of a battery from its model, but not what was typed", async () => {
    const { html } = await ask("GET", "/settings/ems/battery");
    expect(html).toMatch(/<option value="own" selected>eigene Werte/);
    await ask("POST", "/settings/ems", {
      "battery.model": "gen24_hvs_10",
      "battery.max_charge_power_kw": "6",
    });
    expect(sites.get("home")?.plant.battery).toMatchObject({
      capacity_kwh: 10.24,
      max_charge_power_kw: 6,
      max_discharge_power_kw: 9,
    });
    await ask("POST", "/settings/ems", { "battery.model": "gen24_hvs_10" });
    expect(sites.get("home")?.plant.battery).toMatchObject({ max_charge_power_kw: 9 });
    expect((await ask("GET", "/settings/ems/battery")).html).toMatch(/value="gen24_hvs_10" selected/);
    const refused = await ask("POST", "/settings/ems", { "battery.model": "none" });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain("Bitte einen Eintrag der Liste wählen.");
  });

  it("take a time and its weekdays, and say them", async () => {
    const car = { "slots.1.device": "wallbox", "slots.1.vehicle.capacity_kwh": "40" };
    await ask("POST", "/settings/ems", car);
    const { html } = await ask("GET", "/settings/ems/slots?row=1");
    expect(html.match(/class="pill"/g)).toHaveLength(14);
    const departure = "slots.1.vehicle.departure";
    const days = (index: number, names: string[]): [string, string][] =>
      names.map((day) => [`${departure}.${index}.days`, day]);
    await askAll("POST", "/settings/ems", [
      [`${departure}.0.time`, "07:00"],
      ...days(0, ["mon", "tue", "wed", "thu", "fri", "sat"]),
      [`${departure}.1.time`, "09:00"],
      ...days(1, ["sun"]),
    ]);
    expect(sites.get("home")?.plant.slots[0]?.vehicle?.departure).toMatchObject({
      mon: "07:00",
      sun: "09:00",
    });
    expect((await ask("GET", "/settings/ems")).html).toContain(
      "Das Auto (40 kWh) soll Mo–Sa um 07:00, So um 09:00 bei 80 % sein.",
    );
    const none = await askAll("POST", "/settings/ems", [[`${departure}.0.time`, "07:00"]]);
    expect(none).toMatchObject({ status: 422 });
  });

  it("list the subjects with what is set in each, and question unlikely values before a save", async () => {
    const { html } = await ask("GET", "/settings/ems");
    expect(html).toContain(
      "<strong>Batterie</strong><span>Ihre Batterie hat 10 kWh und lädt mit bis zu 5 kW.<",
    );
    expect(html).toContain("Ein Topic wird gelesen.");
    const efficiency = () => sites.get("home")?.plant.battery?.efficiency_pct;
    const [, held = ""] = /name="held" value="([^"]*)"/.exec(
      (await ask("GET", "/settings/ems/battery")).html,
    )!;
    const typed = { "battery.efficiency_pct": "50", held: held.replaceAll("&quot;", '"') };
    const asked = await ask("POST", "/settings/ems", typed);
    expect(asked).toMatchObject({ status: 422 });
    expect(asked.html).toContain("<li>Wirkungsgrad (%): Ein Wirkungsgrad von 50 % ist niedrig.");
    expect(asked.html).toContain('name="battery.efficiency_pct" type="text" value="50"');
    expect(efficiency()).toBe(90);
    const [, confirmed = ""] = /name="confirmed" value="([^"]+)"/.exec(asked.html)!;
    // What was confirmed is that value only.
    const other = await ask("POST", "/settings/ems", { ...typed, "battery.efficiency_pct": "51", confirmed });
    expect(other).toMatchObject({ status: 422 });
    expect(await ask("POST", "/settings/ems", { ...typed, confirmed })).toMatchObject({
      redirect: "/settings/ems/battery",
    });
    expect(efficiency()).toBe(50);
  });

  it("saved with nothing typed change nothing, whichever form it is", async () => {
    await furnish();
    for (const tariff of TARIFFS) {
      await sites.change("home", { plant: { tariff } });
      const before = structuredClone([sites.get("home")?.plant, sites.telemetryMap("home")]);
      changed = [];
      for (const path of FORMS)
        for (const language of ["de", "en"] as const) {
          const { html } = await askAll("GET", path, [], "home", language);
          const fields = sentFields(html);
          expect(fields.length, path).toBeGreaterThan(1);
          expect(await askAll("POST", "/settings/ems", fields, "home", language), path).toHaveProperty(
            "redirect",
          );
          expect(flashes.get("saved"), path).toBe("unchanged");
        }
      expect(changed).toEqual([]);
      expect([sites.get("home")?.plant, sites.telemetryMap("home")]).toEqual(before);
    }
  });

  it("show at most three fields of a form at once", async () => {
    await furnish();
    await sites.change("home", { plant: { tariff: TARIFFS[1] } });
    for (const path of FORMS) {
      const { html } = await ask("GET", path);
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
    const refused = await ask("POST", "/settings/ems", typed);
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain('value="&lt;b>12"');
    expect(refused.html).toContain("Nutzbare Kapazität (kWh): Bitte eine Zahl über 0 bis");
    expect(refused.html).toContain('aria-invalid="true"');
    expect(refused.html).toContain('value="9"');
    expect(refused.html).toContain('value="0,5"');
    expect(refused.html).toContain('<span class="unsaved" role="status">');
    expect(changed).toEqual([]);
    const removal = await ask("POST", "/settings/ems", { "mqtt.telemetry.0.battery": "x" });
    expect(removal.html).toContain("Keine Batterie dieser Anlage hat diese Kennung.");
  });

  it("refuse more than 100 rows in a sentence, without a page of them", async () => {
    const rows = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, row) => [`pv.${row}.peak_kw`, "1"]));
    const refused = await ask("POST", "/settings/ems", rows(101));
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain("Auf einmal können höchstens 100 Zeilen gesendet werden.");
    expect(refused.html).not.toContain("pv.99.peak_kw");
    expect((await ask("POST", "/settings/ems", rows(100))).html).not.toContain("höchstens 100 Zeilen");
    expect(changed).toEqual([]);
  });

  it("show what the last payload of a topic gives now", async () => {
    const row = "/settings/ems/telemetry?row=0";
    expect((await ask("GET", row)).html).toContain("soc_pct = 55");
    await ask("POST", "/settings/ems", { "mqtt.telemetry.0.scale": "0.5", "mqtt.telemetry.0.offset": "1" });
    expect((await ask("GET", row)).html).toContain("soc_pct = 28,5");
    await ask("POST", "/settings/ems", { "mqtt.telemetry.0.path": "none" });
    expect((await ask("GET", row)).html).toContain("Die Nachricht enthält none nicht.");
  });

  it("say at an entry of the topic map that it waits for approval, and show no payload there", async () => {
    const text = "wartet auf die Freigabe durch den Administrator";
    expect((await ask("GET", "/settings/ems/telemetry")).html).not.toContain(text);
    approved = (filter) => filter !== SOC.topic;
    expect((await ask("GET", "/settings/ems/telemetry")).html).toContain(text);
    const { html } = await ask("GET", "/settings/ems/telemetry?row=0");
    expect(html).toContain(text);
    expect(html).not.toContain("N/a/Soc");
  });
});
