import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMeterFile } from "../../src/money/meter/read.js";
import type { StoredSeries } from "../../src/store/meter-archive.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

/** 10 ct energy, 5 ct grid, 20 % VAT: a kWh costs 18 ct. Feed-in 7 ct. */
const TARIFF = [
  {
    energy: { type: "fixed" as const, ct_kwh: 10 },
    energy_base_fee: { eur_month: 5 },
    grid_usage: { ct_kwh: 5 },
    levies: [{ name: "Förderpauschale", eur_year: 12 }],
    vat_pct: 20,
    feed_in: { type: "fixed" as const, ct_kwh: 7 },
  },
];
const DECEMBER = Date.parse("2025-11-30T23:00:00Z");
const QUARTERS = 31 * 96;

/** December 2025: 0.25 kWh in each quarter-hour from `from`, of which `estimated` are estimated. */
async function series(column: "import" | "export", from: number, estimated: number): Promise<StoredSeries> {
  const rows = Array.from(
    { length: QUARTERS - from },
    (_, index) => `${new Date(DECEMBER + (from + index) * 900_000).toISOString()},0.25`,
  );
  const text = [`start_utc,${column}_kwh`, ...rows].join("\n");
  const [read] = await readMeterFile(new TextEncoder().encode(text), `${column}.csv`);
  read!.estimates.fill(1, 0, estimated);
  return { ...read!, quantity: column };
}

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

describe("the page Bill", () => {
  it("says what is needed first", async () => {
    const { text } = await anna.get("/bill");
    expect(text).toContain("This site has no tariff.");
    await portal.sites.change(siteId, { plant: { tariff: TARIFF } });
    const metered = await anna.get("/bill?month=2025-12");
    expect(metered.text).toContain("No meter data for December 2025.");
    expect((await anna.get("/bill?month=2025-13")).status).toBe(422);
  });

  it("shows the month that imports cover, its gaps and the amounts that they touch", async () => {
    // Four hours of draw are missing, two are estimated; eight hours of feed-in are missing.
    await portal.meter.add(
      siteId,
      [[await series("import", 16, 8)], [await series("export", 32, 0)]],
      new Date(),
    );
    const { text } = await anna.get("/bill");
    // 740 h at 1 kW; 740 × 15 ct + 5 EUR + 1 EUR = 117 EUR net.
    expect(text).toContain("740.000 kWh");
    expect(text).toContain("140.40");
    expect(text).toContain(
      "4 hours without a metered value are not in the bill. At the average import they would be 4.0 kWh, about 0.72 €.",
    );
    expect(text).toContain("2 hours have values that the grid operator estimated: 2.0 kWh, 0.36 €.");
    expect(text).toContain(
      "4 hours without a value of the feed-in are not in the credit. At the average feed-in they would be 4.0 kWh, about 0.28 €.",
    );
    expect(text).toContain("1 Dec 2025, 00:00");
    // 736 kWh × 7 ct = 51.52 EUR; 140.40 - 51.52.
    expect(text).toContain("88.88 €");
    const german = await anna.get("/bill?lang=de");
    expect(german.text).toContain("4 Stunden ohne Messwert sind nicht in der Rechnung.");
    expect(german.text).toContain("140,40");
    await anna.get("/bill?lang=en");
  });

  it("answers the same as JSON, of a month and of a year", async () => {
    const month = JSON.parse((await anna.get("/portal/bill?month=2025-12&round_lines=1")).text);
    expect(month).toMatchObject({
      month: "2025-12",
      site: siteId,
      complete: false,
      missing_hours: 4,
      estimated_hours: 2,
      gross_eur: 140.4,
      feed_in_eur: 51.52,
      total_eur: 88.88,
    });
    expect(month.gaps[0]).toEqual({
      kind: "missing",
      hours: 4,
      intervals: [{ start: "2025-11-30T23:00:00Z", end: "2025-12-01T03:00:00Z" }],
      kwh: 4,
      eur: 0.72,
    });
    const year = JSON.parse((await anna.get("/portal/bill?year=2025")).text);
    expect(year).toMatchObject({ year: "2025", complete: false, total_eur: 88.88, kwh: { import: 740 } });
    expect(year.missing_months).toHaveLength(11);
    expect((await anna.get("/bill?month=2025")).text).toContain("no meter data");
    const failed = await anna.get("/portal/bill?month=2024-12");
    expect([failed.status, JSON.parse(failed.text).error.code]).toEqual([422, "nothing_metered"]);
  });

  it("says that prices are missing, not that nothing is metered", async () => {
    const energy = { type: "spot" as const };
    await portal.sites.change(siteId, { plant: { tariff: [{ energy, known_until: "2026-12-31" }] } });
    const { text } = await anna.get("/bill?month=2025-12");
    expect(text).toContain("There are no market prices of December 2025.");
    const fixed = { ...TARIFF[0]!, known_until: "2026-12-31" };
    await portal.sites.change(siteId, { plant: { tariff: [fixed] } });
    expect((await anna.get("/bill?month=2025-12")).text).toContain("The grid fees are those of 2026");
  });

  it("leads to the form of the tariff", async () => {
    expect((await anna.get("/bill")).text).toContain('href="/settings/ems/tariff"');
    await anna.get("/more");
    const elsewhere = await anna.post("/settings/ems/undo", { id: "none", back: "//example.com" });
    expect([elsewhere.status, elsewhere.location]).toEqual([409, null]);
  });
});
