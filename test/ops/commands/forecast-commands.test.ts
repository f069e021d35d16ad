import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { servers } from "../../../src/app/servers.js";
import { main } from "../../../src/ops/commands/main.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-cli-forecast-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config = join(folder, "hourgate.yaml");
writeFileSync(config, `data_dir: ${join(folder, "data")}\nmarket: { sources: [] }\n`);

const HOUR_MS = 3_600_000;
const START = Date.parse("2025-11-30T23:00:00Z");
/** Forty days of a plain daily wave; from the sixteenth of January on the prices are wrong on purpose. */
function priceFile(name: string, after: number): string {
  const path = join(folder, name);
  const rows = Array.from({ length: 50 * 24 }, (_, hour) => {
    const at = new Date(START + hour * HOUR_MS);
    const wave = 100 + 40 * Math.sin((hour / 24) * 2 * Math.PI);
    return `${at.toISOString()},${at >= new Date("2026-01-15T23:00:00Z") ? after : wave.toFixed(2)}`;
  });
  writeFileSync(path, ["start_utc,eur_per_mwh", ...rows].join("\n"));
  return path;
}

async function run(...typed: string[]) {
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

describe("hourgate forecast run", () => {
  it("forecasts 168 hours, and looks at nothing that was not public by then", async () => {
    const ask = (path: string) =>
      run("forecast", "run", "--prices", path, "--now", "2026-01-15T12:30", "--json");
    const [right, wrong] = [await ask(priceFile("a.csv", 100)), await ask(priceFile("b.csv", -400))];
    expect(right.code).toBe(0);
    expect(right.out).toBe(wrong.out);
    const document = JSON.parse(right.out);
    expect(document.hours).toHaveLength(168);
    expect(document.hours[0]).toMatchObject({ start: "2026-01-15T12:00:00+01:00", source: "day_ahead" });
    expect(document.hours[12]).toMatchObject({ start: "2026-01-16T00:00:00+01:00", source: "forecast" });
    for (const { p10_eur_mwh, p50_eur_mwh, p90_eur_mwh } of document.hours) {
      expect(p10_eur_mwh).toBeLessThanOrEqual(p50_eur_mwh);
      expect(p50_eur_mwh).toBeLessThanOrEqual(p90_eur_mwh);
    }
  });

  it("prints a table, and says what it cannot read", async () => {
    const table = await run("forecast", "run", "--prices", priceFile("a.csv", 100), "--now", "2026-01-10");
    expect(table.out.split("\n")).toHaveLength(169);
    const wrong = await run("forecast", "run", "--prices", priceFile("a.csv", 100), "--now", "tomorrow");
    expect([wrong.code, wrong.error]).toEqual([
      2,
      '--now must be an ISO time such as 2026-01-15T14:00, not "tomorrow".',
    ]);
  });
});

describe("hourgate backtest --forecast", () => {
  it("reports the error by lead day", async () => {
    const path = priceFile("c.csv", 100);
    const period = ["--from", "2026-01-05", "--to", "2026-01-08", "--prices", path];
    const { code, out } = await run("backtest", "--forecast", ...period, "--json");
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report.origins).toBe(3);
    expect(report.leads.map((score: { lead: number }) => score.lead)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    // The wave repeats from day to day: nothing is left to get wrong.
    expect(report.leads[0].mae).toBeLessThan(1);
    expect((await run("backtest", "--forecast", ...period)).out).toContain("Price forecast, 3 origins");
  });

  it("says when there is nothing to compare", async () => {
    const { code, error } = await run(
      "backtest",
      "--forecast",
      "--from",
      "2030-01-01",
      "--to",
      "2030-01-03",
      "--prices",
      priceFile("d.csv", 100),
    );
    expect([code, error]).toEqual([
      1,
      "No day of this period has both prices to forecast from and prices to compare with.",
    ]);
  });
});
