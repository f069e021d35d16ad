import { fork } from "node:child_process";
import { cpSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { createGateway } from "../../../src/app/gateway.js";
import { servers } from "../../../src/app/servers.js";
import { parse } from "../../../src/config/load.js";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { silentLog } from "../../../src/core/log.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { main } from "../../../src/ops/commands/main.js";
import { openStore } from "../../../src/store/store.js";
import { temporaryFolder } from "../../store/support/folder.js";
import { buildProgram } from "../../support/built-programs.js";

const DAYS = 6;
/** Midnight in Vienna of the first day, 2026-01-10. */
const START = Date.parse("2026-01-09T23:00:00Z");
const NOW = new Date(START + DAYS * 24 * HOUR_MS + 2 * HOUR_MS).toISOString();
const FIRST = "2026-01-10";
const LAST = "2026-01-15";

/** Prices that differ from day to day, and a home that charges in the first two hours of each. */
async function seed(folder: string): Promise<void> {
  const store = await openStore(folder, silentLog);
  await store.prices.save(
    Array.from({ length: (DAYS + 1) * 24 }, (_, hour) => ({
      start: new Date(START + hour * HOUR_MS),
      minutes: 60,
      eurPerMwh: (hour % 24 < 2 ? 100 : 300) + Math.floor(hour / 24),
    })),
  );
  const samples: Sample[] = [];
  let importKwh = 0;
  let socPct = 20;
  for (let quarter = 0; quarter <= DAYS * 96 + 4; quarter++) {
    const at = new Date(START + quarter * QUARTER_MS);
    const batteryKw = quarter % 96 < 8 ? 3 : quarter % 96 < 32 ? -1 : 0;
    samples.push({ at, values: { import_kwh: importKwh, soc_pct: socPct, battery_power_kw: batteryKw } });
    importKwh += (1 + batteryKw) / 4;
    socPct += (batteryKw / 4) * 10;
  }
  await store.samples.append("home", samples);
  await store.close();
}

const PLANT = {
  id: "home",
  timezone: "Europe/Vienna",
  battery: { capacity_kwh: 10, min_soc_pct: 10, efficiency_pct: 100, max_charge_power_kw: 5 },
};

function settingsOf(data: string) {
  return parse(
    stringify({
      data_dir: data,
      clock: { start: NOW, speed: 1 },
      http: { host: "127.0.0.1", port: 0 },
      mqtt: { broker: { enabled: false } },
      owner: { key: `hg_live_${"l".repeat(43)}`, password: "a long password" },
      market: { sources: [] },
      weather: { sources: [] },
      node_red: { enabled: false },
      plants: [PLANT],
    }),
  ).settings;
}

describe("the ledger of a data folder", () => {
  it("has the same days after a process was killed between any two of its writes", async () => {
    const template = await temporaryFolder();
    await seed(template);
    const site = { id: "home", accountId: "owner", plant: settingsOf(template).plants[0]! };
    const daysOf = async (folder: string) => {
      const store = await openStore(folder, silentLog);
      const series = PriceSeries.of(await store.prices.load());
      const ledger = new Ledger({ ...store, clock: { now: () => new Date(NOW) }, series: () => series });
      const before = await ledger.days(site, FIRST, LAST, { compute: false });
      const days = await ledger.days(site, FIRST, LAST);
      await store.close();
      return { before: before.filter(({ complete }) => complete).length, days };
    };
    const copy = async () => {
      const folder = await temporaryFolder();
      cpSync(template, folder, { recursive: true });
      return folder;
    };
    const reference = await daysOf(await copy());
    expect(reference.before).toBe(0);
    expect(reference.days.map(({ complete }) => complete)).toEqual(new Array(DAYS).fill(true));
    // Each day stores its quarter-hours, then its figures: killed after either of them.
    for (const writes of [3, 6]) {
      const folder = await copy();
      const { file: script } = await buildProgram(join(import.meta.dirname, "compute-days.mjs"));
      const child = fork(script, [folder, JSON.stringify(site), NOW, FIRST, LAST]);
      let seen = 0;
      const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      child.on("message", () => {
        if (++seen === writes) child.kill("SIGKILL");
      });
      expect(await ended).toBe("SIGKILL");
      const after = await daysOf(folder);
      expect(after.before).toBeGreaterThan(0);
      expect(after.before).toBeLessThan(DAYS);
      expect(after.days).toEqual(reference.days);
    }
  });

  it("answers hourgate savings with and without a running gateway, and refuses wrong dates in one sentence", async () => {
    const data = await temporaryFolder();
    await seed(data);
    const config = join(await temporaryFolder(), "hourgate.yaml");
    const settings = settingsOf(data);
    await writeFile(
      config,
      stringify({
        data_dir: data,
        clock: { start: NOW, speed: 1 },
        market: { sources: [] },
        plants: [PLANT],
      }),
    );
    const command = async (name: string, ...typed: string[]) => {
      const [out, error]: [string[], string[]] = [[], []];
      const code = await main(
        [...name.split(" "), ...typed, "--config", config],
        {
          environment: {},
          out: (line: string) => out.push(line),
          error: (line: string) => error.push(line),
        },
        servers,
      );
      return { code, out: out.join("\n"), error: error.join("\n") };
    };
    const hourgate = (...typed: string[]) => command("savings", ...typed);
    const period = ["--from", FIRST, "--to", "2026-01-16", "--json"];
    const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
    onTestFinished(() => gateway.stop());
    await gateway.start();
    const running = await hourgate(...period);
    expect(running.error).toBe("");
    const history = await command("export history", "--from", FIRST, "--to", FIRST);
    // 6 kWh at 10 ct, and the rest at 30 ct.
    expect(history.out.split("\n")[1]).toMatch(/^2026-01-10,1,24\.000,0\.000,.*,5\.60,6\.80,6\.80,/);
    await gateway.stop();
    const stopped = await hourgate(...period);
    expect(JSON.parse(stopped.out)).toEqual(JSON.parse(running.out));
    const { days, total } = JSON.parse(stopped.out);
    expect(days.map(({ date }: { date: string }) => date)).toEqual([
      ...Array.from({ length: DAYS }, (_, day) => `2026-01-${10 + day}`),
      "2026-01-16",
    ]);
    expect(Object.keys(days[0])).toEqual([
      "date",
      "complete",
      "cost_eur",
      "uncontrolled_eur",
      "no_battery_eur",
      "promised_eur",
      "perfect_eur",
      "stored_change_eur",
      "saved_eur",
      "saved_battery_eur",
      "saved_devices_eur",
      "negative_reason",
      "before_installation",
    ]);
    // 24 kWh, of which 6 kWh through the battery at 10 instead of 30 ct; uncontrolled the first kWh is used at 10 ct, and then missing.
    expect(days[0]).toMatchObject({
      complete: true,
      cost_eur: 5.6,
      no_battery_eur: 6.8,
      uncontrolled_eur: 6.8,
      stored_change_eur: 0.1,
      saved_eur: 1.2,
    });
    expect(days[6]).toMatchObject({ complete: false, cost_eur: null, saved_eur: null });
    expect(total.complete).toBe(false);
    const table = await hourgate("--from", FIRST, "--to", "2026-01-16");
    expect(table.out).toMatch(/2026-01-10 - +5\.60 +6\.80 +6\.80 +- /);
    expect(table.out).toContain("2026-01-16 *");
    // The first plan is of today.
    expect(table.out).toContain("- before hourgate was installed");
    for (const [from, to, sentence] of [
      ["2026-02-30", LAST, '--from must be a date such as 2026-07-01, not "2026-02-30".'],
      [FIRST, "tomorrow", '--to must be a date such as 2026-07-01, not "tomorrow".'],
      [LAST, FIRST, `--to must not be before --from: ${FIRST} is before ${LAST}.`],
      [
        "2020-01-01",
        LAST,
        "From 2020-01-01 to 2026-01-15 are more than three years: ask for a shorter period.",
      ],
    ])
      expect(await hourgate("--from", from!, "--to", to!)).toMatchObject({ code: 2, error: sentence });
    expect((await hourgate("--from", FIRST)).error).toMatch(/^--from and --to must be given/);
  });
});
