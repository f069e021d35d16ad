import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { billMonth } from "../../src/tariff/bill.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import type { Tariff } from "../../src/tariff/tariff.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const OWN = {
  energy: { type: "fixed" as const, ct_kwh: 22 },
  energy_base_fee: { eur_month: 3 },
  grid_usage: { ct_kwh: 8 },
  vat_pct: 20,
  feed_in: { type: "fixed" as const, ct_kwh: 7 },
};

let portal: OpenPortal;
let anna: Browser;
let siteId: string;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("anna@example.org");
  anna = await portal.signedIn("anna@example.org");
  siteId = portal.sites.of("account-anna@example.org")[0]!.id;
});
afterAll(() => portal.close());
beforeEach(async () => void (await portal.sites.change(siteId, { plant: { tariff: [OWN] } })));

const PAGE = "/settings/ems/tariff";
const tariff = () => portal.sites.get(siteId)!.plant.tariff;

/** The bill of June 2025 with 1 kWh drawn and fed in at noon of each day. */
function juneEur(of: Tariff): number {
  const steps = Array.from({ length: 30 }, (_, day) => ({
    start: new Date(Date.UTC(2025, 5, day + 1, 10)),
    importKwh: 1,
    exportKwh: 1,
    spotCtKwh: 5,
  }));
  return billMonth({ tariff: of, zone: "Europe/Vienna", month: "2025-06", steps }).totalEur;
}

describe("prices with a date", () => {
  it("are shown as they are in force, with the day that a change applies from", async () => {
    const { text } = await anna.get(PAGE);
    expect(text).toMatch(/name="price\.energy\.ct_kwh"[^>]* value="22"/);
    expect(text).toMatch(/name="price\.feed_in\.ct_kwh"[^>]* value="7"/);
    expect(text).toMatch(/name="valid_from"[^>]* type="date" value="20\d\d-\d\d-\d\d"/);
    expect(text).toContain("With a day in the past, bills and savings since then are calculated again.");
    expect((await anna.get(`${PAGE}?lang=de`)).text).toContain("Gilt ab");
    await anna.get(`${PAGE}?lang=en`);
  });

  it("begin a period, replace a change of the same day, and can be undone", async () => {
    await anna.get(PAGE);
    const done = await anna.post(PAGE, { "price.energy.ct_kwh": "24,5", valid_from: "2025-06-11" });
    expect([done.status, done.location]).toEqual([303, PAGE]);
    expect(tariff()).toEqual([
      OWN,
      { ...OWN, energy: { type: "fixed", ct_kwh: 24.5 }, valid_from: "2025-06-11" },
    ]);
    // 10 days at 30 ct, 20 at 32.5 ct, 3 EUR, 20 % VAT; 30 kWh fed in at 7 ct.
    expect(juneEur(tariff()!)).toBeCloseTo((3 + 6.5 + 3) * 1.2 - 2.1, 9);
    const { text } = await anna.get(PAGE);
    expect(text).toContain("Price of energy: 22 → 24.5 ct/kWh");
    const [, id] = /name="id" value="([^"]+)"/.exec(text)!;
    await anna.post(PAGE, {
      "price.energy.ct_kwh": "25",
      "price.feed_in.ct_kwh": "4",
      valid_from: "11.6.2025",
    });
    expect(tariff()).toMatchObject([OWN, { energy: { ct_kwh: 25 }, feed_in: { ct_kwh: 4 } }]);
    // 10 * 30 + 20 * 33 ct; feed-in 10 * 7 + 20 * 4 ct.
    expect(juneEur(tariff()!)).toBeCloseTo((3 + 6.6 + 3) * 1.2 - 1.5, 9);
    const [, last] = /name="id" value="([^"]+)"/.exec((await anna.get(PAGE)).text)!;
    expect(last).not.toBe(id);
    await anna.post("/settings/ems/undo", { id: last! });
    expect(tariff()).toMatchObject([OWN, { energy: { ct_kwh: 24.5 }, feed_in: { ct_kwh: 7 } }]);
  });

  it("refuse what is no number and no day, and save nothing", async () => {
    await anna.get(PAGE);
    const refused = await anna.post(PAGE, { "price.energy.ct_kwh": "cheap", valid_from: "soon" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Enter a number, such as 12.5.");
    expect(refused.text).toContain("Enter the first day on which the prices apply");
    expect(refused.text).toContain('value="cheap"');
    const unlikely = await anna.post(PAGE, { "price.energy.ct_kwh": "0,22", valid_from: "2025-06-11" });
    expect(unlikely.status).toBe(422);
    expect(tariff()).toEqual([OWN]);
    const seen = await anna.post(PAGE, {
      "price.energy.ct_kwh": "30",
      valid_from: "2025-06-11",
      seen_tariff: "other",
    });
    expect([seen.status, tariff()]).toEqual([422, [OWN]]);
    const feedIn = { feed_in: "", valid_from: "2025-06-11" };
    expect((await anna.post(PAGE, feedIn)).status).toBe(303);
    expect(tariff()).toMatchObject([OWN, { energy: OWN.energy, valid_from: "2025-06-11" }]);
    expect((tariff() as readonly object[])[1]).not.toHaveProperty("feed_in");
  });

  it("by month, in blocks and of a community have fields too", async () => {
    const monthly = {
      ...OWN,
      energy: { type: "monthly" as const, months: { "2025-05": 11, "2025-06": 12 } },
      feed_in: { type: "fixed" as const, blocks: [{ up_to_kwh: 1000, ct_kwh: 8 }, { ct_kwh: 5 }] },
    };
    await portal.sites.change(siteId, { plant: { tariff: [monthly] } });
    const { text } = await anna.get(PAGE);
    expect(text).toContain("Price of energy in June 2025");
    expect(text).toContain("Price of feed-in in block 1: up to");
    // This month and the next one are offered.
    const offered = [...text.matchAll(/name="price\.energy\.months\.(\d{4}-\d\d)"/g)].map(
      ([, month]) => month,
    );
    expect(offered).toHaveLength(4);
    const done = await anna.post(PAGE, {
      "price.energy.months.2025-06": "13",
      [`price.energy.months.${offered[3]}`]: "14,5",
      "price.feed_in.blocks.0.ct_kwh": "7",
      "price.feed_in.blocks.0.up_to_kwh": "1500",
      "price.community.price_ct_kwh": "9",
      "price.community.grid_usage_discount_pct": "28",
      "price.community.feed_in_ct_kwh": "8,5",
      valid_from: "2025-06-11",
    });
    expect(done.status).toBe(303);
    expect(tariff()).toMatchObject([
      monthly,
      {
        energy: { type: "monthly", months: { "2025-05": 11, "2025-06": 13, [offered[3]!]: 14.5 } },
        feed_in: { blocks: [{ up_to_kwh: 1500, ct_kwh: 7 }, { ct_kwh: 5 }] },
        community: { price_ct_kwh: 9, grid_usage_discount_pct: 28, feed_in_ct_kwh: 8.5 },
        valid_from: "2025-06-11",
      },
    ]);
    // 10 kWh at 12 and 20 at 13 ct, 30 at 8 ct grid fee, 3 EUR, 20 % VAT; feed-in in the first block: 10 at 8 and 20 at 7 ct.
    expect(juneEur(tariff()!)).toBeCloseTo((1.2 + 2.6 + 2.4 + 3) * 1.2 - 0.8 - 1.4, 6);
    expect((await anna.get(PAGE)).text).toContain("Price of the energy community: – → 9 ct/kWh");
    const lost = {
      "price.community.price_ct_kwh": "",
      "price.community.grid_usage_discount_pct": "28",
      valid_from: "2025-06-12",
    };
    expect((await anna.post(PAGE, lost)).text).toContain("Enter a number, such as 12.5.");
    const left = { ...lost, "price.community.grid_usage_discount_pct": "" };
    expect((await anna.post(PAGE, left)).status).toBe(303);
    expect((tariff() as readonly object[]).at(-1)).not.toHaveProperty("community");
  });

  it("of the short form leave the time before the date as it was billed", async () => {
    const flat = { markup_ct_kwh: 1, levies_ct_kwh: 0.5, grid_fee_ct_kwh: 7, vat_pct: 20 };
    await portal.sites.change(siteId, { plant: { tariff: flat } });
    // 5 + 1 + 0.5 + 7 = 13.5 ct with 20 % VAT; feed-in at 5 ct.
    expect(juneEur(tariff()!)).toBeCloseTo(30 * (0.162 - 0.05), 9);
    const { text } = await anna.get(PAGE);
    expect(text).toMatch(/name="price\.energy\.markup_ct_kwh"[^>]* value="1"/);
    // The levy has no name of its own: it is that of the bill in each language.
    expect((await anna.get(`${PAGE}?lang=de`)).text).toMatch(/Abgaben 0,5 ct\/kWh/);
    await anna.get(`${PAGE}?lang=en`);
    const typed = { "price.grid_usage.ct_kwh": "8", valid_from: "2025-06-11" };
    expect((await anna.post("/settings/ems", typed)).status).toBe(303);
    expect(tariff()).toMatchObject([
      { grid_usage: { ct_kwh: 7 } },
      { grid_usage: { ct_kwh: 8 }, energy: { markup_ct_kwh: 1 }, valid_from: "2025-06-11" },
    ]);
    expect(juneEur(tariff()!)).toBeCloseTo(30 * 0.112 + 20 * 0.012, 9);
    expect((await anna.get(PAGE)).text).toContain("Grid usage fee: 7 → 8 ct/kWh");
    const wrong = await anna.post("/settings/ems", { "price.vat_pct": "10", valid_from: "soon" });
    expect(wrong.status).toBe(422);
  });

  it("are chosen in the same form by the wizard, which shows what is in force", async () => {
    const { text } = await anna.get("/start?step=tariff");
    expect(text).toMatch(/<option value="fixed" selected>/);
    expect(text).toMatch(/name="fixed_ct_kwh"[^>]* value="26.4"/);
    expect(text).toMatch(/name="feed_in_ct_kwh"[^>]* value="7"/);
    const unchanged = {
      step: "tariff",
      supplier: "fixed",
      fixed_ct_kwh: "26.4",
      area: "own",
      feed_in: "fixed",
    };
    expect((await anna.post("/start", { ...unchanged, area: "current" })).status).toBe(303);
    expect(tariff()).toEqual([OWN]);
    // 13.2 ct with 20 % VAT are 11 ct.
    const chosen = { step: "tariff", fixed_ct_kwh: "13,2", valid_from: "2025-06-11" };
    expect((await anna.post("/start", chosen)).status).toBe(303);
    expect(tariff()).toMatchObject([OWN, { energy: { ct_kwh: 11 }, valid_from: "2025-06-11" }]);
    expect((await anna.get(PAGE)).text).toMatch(/name="fixed_ct_kwh"[^>]* value="13.2"/);
  });

  it("of presets apply from the date of the form, and are shown as what they are", async () => {
    await anna.get(PAGE);
    const choice = { area: "niederoesterreich", "price.grid_usage.metering_eur_month": "2,2" };
    const wrong = await anna.post(PAGE, { ...choice, valid_from: "soon" });
    expect(wrong.text).toContain("Enter the first day on which the prices apply");
    expect((await anna.post(PAGE, { ...choice, valid_from: "2025-06-11" })).status).toBe(303);
    expect(tariff()).toMatchObject([
      OWN,
      {
        energy: OWN.energy,
        grid_usage: { metering_eur_month: 2.2 },
        grid_loss: {},
        valid_from: "2025-06-11",
      },
    ]);
    const { text } = await anna.get(PAGE);
    expect(text).toMatch(/<option value="niederoesterreich" selected>/);
    expect((await anna.post(PAGE, { supplier: "nobody" })).status).toBe(422);
    const spot = { supplier: "awattar_hourly", valid_from: "2025-06-11" };
    expect((await anna.post(PAGE, spot)).status).toBe(303);
    expect(tariff()).toMatchObject([OWN, { energy: { markup_pct: 3, markup_ct_kwh: 1.5 }, vat_pct: 20 }]);
  });

  it("of a later day can be changed and taken away again", async () => {
    await anna.get(PAGE);
    await anna.post(PAGE, { "price.energy.ct_kwh": "25", valid_from: "2026-06-01" });
    const { text } = await anna.get(PAGE);
    expect(text).toContain("?at=2026-06-01");
    const later = (await anna.get(`${PAGE}?at=2026-06-01`)).text;
    expect(later).toMatch(/name="price\.energy\.ct_kwh"[^>]* value="25"/);
    expect(later).toMatch(/name="valid_from"[^>]* value="2026-06-01"/);
    await anna.post(PAGE, { period: "2026-06-01", "price.energy.ct_kwh": "26", valid_from: "2026-06-01" });
    expect(tariff()).toMatchObject([OWN, { energy: { ct_kwh: 26 }, valid_from: "2026-06-01" }]);
    const asked = (await anna.get(`${PAGE}?remove=tariff.2026-06-01`)).text;
    const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(asked)!;
    expect((await anna.post("/settings/ems", { remove: "tariff.2026-06-01", seen })).status).toBe(303);
    expect(tariff()).toEqual([OWN]);
  });

  it("are checked with the last bill", async () => {
    const prices = PriceSeries.of([{ start: new Date("2025-06-01T00:00:00Z"), minutes: 60, eurPerMwh: 50 }]);
    portal.setPrices(prices);
    const { text } = await anna.get(`${PAGE}?bill_kwh=1200&bill_months=12&bill_eur=470`);
    // 1,200 kWh at (22 + 8) ct and 12 times 3 EUR, with 20 % VAT.
    expect(text).toContain("This tariff gives 475.20 €; the bill says 470.00 €.");
    expect((await anna.get(`${PAGE}?bill_kwh=much`)).text).toContain("Enter energy, amount and a period");
  });

  it("of a first tariff are made of the choices, with what is in a price and what is not", async () => {
    const made = async (fields: Record<string, string>) => {
      await portal.sites.change(siteId, { plant: { tariff: null } });
      await anna.get(PAGE);
      expect((await anna.post(PAGE, { summer_low: "true", ...fields })).status).toBe(303);
      return compileTariff(tariff()!, "Europe/Vienna").importCtKwh(10, new Date("2026-01-15T11:00:00Z"));
    };
    const levies = 0.1 + 0.62;
    // The levy of Vienna was 6 % until the end of February.
    expect(await made({ supplier: "aae_spot_stunde_2", area: "wien" })).toBeCloseTo(
      ((10 + 1.3 + 6.98 + 0.7) * 1.06 + levies) * 1.2,
      6,
    );
    expect(await made({ supplier: "spot", markup_ct_kwh: "1,5", area: "" })).toBeCloseTo(11.5 * 1.2, 9);
    expect(await made({ supplier: "fixed", fixed_ct_kwh: "24", area: "" })).toBeCloseTo(24, 9);
    expect(await made({ supplier: "fixed", fixed_ct_kwh: "12", area: "steiermark" })).toBeCloseTo(
      12 + (8.82 + 0.336 + levies) * 1.2,
      6,
    );
    const area = { area: "steiermark", valid_from: "2026-06-11" };
    await made({ supplier: "fixed", fixed_ct_kwh: "24", area: "" });
    expect((await anna.post(PAGE, area)).text).toContain("Choose the supplier too");
    await portal.sites.change(siteId, { plant: { tariff: null } });
    const unlikely = await anna.post(PAGE, { supplier: "fixed", fixed_ct_kwh: "0.24" });
    expect(unlikely.text).toContain("0.24");
    expect((await anna.post(PAGE, { supplier: "fixed" })).text).toContain("Enter the price, in ct/kWh.");
    expect(tariff()).toBeNull();
  });
});
