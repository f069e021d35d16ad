import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { render } from "preact-render-to-string";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OWNER_ID, SiteRegistry } from "../../src/accounts/site-registry.js";
import { createBus } from "../../src/bus.js";
import { parsePlant } from "../../src/config/plant.js";
import { silentLog } from "../../src/log.js";
import type { FlashName, PageReply, SignedInContext } from "../../src/portal/context.js";
import { emsPages } from "../../src/portal/ems/pages.js";
import { FormBody } from "../../src/portal/form-body.js";
import { openStore, type Store } from "../../src/store/store.js";
import { textsOf } from "../../src/texts/index.js";
import { manualClock } from "../../src/time/clock.js";

const NOW = new Date("2026-01-15T10:00:00Z");
const SOC = { topic: "N/+/Soc", path: "value", field: "soc_pct" as const };

describe("the pages of the EMS settings", () => {
  let folder: string;
  let store: Store;
  let sites: SiteRegistry;
  let changed: string[];
  let approved: (filter: string) => boolean;
  const flashes = new Map<FlashName, string>();

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
    flashes.clear();
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  function context(siteId: string, language: "de" | "en" = "de"): SignedInContext {
    return {
      method: "GET",
      path: "/settings/ems",
      isShared: false,
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
    const pages = emsPages({
      sites,
      mayRead: (_siteId, filter) => approved(filter),
      payloads: {
        lastPayloads: () => [{ topic: "N/a/Soc", payload: '{"value": 55}', at: NOW }],
        matches: (filter) => filter === SOC.topic,
      },
    });
    const url = new URL(path, "http://own.invalid");
    const page = pages.find((one) => one.method === method && one.path === url.pathname);
    if (page === undefined) throw new Error(`There is no ${method} ${path}.`);
    const asked = { ...context(siteId), query: url.searchParams };
    const reply: PageReply = await page.handle(asked, new FormBody(new URLSearchParams(fields).toString()));
    return { ...reply, html: "page" in reply ? render(reply.page) : "" };
  }

  it("save a section at once, say so after the redirect, and let it go back to the file", async () => {
    const saved = await ask("POST", "/settings/ems", {
      "battery.capacity_kwh": "12,5",
      "battery.min_soc_pct": "15",
    });
    expect(saved).toMatchObject({ redirect: "/settings/ems#battery" });
    expect(changed).toEqual(["home"]);
    expect(sites.get("home")?.plant.battery).toMatchObject({
      capacity_kwh: 12.5,
      min_soc_pct: 15,
      reserve_pct: 5,
    });
    const page = await ask("GET", "/settings/ems");
    expect(page.html).toContain("Gespeichert.");
    expect(page.html).toContain('value="12,5"');
    expect(page.html).toContain('name="reset" value="battery"');
    await ask("POST", "/settings/ems", { reset: "battery" });
    expect(sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 10 });
    expect((await ask("GET", "/settings/ems")).html).not.toContain('name="reset"');
  });

  it("refuse what does not fit with 422: all of it shown as typed, nothing changed", async () => {
    const typed = { "battery.capacity_kwh": "<b>12", "load.daily_kwh": "9" };
    const refused = await ask("POST", "/settings/ems", typed);
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain('value="&lt;b>12"');
    expect(refused.html).toContain("Nutzbare Kapazität (kWh): Bitte eine Zahl zwischen");
    expect(refused.html).toContain('aria-invalid="true"');
    expect(refused.html).toContain('value="9"');
    expect(changed).toEqual([]);
  });

  it("show what the last payload of a topic gives now", async () => {
    expect((await ask("GET", "/settings/ems")).html).toContain("soc_pct = 55");
    await ask("POST", "/settings/ems", { "mqtt.telemetry.0.scale": "0.5", "mqtt.telemetry.0.offset": "1" });
    expect((await ask("GET", "/settings/ems")).html).toContain("soc_pct = 28,5");
    await ask("POST", "/settings/ems", { "mqtt.telemetry.0.path": "none" });
    expect((await ask("GET", "/settings/ems")).html).toContain("The payload has nothing at none.");
  });

  it("say below an entry of the topic map that it waits for approval, and show no payload there", async () => {
    const text = "wartet auf die Freigabe durch den Administrator";
    expect((await ask("GET", "/settings/ems")).html).not.toContain(text);
    approved = (filter) => filter !== SOC.topic;
    const { html } = await ask("GET", "/settings/ems");
    expect(html).toContain(text);
    expect(html).not.toContain("N/a/Soc");
  });
});
