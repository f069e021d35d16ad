import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { billMonth } from "../../src/tariff/bill.js";
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
    const feedIn = { "price.feed_in.type": "spot", valid_from: "2025-06-11" };
    expect((await anna.post(PAGE, feedIn)).status).toBe(303);
    expect(tariff()).toMatchObject([OWN, { energy: OWN.energy, feed_in: { type: "spot" } }]);
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
    expect(text).toMatch(/name="tariff\.markup_ct_kwh"[^>]* value="1"/);
    const typed = { "tariff.grid_fee_ct_kwh": "8", valid_from: "2025-06-11" };
    expect((await anna.post("/settings/ems", typed)).status).toBe(303);
    expect(tariff()).toMatchObject([
      { grid_usage: { ct_kwh: 7 } },
      { grid_usage: { ct_kwh: 8 }, energy: { markup_ct_kwh: 1 }, valid_from: "2025-06-11" },
    ]);
    expect(juneEur(tariff()!)).toBeCloseTo(30 * 0.112 + 20 * 0.012, 9);
    expect((await anna.get(PAGE)).text).toContain("Grid usage fee: 7 → 8 ct/kWh");
    const wrong = await anna.post("/settings/ems", { "tariff.vat_pct": "10", valid_from: "soon" });
    expect(wrong.status).toBe(422);
  });

  it("stay when the wizard is saved without a choice", async () => {
    const { text } = await anna.get("/start?step=tariff");
    expect(text).toMatch(/<option[^>]*value="current"[^>]*>as now: Fixed price 26.4 ct\/kWh/);
    expect(text).toMatch(/<option[^>]*value="current"[^>]*>as now: Fixed price 7 ct\/kWh/);
    const unchanged = { step: "tariff", supplier: "current", area: "current", feed_in: "current" };
    expect((await anna.post("/start", unchanged)).status).toBe(303);
    expect(tariff()).toEqual([OWN]);
    const chosen = { ...unchanged, supplier: "fixed", fixed_ct_kwh: "13,2", valid_from: "2025-06-11" };
    const question = await anna.post("/start", chosen);
    expect(question.status).toBe(303);
    expect(tariff()).toMatchObject([OWN, { energy: { ct_kwh: 11 }, valid_from: "2025-06-11" }]);
    expect((await anna.get("/start?step=tariff")).text).toContain("as now: Fixed price 13.2 ct/kWh");
  });

  it("of presets apply from the date of the form of the bill", async () => {
    await anna.get("/bill");
    const choice = { area: "niederoesterreich", metering_eur_month: "2,2" };
    const wrong = await anna.post("/bill/tariff", { ...choice, valid_from: "soon" });
    expect(wrong.text).toContain("Enter the first day on which the prices apply");
    expect((await anna.post("/bill/tariff", { ...choice, valid_from: "2025-06-11" })).status).toBe(303);
    expect(tariff()).toMatchObject([
      OWN,
      {
        energy: OWN.energy,
        grid_usage: { metering_eur_month: 2.2 },
        grid_loss: {},
        valid_from: "2025-06-11",
      },
    ]);
  });
});
