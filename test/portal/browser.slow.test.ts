import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { recentPricesFile } from "../support/recorded-data.js";
import { CHROMIUM, isChromiumMissing, launchChromium, watch } from "./page-checks.js";

const PRICES = recentPricesFile();
const EMAIL = "anna@example.org";
const PASSWORD = "correct horse battery";

if (isChromiumMissing)
  console.warn(
    `The browser tests are SKIPPED: there is no ${CHROMIUM}; install chromium or set CHROMIUM_PATH.`,
  );

it.runIf(process.env.CI === "true")("has a browser to test with", () => {
  expect(isChromiumMissing).toBe(false);
});

/** Pages that say more with scripts; all pages in all widths are tested with scripts in pages.slow.test.ts. */
const PLAIN_PAGES = [
  "/dashboard?hours=168",
  "/devices",
  "/start?step=tariff",
  "/settings/ems/battery",
  "/settings/ems/slots?row=1",
  "/meter",
  "/bill",
  "/what-if",
  "/why",
];

/** Fields without a label, buttons without a name, duplicate ids, pictures without words: none on any page. axe-core does not run on pages without scripts. */
function inaccessible(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const ids = new Map<string, number>();
    for (const { id } of document.querySelectorAll("[id]")) ids.set(id, (ids.get(id) ?? 0) + 1);
    for (const [id, count] of ids) if (count > 1) faults.push(`id ${id} stands ${count} times`);
    for (const field of document.querySelectorAll<HTMLInputElement>("input:not([type=hidden]), select"))
      if ((field.labels?.length ?? 0) === 0) faults.push(`no label: ${field.name}`);
    for (const control of document.querySelectorAll("button, a"))
      if (control.textContent?.trim() === "" && control.getAttribute("aria-hidden") !== "true")
        faults.push(`no name: ${control.outerHTML.slice(0, 80)}`);
    for (const picture of document.querySelectorAll("svg:not([aria-label]):not([aria-hidden])"))
      faults.push(`no words: ${picture.outerHTML.slice(0, 80)}`);
    if (document.documentElement.lang === "") faults.push("no language");
    if (document.documentElement.scrollWidth > window.innerWidth) faults.push("wider than the screen");
    return faults;
  });
}

describe.skipIf(isChromiumMissing)("the portal in a browser", () => {
  let folder: string;
  let gateway: Gateway;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-browser-"));
    const { settings } = parse(
      stringify({
        accounts: { registration: "open" },
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        clock: { start: "2026-01-15T10:00:00+01:00", speed: 1, publish_at: "13:00" },
        owner: { password: PASSWORD, key: `hg_live_${"o".repeat(43)}` },
        market: { sources: [{ type: "file", path: PRICES }] },
        weather: { sources: [] },
        mqtt: { broker: { enabled: false } },
        node_red: { enabled: false },
      }),
    );
    gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
    const [launched] = await Promise.all([launchChromium(), gateway.start()]);
    browser = launched;
    base = `http://127.0.0.1:${gateway.ports.http}`;
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The path in the confirmation mail's link. */
  async function confirmationPath(): Promise<string> {
    const outbox = join(folder, "data/outbox");
    const [name] = await readdir(outbox);
    const mail = await readFile(join(outbox, name!), "utf8");
    const text = mail.replace(/=\r?\n/g, "").replace(/=3D/gi, "=");
    const [path] = /\/confirm\?token=[\w-]+/.exec(text) ?? [];
    if (path === undefined) throw new Error(`The mail has no link:\n${mail}`);
    return path;
  }

  function tell(key: string, socPct: number) {
    return fetch(`${base}/v1/plant/telemetry`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ soc_pct: socPct }),
    });
  }

  it("leads from the registration to a running plan, live, and out again", async () => {
    const context = await browser.newContext({ locale: "de-AT" });
    const page = await context.newPage();
    const faults = watch(page, base);
    const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });

    await page.goto(`${base}/register`);
    expect(await inaccessible(page)).toEqual([]);
    await page.getByLabel("E-Mail").fill(EMAIL);
    await page.locator("main button[type=submit]").click();
    await page.goto(base + (await confirmationPath()));
    expect(await inaccessible(page)).toEqual([]);
    await page.getByLabel("Passwort").fill(PASSWORD);
    await page.locator("main button[type=submit]").click();

    await page.waitForURL("**/start");
    const key = await page.locator("code.secret").innerText();
    expect(key).toMatch(/^hg_live_[\w-]{43}$/);
    await page.goto(`${base}/dashboard`);
    expect(await page.locator("#headline").innerText()).toContain("keine Batterie eingetragen");
    await page.reload();
    expect(await page.locator("code.secret").count()).toBe(0);
    expect(await inaccessible(page)).toEqual([]);

    await page.getByRole("link", { name: "Batterie eintragen" }).click();
    expect(await inaccessible(page)).toEqual([]);
    const capacity = page.locator("#battery").getByLabel("Nutzbare Kapazität (kWh)");
    await capacity.fill("viel");
    // The enter key saves; a button that removes something must not be the first of its form.
    await capacity.press("Enter");
    const refused = page.locator("#field-battery_capacity_kwh-error");
    expect(await refused.innerText()).toContain("eine Zahl über 0 bis 100");
    expect(await capacity.inputValue()).toBe("viel");
    await capacity.fill("9,6");
    await page.locator("#battery").getByRole("button", { name: "Speichern" }).first().press("Enter");
    await page.locator("#saved").getByText("Batterie hinzugefügt (9,6 kWh, 5 kW)").waitFor();
    expect(await capacity.inputValue()).toBe("9,6");

    await page.goto(`${base}/dashboard`);
    expect(await page.locator("#headline").innerText()).toContain("Der Ladestand fehlt");
    expect((await tell(key, 20)).status).toBe(200);
    // No reload from here on: the plan comes to the page by itself.
    await page.locator("#flow").getByText("20 %").waitFor();
    await page.locator("#details summary").click();
    expect(await page.locator("#savings").innerText()).toMatch(/\d,\d\d € in den nächsten 7 Tagen/);
    await page.locator("#outputs").getByRole("link").click();
    await page.locator("#outputs").getByText("O13").waitFor();
    await page.goBack();
    await page.locator("#chart .hit").nth(10).hover();
    await page.locator(".readout", { hasText: "ct/kWh" }).waitFor();
    // A change that the battery cannot have made counts when a second reading confirms it.
    await tell(key, 55);
    await tell(key, 55);
    await page.locator("#flow").getByText("55 %").waitFor();
    // What is chosen stays.
    expect(await page.locator(".readout").innerText()).toContain("ct/kWh");
    expect(await inaccessible(page)).toEqual([]);
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Behalten/ })
      .click();
    await button("Bestätigen").click();
    await page
      .locator("#slots")
      .getByText(/wird bis morgen \d\d:\d\d \(noch \d+ Stunden\) nicht entladen/)
      .waitFor();
    await button("Nach Plan").click();
    await button("Nach Plan").waitFor({ state: "detached" });

    await page.goto(`${base}/settings/ems/battery`);
    const unsaved = page.getByText("Noch nicht gespeichert");
    expect(await unsaved.isVisible()).toBe(false);
    await capacity.fill("12");
    await unsaved.waitFor();
    // Leaving asks first; what was typed is still there.
    const questions: string[] = [];
    page.once("dialog", (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    await page.getByRole("link", { name: "Mehr", exact: true }).click({ noWaitAfter: true });
    await vi.waitUntil(() => questions.length > 0);
    expect(questions).toEqual(["beforeunload"]);
    expect(await capacity.inputValue()).toBe("12");
    await button("Speichern").press("Enter");
    const saved = page.locator("#saved");
    await saved.getByText("Nutzbare Kapazität: 9,6 → 12 kWh").waitFor();
    await saved.getByText(/7 Tage −?\d+,\d\d €/).waitFor();
    expect((await saved.boundingBox())?.height).toBeLessThanOrEqual(64);
    await page
      .locator("#last-change")
      .getByText(/nächsten 7 Tage: (weiterhin )?−?\d+,\d\d/)
      .waitFor();
    await saved.getByRole("button", { name: "Rückgängig" }).click();
    await saved.getByText("Nutzbare Kapazität: 12 → 9,6 kWh").waitFor();
    expect(await capacity.inputValue()).toBe("9,6");
    expect(await inaccessible(page)).toEqual([]);

    await page.goto(`${base}/connect`);
    await page.locator("#links summary").click();
    await page.locator("#links").getByRole("button", { name: "Link anlegen" }).click();
    const link = await page.locator("#links code.secret").innerText();
    expect(link).toMatch(/\/c\/[\w-]{32}\/line$/);
    const line = await fetch(base + new URL(link).pathname);
    expect(await line.text()).toMatch(/^HG;OK=1;/);

    await page.getByRole("link", { name: "Mehr", exact: true }).click();
    await page.getByRole("button", { name: "Abmelden" }).click();
    await page.goto(`${base}/dashboard`);
    expect(page.url()).toContain("/login");
    expect(await button("Anmelden").count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("leads the owner once through the wizard to the first plan", async () => {
    const context = await browser.newContext({ locale: "de-AT" });
    const page = await context.newPage();
    const faults = watch(page, base);
    const field = (name: string) => page.locator(`[name="${name}"]:not([type=hidden])`);
    const next = () => page.locator("#content form .button.primary").first().click();
    const signIn = async () => {
      await page.goto(`${base}/`);
      await field("email").fill("owner@localhost");
      await field("password").fill(PASSWORD);
      await page.locator("main button[type=submit]").click();
    };
    await signIn();
    await page.waitForURL("**/start");
    await field("postcode").fill("101");
    await next();
    await page.locator("#field-postcode-error", { hasText: "vier Ziffern" }).waitFor();
    await field("postcode").fill("4600");
    await next();

    await page.getByRole("button", { name: "Rückgängig" }).waitFor();
    await page.getByRole("button", { name: "Weiter", exact: true }).click();
    expect(await field("area").inputValue()).toBe("oberoesterreich");
    await field("supplier").selectOption("fixed");
    await field("fixed_ct_kwh").fill("0,12");
    await next();
    await page.getByText("Sind 0,12 €/kWh gemeint? Das sind 12 ct/kWh.").waitFor();
    await field("supplier").selectOption("aae_spot_stunde_2");
    await page.locator("#price-now", { hasText: /Jetzt wären das \d\d,\d ct/ }).waitFor();
    await next();

    // Left in the middle, it goes on where it was.
    await page.locator("#step-title", { hasText: "Wie viel Strom" }).waitFor();
    await page.getByRole("link", { name: "Mehr", exact: true }).click();
    await page.getByRole("button", { name: "Abmelden" }).click();
    await signIn();
    await page.waitForURL("**/dashboard");
    await page.goto(`${base}/start`);
    expect(await inaccessible(page)).toEqual([]);
    await field("load.year_kwh").fill("5800");
    await field("load.car").selectOption("km_10000");
    await next();

    // The plan says what is missing.
    const missing = (name: string) => page.locator(".sentences").getByRole("link", { name }).click();
    await missing("Batterie");
    await field("battery.model").selectOption("gen24_hvs_10");
    await field("battery.efficiency_pct").fill("0,9");
    await next();
    await page.getByText("Sind 90 % gemeint?").first().waitFor();
    await field("battery.efficiency_pct").fill("90");
    await next();
    await missing("PV");
    await field("pv.0.peak_kw").fill("100");
    await next();
    await page.getByRole("button", { name: "Ja, das stimmt" }).click();
    await missing("Verbraucher");
    await field("slots.1.device").selectOption("wallbox");
    await next();
    await missing("Ladestand");
    await field("soc_pct").fill("45 %");
    await next();
    await page.getByText("Erwartete Kosten der nächsten 7 Tage").waitFor();
    expect(await inaccessible(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("fits a phone and can be used without scripts", async () => {
    const context = await browser.newContext({
      locale: "en-GB",
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    const page = await context.newPage();
    const faults = watch(page, base);
    await page.goto(`${base}/login`);
    await page.getByLabel("E-mail").fill("owner@localhost");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.locator("main button[type=submit]").click();
    await page.goto(`${base}/dashboard`);
    expect(await inaccessible(page)).toEqual([]);
    expect(await page.locator("svg.plan-chart .hit title").count()).toBeGreaterThan(0);
    for (const path of PLAIN_PAGES) {
      expect((await page.goto(base + path))?.status()).toBe(200);
      expect(await inaccessible(page), path).toEqual([]);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
