import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { openStore } from "../../../src/store/store.js";
import { runCommand } from "../../support/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-cli-data-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config = join(folder, "hourgate.yaml");
writeFileSync(config, `data_dir: ${join(folder, "data")}\nmarket: { sources: [] }\n`);
const empty = join(folder, "empty.csv");
writeFileSync(empty, "start_utc,eur_per_mwh,import_kwh\n");
const prices = join(folder, "prices.csv");
const START = Date.parse("2026-01-10T00:00:00Z");
const hour = (index: number) => new Date(START + index * 3_600_000).toISOString();
writeFileSync(
  prices,
  [
    "start_utc,eur_per_mwh",
    ...Array.from({ length: 48 }, (_, index) => `${hour(index)},${100 + index}`),
  ].join("\n"),
);

const tariffFile = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const fixed = tariffFile("fixed.yaml", "tariff:\n  - energy: { type: fixed, ct_kwh: 20 }\n");
const flat = tariffFile("flat.yaml", "{ markup_ct_kwh: 1, vat_pct: 20 }\n");
const overlapping = tariffFile(
  "overlapping.yaml",
  'tariff:\n  - valid_from: "2026-01-01"\n    energy: { type: spot }\n  - valid_from: "2026-01-01"\n    energy: { type: spot }\n',
);
const mixed = tariffFile(
  "mixed.yaml",
  "tariff:\n  - energy: { type: fixed, ct_kwh: 20,\n      eur_mwh: 200 }\n",
);

async function run(typed: readonly string[], status?: (line: string) => void) {
  return runCommand(typed, { ...(status !== undefined && { status }) });
}

describe("commands on data", () => {
  it.each([
    [["import"], 2, '"import" must be followed by prices or meter or list or remove. See hourgate --help.'],
    [["export", "prices"], 2, '"export" must be followed by telemetry or history. See hourgate --help.'],
    [["import", "prices"], 2, "FILE must be given: hourgate import prices FILE."],
    [["import", "prices", "none.csv"], 1, "none.csv cannot be read"],
    [["import", "prices", empty], 1, `${empty} contains no price.`],
    [
      ["export", "telemetry", "--site", "elsewhere"],
      2,
      'There is no plant "elsewhere"; the configuration has home.',
    ],
    [["export", "telemetry", "--from", "soon"], 2, "--from must be a date such as 2026-01-15"],
    [["export", "telemetry"], 1, "No data is stored in"],
    [["backtest"], 1, "No prices are stored: run the gateway for some weeks, import prices"],
    [["backtest", "--from", "2026-02-02", "--to", "2026-02-01"], 2, "--to must be after --from."],
    [["backtest", "--prices", "none.csv"], 1, "none.csv cannot be read"],
    [["backtest", "--prices", prices, "--load", empty], 1, `${empty} has no import_kwh.`],
    [
      ["backtest", "--prices", prices, "--from", "2026-03-01"],
      1,
      "At least one day with both prices and load is needed",
    ],
    [["backtest", "--site", "elsewhere"], 2, 'There is no plant "elsewhere"'],
    [["compare", "--site", "elsewhere"], 2, 'There is no plant "elsewhere"'],
    [["compare", "--year", "soon"], 2, '--year must be a year such as 2025, not "soon".'],
    [["compare"], 1, "The grid area of the plant is not known: name it with --area"],
    [["compare", "--area", "wien"], 1, "No prices are stored: run the gateway for some weeks, import prices"],
    [["compare", "--tariffs", ","], 1, "--tariffs must name one or more files"],
    [["compare", "--tariffs", "none.yaml"], 1, "none.yaml cannot be read"],
    [
      ["compare", "--tariffs", overlapping],
      1,
      `${overlapping}:4: tariff.1.valid_from: must be after 2026-01-01`,
    ],
    [["compare", "--tariffs", mixed], 1, `${mixed}:3: tariff.0.energy.eur_mwh: is not a known key`],
    [
      ["compare", "--tariffs", fixed, "--prices", prices, "--year", "2025"],
      1,
      "Choose a --year in this period.",
    ],
  ])("%j: a sentence and exit code %i", async (typed, code, sentence) => {
    const result = await run([...typed, ...(typed.length > 1 ? ["--config", config] : [])]);
    expect(result).toMatchObject({ code, out: "" });
    expect(result.error).toContain(sentence);
  });

  it("compares tariffs with a line for each on a terminal, or as a JSON array", async () => {
    const load = join(folder, "load.csv");
    writeFileSync(
      load,
      ["start_utc,import_kwh", ...Array.from({ length: 48 }, (_, index) => `${hour(index)},0.5`)].join("\n"),
    );
    const tariffs = `${fixed},${flat}`;
    const typed = ["compare", "--tariffs", tariffs, "--prices", prices, "--load", load, "--config", config];
    const shown: string[] = [];
    const table = await run(typed, (line) => shown.push(line));
    expect(table.code).toBe(0);
    expect(table.out).toContain("Plant home, 2026-01-10 01:00 to 2026-01-12 01:00");
    expect(table.out).toContain(fixed);
    expect(shown[0]).toMatch(/^Comparing tariffs \[/);
    expect(shown.at(-1)).toBe("");
    const asJson = await run([...typed, "--year", "2026", "--json"]);
    expect(asJson.error).toContain(
      "Prices and load of 2026 are known from 2026-01-10 01:00 to 2026-01-12 01:00",
    );
    const rows = JSON.parse(asJson.out);
    // 24 kWh at 20 ct.
    expect(rows[0]).toMatchObject({ tariff: fixed, no_battery_eur: 4.8 });
    expect(Object.keys(rows[1])).toEqual([
      "tariff",
      "no_battery_eur",
      "uncontrolled_eur",
      "hourgate_eur",
      "perfect_eur",
    ]);
  });

  it("shows a progress bar on a terminal, and none with JSON", async () => {
    const shown: string[] = [];
    const typed = ["backtest", "--prices", prices, "--config", config];
    const table = await run(typed, (line) => shown.push(line));
    expect(table).toMatchObject({ code: 0, error: "" });
    expect(table.out).toContain("settings, 10 kWh a day, known to the plan");
    expect(shown[0]).toMatch(/^Deciding each quarter-hour \[#-+\] 2 %$/);
    expect(shown.at(-1)).toBe("");
    shown.length = 0;
    const asJson = await run([...typed, "--json"], (line) => shown.push(line));
    const document = JSON.parse(asJson.out);
    expect(document).toMatchObject({ schema: "backtest_v1", days: 2 });
    const [noBattery, uncontrolled, hourgate, perfect] = document.policies;
    expect(document.policies.map(({ name }: { name: string }) => name)).toEqual([
      "no_battery",
      "uncontrolled",
      "hourgate",
      "perfect",
    ]);
    expect(noBattery.cost_eur).toBe(document.no_battery.cost_eur);
    expect(uncontrolled).toMatchObject({
      cost_eur: document.unsteered.cost_eur,
      saved_eur: 0,
      captured_pct: 0,
      mode_changes_per_day: 0,
      days_worse_than_uncontrolled: 0,
      worst_day_ct: 0,
    });
    expect(hourgate).toMatchObject({
      saved_eur: document.saving_eur,
      captured_pct: document.captured_pct,
      cycles: document.planned.cycles,
      mode_changes_per_day: document.mode_changes_per_day,
      days_worse_than_uncontrolled: document.days_worse_than_uncontrolled.length,
    });
    expect(perfect).toMatchObject({ saved_eur: document.possible_saving_eur, captured_pct: 100 });
    expect(shown).toEqual([]);
  });
});

it("applies presets to the tariff of a plant, or prints it with --print", async () => {
  const file = join(folder, "presets.yaml");
  const plant = "plants: [{ id: home, tariff: [{ energy: { type: fixed, ct_kwh: 12 } }] }]";
  writeFileSync(file, `data_dir: ${join(folder, "presets")}\nmarket: { sources: [] }\n${plant}\n`);
  const apply = (...more: string[]) => run(["tariff", "apply", "--config", file, ...more]);
  expect(await apply()).toMatchObject({ code: 2, out: "" });
  expect((await apply("wien")).error).toBe(
    '"wien" names several presets: write area:wien or municipality:wien.',
  );
  const printed = await apply("area:wien", "tiwag_flex_privat", "--print");
  expect(printed.out).toContain("# energy                     kept as entered: {type:fixed,ct_kwh:12}");
  expect(printed.out).toContain("grid_loss:\n      ct_kwh: 0.7");
  const done = await apply("area:wien", "tiwag_flex_privat");
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(done.out).toContain("grid_loss                  wien (source of 2026-08-17): {ct_kwh:0.7}");
  const again = JSON.parse((await apply("oemag", "--json")).out);
  expect(again.tariff[0]).toMatchObject({ energy: { ct_kwh: 12 }, grid_loss: { ct_kwh: 0.7 } });
  expect(again.applied).toMatchObject([{ part: "feed_in", preset: "oemag", as_of: "2026-10-01" }]);
});

it("exports the telemetry of plants that were made in the portal too, and names them where one is asked for", async () => {
  const data = join(folder, "portal");
  const file = join(folder, "portal.yaml");
  writeFileSync(file, `data_dir: ${data}\nmarket: { sources: [] }\n`);
  const store = await openStore(data, silentLog);
  await store.state.update((draft) => {
    draft.sites.push({ id: "cabin", accountId: "partner", createdAt: "2026-01-10T00:00:00Z" });
  });
  const at = new Date("2026-01-10T12:00:00Z");
  for (const [id, soc] of [
    ["home", 40],
    ["cabin", 55],
  ] as const)
    await store.samples.append(id, [{ at, values: { soc_pct: soc } }]);
  await store.close();
  const exported = (...more: string[]) => run(["export", "telemetry", "--config", file, ...more]);
  const lines = ["2026-01-10T12:00:00Z,home,soc_pct,40", "2026-01-10T12:00:00Z,cabin,soc_pct,55"];
  expect(await exported()).toEqual({
    code: 0,
    out: ["timestamp,site,field,value", ...lines].join("\n"),
    error: "",
  });
  expect((await exported("--site", "cabin")).out).toBe(`timestamp,site,field,value\n${lines[1]}`);
  expect(await exported("--site", "garage")).toEqual({
    code: 2,
    out: "",
    error: 'There is no plant "garage"; there are home, cabin.',
  });
});
