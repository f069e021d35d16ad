import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { FAMILIES } from "../equipment/simulated/families.js";
import type { Running } from "../equipment/simulated/family.js";
import { NOON } from "../equipment/simulated/home.js";
import { recentPricesFile } from "../support/recorded-data.js";
import { isChromiumMissing, launchChromium } from "./page-checks.js";

const PASSWORD = "correct horse battery";
/** From the first page to the plan. */
const LIMIT_MS = 180_000;

/** The first simulated device of a template. */
function simulated(template: string): Promise<Running> {
  return FAMILIES.find((family) => family.template === template)!.start(() => NOON);
}

const addressOf = ({ with: { host, port } }: Running) =>
  port === undefined ? String(host) : `${host}:${port}`;

describe.skipIf(isChromiumMissing)("from a new installation to the first plan, in the browser only", () => {
  let folder: string;
  let gateway: Gateway;
  let browser: Browser;
  let devices: Running[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-first-plan-"));
    const { settings } = parse(
      stringify({
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        clock: { start: "2026-01-15T10:00:00+01:00", speed: 1, publish_at: "13:00" },
        owner: { password: PASSWORD },
        market: { sources: [{ type: "file", path: recentPricesFile() }] },
        weather: { sources: [] },
        mqtt: { broker: { enabled: false } },
        node_red: { enabled: false },
      }),
    );
    gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
    [browser, devices] = await Promise.all([
      launchChromium(),
      Promise.all([simulated("fronius-gen24"), simulated("shelly-pro-3em")]),
      gateway.start(),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await Promise.all((devices ?? []).map((device) => device.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  it(
    "finds a GEN24 and a Shelly 3EM, shows their values, and plans, within three minutes",
    async () => {
      const beganMs = performance.now();
      const times: string[] = [];
      const passed = (what: string) =>
        times.push(`${what} ${((performance.now() - beganMs) / 1000).toFixed(1)} s`);
      const context = await browser.newContext({ locale: "en-GB", viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const press = (name: string | RegExp) =>
        page
          .getByRole("button", { name, exact: typeof name === "string" })
          .first()
          .click();
      await page.goto(`http://127.0.0.1:${gateway.ports.http}/login`);
      await page.locator("input[name=email]").fill("owner@localhost");
      await page.locator("input[name=password]").fill(PASSWORD);
      await page.locator("main button[type=submit]").click();
      await page.waitForURL("**/start");
      await page.getByLabel("Postcode").fill("1010");
      await press("Save and continue");
      await page.waitForURL("**step=find");
      passed("place");

      await page.getByText("Other network, exclusions").click();
      await page.getByLabel("Where to search").fill(devices.map(addressOf).join(" "));
      await press("Find devices");
      for (const [role, text] of [
        ["GEN24", /PV .* kW, .*battery .* kW .*: Does that fit\?/],
        ["meter", /grid .* kW .*: Does that fit\?/],
      ] as const) {
        await page.getByRole("listitem").filter({ hasText: role }).getByRole("button").last().click();
        await page.getByText(text).waitFor();
        await press("Add this device");
        await page.waitForURL("**step=find");
        passed(role);
      }
      expect(await page.locator(".badge", { hasText: "added" }).count()).toBe(2);
      expect(await isWiderThanScreen(page)).toBe(false);
      await press("Continue");
      await page.waitForURL("**step=tariff");

      await page.getByLabel("Supplier").selectOption("spot");
      await press("Save and continue");
      await page.waitForURL("**step=load");
      await press("Skip");
      // The inverter has told the battery.
      await page.waitForURL("**step=plan");
      await page.getByText("Expected cost of the next 7 days").waitFor();
      passed("plan");

      await page.goto(`http://127.0.0.1:${gateway.ports.http}/devices`);
      await page.getByText("State of charge").first().waitFor();
      expect(await page.locator("main").innerText()).toContain(`${NOON.socPct} %`);
      expect(await isWiderThanScreen(page)).toBe(false);
      console.info(times.join(", "));
      expect(performance.now() - beganMs).toBeLessThan(LIMIT_MS);
      await context.close();
    },
    LIMIT_MS + 60_000,
  );
});

function isWiderThanScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
