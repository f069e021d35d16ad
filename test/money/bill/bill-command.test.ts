import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servers } from "../../../src/app/servers.js";
import { main } from "../../../src/ops/commands/main.js";

/** A household in Lower Austria in July 2026, calculated by hand: kWh and market price in EUR/MWh. */
const HOURS = new Map<string, [number, number]>([
  ["2026-07-01T07:00:00.000Z", [1, 80]],
  ["2026-07-01T08:00:00.000Z", [2, 20]],
  ["2026-07-01T11:00:00.000Z", [4, -10]],
  ["2026-07-01T13:00:00.000Z", [1.5, 30]],
  ["2026-07-01T14:00:00.000Z", [0.5, 60]],
  ["2026-07-01T18:00:00.000Z", [3, 150]],
  ["2026-07-19T10:00:00.000Z", [3, 40]],
  ["2026-07-31T21:00:00.000Z", [1, 100]],
]);

const folder = mkdtempSync(join(tmpdir(), "hourgate-bill-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);
const data = path("data");

const hourgate = (...typed: string[]) => run(path("hourgate.yaml"), ...typed);

async function run(config: string, ...typed: string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(
    [...typed, "--config", config],
    {
      environment: {},
      out: (line: string) => out.push(line),
      error: (line: string) => error.push(line),
    },
    servers,
  );
  return { code, out: out.join("\n"), error: error.join("\n") };
}

beforeAll(async () => {
  writeFileSync(
    path("hourgate.yaml"),
    `data_dir: ${path("elsewhere")}
market: { sources: [] }
plants:
  - id: home
    tariff:
      - energy: { type: spot, markup_ct_kwh: 1.5, markup_pct: 3, settlement_minutes: 60 }
        energy_base_fee: { eur_month: 4.79 }
        grid_usage:
          windows: [{ ct_kwh: 8.79 }, { months: "4-9", from: "10:00", to: "16:00", ct_kwh: 7.03 }]
          flat_eur_year: 54
          metering_eur_month: 2.20
        grid_loss: { ct_kwh: 0.384 }
        levies:
          - { name: Elektrizitätsabgabe, ct_kwh: 0.1 }
          - { name: Förderbeitrag Arbeit, ct_kwh: 0.62 }
          - { name: Förderbeitrag Zählpunkt, eur_year: 3.796 }
          - { name: Förderpauschale, eur_year: 19.02 }
        vat_pct: 20
  - { id: bare }
`,
  );
  writeFileSync(path("here.yaml"), "");
  const prices = ["start_utc,eur_per_mwh"];
  const meter = ["start_utc,import_kwh"];
  const end = Date.parse("2026-07-31T22:00:00Z");
  for (let ms = Date.parse("2026-06-30T22:00:00Z"); ms < end; ms += 3_600_000) {
    const hour = new Date(ms).toISOString();
    const [kwh, eurMwh] = HOURS.get(hour) ?? [0, 50];
    prices.push(`${hour},${eurMwh}`);
    for (let quarter = 0; quarter < 4; quarter++)
      meter.push(`${new Date(ms + quarter * 900_000).toISOString()},${kwh / 4}`);
  }
  writeFileSync(path("prices.csv"), prices.join("\n"));
  writeFileSync(path("meter.csv"), meter.join("\n"));
});

describe("hourgate bill", () => {
  it("says what to do while nothing is metered", async () => {
    const { code, error } = await hourgate(
      "bill",
      "--month",
      "2026-07",
      "--site",
      "home",
      "--data-dir",
      data,
    );
    expect(code).toBe(1);
    expect(error).toContain("import the grid operator's file (hourgate import meter FILE)");
  });

  it("bills imported quarter-hours to the cent", async () => {
    rmSync(path("elsewhere"), { recursive: true, force: true });
    expect(await hourgate("import", "prices", path("prices.csv"))).toMatchObject({ code: 0 });
    expect(await hourgate("import", "meter", path("meter.csv"), "--yes", "--site", "home")).toMatchObject({
      code: 0,
    });
    const { code, out } = await hourgate(
      "bill",
      "--month",
      "2026-07",
      "--json",
      "--data-dir",
      path("elsewhere"),
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      month: "2026-07",
      site: "home",
      complete: true,
      missing_hours: 0,
      kwh: { import: 16, export: 0, community: 0, by_window: { normal: 5.5 } },
      // Each line rounded: 1.09 + 4.79 + 0.48 + 0.74 + 0.06 + 4.50 + 2.20 + 0.02 + 0.10 + 0.32 + 1.59.
      net_eur: 15.89,
      vat_eur: 3.18,
      gross_eur: 19.07,
      total_eur: 19.07,
    });
    const text = await hourgate("bill", "--month", "2026-07");
    expect(text.out).toContain("To pay 19.07 EUR");
  });

  it("names hours that are missing", async () => {
    const { out } = await hourgate("bill", "--month", "2026-08");
    expect(out).toBe("");
    const partly = path("partly.csv");
    writeFileSync(
      partly,
      "start_utc,import_kwh\n2026-06-30T21:00:00Z,0.1\n2026-06-30T21:15:00Z,0.1\n2026-06-30T21:30:00Z,0.1\n2026-06-30T21:45:00Z,0.1\n",
    );
    await hourgate("import", "meter", partly, "--yes", "--site", "home");
    writeFileSync(path("june.csv"), "start_utc,eur_per_mwh\n2026-06-30T21:00:00Z,50\n");
    await hourgate("import", "prices", path("june.csv"));
    const june = JSON.parse((await hourgate("bill", "--month", "2026-06", "--json")).out);
    expect(june).toMatchObject({ complete: false, missing_hours: 719, kwh: { import: 0.4 } });
  });

  it.each([
    [["--month", "2026-13"], "The month must be given as YYYY-MM"],
    [["--month", "2026-07", "--site", "bare"], "The plant bare has no tariff"],
    [["--month", "2026-07", "--site", "nowhere"], 'There is no plant "nowhere"; there are home, bare.'],
    [[], "--month must be given"],
  ])("refuses %j", async (typed, sentence) => {
    const { code, error } = await hourgate("bill", ...typed);
    expect(code).not.toBe(0);
    expect(error).toContain(sentence);
  });
});

/** Files of grid operators as in public reports, with a tariff by hand and what is to pay. */
describe("hourgate bill of a file", () => {
  const QUARTER = 900_000;
  const pad = (value: number) => String(value).padStart(2, "0");
  const local = (ms: number, offsetHours: number) => {
    const at = new Date(ms + offsetHours * 3_600_000);
    const date = `${pad(at.getUTCDate())}.${pad(at.getUTCMonth() + 1)}.${at.getUTCFullYear()}`;
    return { date, time: `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`, hour: at.getUTCHours() };
  };
  const quarters = (from: string, days: number) =>
    Array.from({ length: 96 * days }, (_, n) => Date.parse(from) + n * QUARTER);
  const noe = (header: string, from: string, days: number, row: (ms: number) => string) =>
    [
      header,
      ...quarters(from, days).map((ms) => {
        const { date, time } = local(ms + QUARTER, 2);
        return `${date} ${time};${row(ms)};`;
      }),
    ].join("\r\n");

  it.each([
    {
      // https://github.com/DarwinsBuddy/WienerNetzeSmartmeter/issues/339
      what: "an impossible quarter-hour counts as missing",
      month: "2026-03",
      tariff: "energy: { type: fixed, ct_kwh: 10 }",
      files: [
        [
          "\uFEFFDatum;Zeit von;Zeit bis;Verbrauch [kWh];",
          ...quarters("2026-03-21T23:00Z", 3).map((ms) => {
            const { date, time } = local(ms, 1);
            const kwh = ms === Date.parse("2026-03-22T23:00Z") ? "23.944,275" : "0,125";
            return `${date};${time}:00;${local(ms + QUARTER, 1).time}:00;${kwh};`;
          }),
        ].join("\n"),
      ],
      bill: { kwh: { import: 35.875 }, net_eur: 3.5875, total_eur: 3.59, missing_hours: 671.25 },
    },
    {
      // https://github.com/awattar-backtesting/awattar-backtesting.github.io/issues/65
      what: "a membership begins within the month",
      month: "2026-05",
      tariff: "energy: { type: fixed, ct_kwh: 10 }, community: { price_ct_kwh: 8, vat_pct: 0 }",
      files: [
        noe(
          "Messzeitpunkt;Verbrauch (kWh);Qualität;Restnetzbezug (kWh);Qualität EG;Eigendeckung (kWh);",
          "2026-05-10T22:00Z",
          4,
          (ms) => `0,200000;L1;${ms < Date.parse("2026-05-12T22:00Z") ? ";;" : "0,150000;L1;0,050000"}`,
        ),
      ],
      bill: { kwh: { import: 76.8, community: 9.6 }, total_eur: 7.49, missing_hours: 648 },
    },
    {
      // The sample of a producer in https://github.com/Bleialf/EGOptimizer
      what: "what a producer of a community feeds in counts once",
      month: "2025-07",
      tariff:
        "energy: { type: fixed, ct_kwh: 10 }, feed_in: { type: fixed, ct_kwh: 7 }, community: { price_ct_kwh: 8, feed_in_ct_kwh: 9 }",
      files: [
        noe("Messzeitpunkt;Verbrauch (kWh);", "2025-06-30T22:00Z", 3, () => "0,100000"),
        noe(
          "Messzeitpunkt;Einspeisung (kWh);Gemeinschaftsüberschuss (kWh);Eigendeckung Teilnehmer (kWh);",
          "2025-06-30T22:00Z",
          3,
          (ms) => (Math.floor(local(ms, 2).hour / 4) === 3 ? "0,4;0,1;0,3" : "0,0;0,0;0,0"),
        ),
      ],
      bill: { kwh: { import: 28.8, export: 19.2 }, feed_in_eur: 1.63, total_eur: 1.25 },
    },
  ])("$what", async ({ month, tariff, files, bill }) => {
    const name = month.replace("-", "");
    const config = path(`${name}.yaml`);
    writeFileSync(
      config,
      `data_dir: ${path(name)}\nmarket: { sources: [] }\nplants: [{ id: home, tariff: [{ ${tariff}, vat_pct: 0 }] }]\n`,
    );
    const paths = files.map((text, index) => {
      writeFileSync(path(`${name}-${index}.csv`), text);
      return path(`${name}-${index}.csv`);
    });
    expect(await run(config, "import", "meter", ...paths, "--yes")).toMatchObject({ code: 0, error: "" });
    const { out } = await run(config, "bill", "--month", month, "--json", "--exact");
    expect(JSON.parse(out)).toMatchObject(bill);
  });
});
