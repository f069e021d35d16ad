import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { render } from "preact-render-to-string";
import { afterEach, beforeEach } from "vitest";
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
export const SOC = { topic: "N/+/Soc", path: "value", field: "soc_pct" as const };

/** Presets of every part of a tariff. */
export const PRESETS = tariffOfPresets({
  area: "oberoesterreich",
  supplier: "awattar_hourly",
  feedIn: "oemag",
  municipality: "wien",
});

/** A home of which the pages of the EMS settings are asked. */
export class EmsHome {
  readonly store: Store;
  readonly sites: SiteRegistry;
  /** Ids of sites, with each change. */
  changed: string[] = [];
  approved: (filter: string) => boolean = () => true;
  wallMs = NOW.getTime();
  /** Resolves when the plan for new settings is there. */
  planned = Promise.resolve();
  readonly flashes = new Map<FlashName, string>();
  library = new TemplateLibrary();
  history: SettingsHistory;

  constructor(store: Store) {
    this.store = store;
    const bus = createBus();
    bus.on("site.changed", ({ id }) => this.changed.push(id));
    const parsed = parsePlant({ id: "home", name: "Home", battery: {} }, [SOC]);
    if ("findings" in parsed) throw new Error("The plant of this test does not fit.");
    const { plant, telemetry } = parsed;
    const clock = manualClock(NOW);
    this.sites = new SiteRegistry({
      state: store.state,
      clock,
      bus,
      plants: [plant],
      telemetry,
      log: silentLog,
    });
    this.history = this.openHistory();
  }

  openHistory(options: { waitMs?: number } = {}) {
    const { sites, store } = this;
    return new SettingsHistory({
      sites,
      documents: store.documents,
      // A plan that costs as many EUR as the battery has kWh; none without a battery.
      plan: {
        expectedCostEur: (siteId) => sites.get(siteId)?.plant.battery?.capacity_kwh,
        recalculated: () => this.planned,
      },
      log: silentLog,
      wallNowMs: () => this.wallMs,
      // The plan is there at once; a busy machine may take longer than the two seconds of a page.
      waitMs: 60_000,
      ...options,
    });
  }

  #context(siteId: string, language: "de" | "en" = "de"): SignedInContext {
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
      sites: this.sites.list(),
      site: this.sites.get(siteId),
      session: {
        list: () => [],
        end: async () => {},
        device: undefined,
        rememberDevice: () => {},
        signIn: async () => {},
        signOut: async () => {},
        endOthers: async () => {},
        flash: (name, text) => void this.flashes.set(name, text),
        takeFlash: (name) => {
          const text = this.flashes.get(name);
          this.flashes.delete(name);
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

  async ask(method: "GET" | "POST", path: string, fields: Record<string, string> = {}, siteId = "home") {
    return this.askAll(method, path, Object.entries(fields), siteId);
  }

  async askAll(
    method: "GET" | "POST",
    path: string,
    fields: [string, string][],
    siteId = "home",
    language: "de" | "en" = "de",
  ) {
    const { sites, history } = this;
    const services = fakeServices();
    const pages = emsPages({
      forms: new SettingsForms({ sites, history, templateOf: (id) => this.library.get(id), services }),
      history,
      presence: { periods: () => [] },
      prices: services.prices,
      approvals: { mayRead: (_siteId, filter) => this.approved(filter) },
      mqtt: { lastPayloads: () => [{ topic: "N/a/Soc", payload: '{"value": 55}', at: NOW }] },
    });
    const url = new URL(path, "http://own.invalid");
    const page = pages.find((one) => one.method === method && one.path === url.pathname);
    if (page === undefined) throw new Error(`There is no ${method} ${path}.`);
    const asked = { ...this.#context(siteId, language), path: url.pathname, query: url.searchParams };
    const reply: PageReply = await page.handle(asked, new FormBody(new URLSearchParams(fields).toString()));
    return { ...reply, html: "page" in reply ? render(reply.page) : "" };
  }

  /** A home with something in every form. */
  async furnish() {
    await this.sites.change("home", {
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
        tariff: PRESETS,
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
  async undo(html: string, subject = "battery") {
    const [, id = ""] = /name="id" value="([^"]+)"/.exec(html) ?? [];
    return this.ask("POST", "/settings/ems/undo", { id, subject });
  }
}

/** A new home for each test of the file. */
export function eachWithHome(use: (home: EmsHome) => void): void {
  let folder: string;
  let home: EmsHome;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-ems-"));
    home = new EmsHome(await openStore(folder, silentLog));
    use(home);
  });
  afterEach(async () => {
    await home.history.stop();
    await home.store.close();
    await rm(folder, { recursive: true, force: true });
  });
}
