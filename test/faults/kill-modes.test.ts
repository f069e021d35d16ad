import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { runCommand } from "../support/run-command.js";
import { started, temporaryFolder, testSite } from "./support/gateway.js";

/** 09:07 in Vienna on a summer day: 100 EUR/MWh, below zero from 11:00 to 14:00, 400 EUR/MWh in the evening. */
const START = "2026-06-15T09:07:00+02:00";
const priceAt = (hour: number) => (hour >= 11 && hour < 14 ? -100 : hour >= 19 && hour < 22 ? 400 : 100);
const BATTERY = { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5, min_soc_pct: 10 };
const spot = { markup_ct_kwh: 0, feed_in: { type: "spot", deduct_ct_kwh: 0 } };

/** A plant for each mode, with its readings. */
const PLANTS = {
  charge: {
    plant: {
      battery: BATTERY,
      tariff: { markup_ct_kwh: 0, grid_fee_ct_kwh: [{ ct_kwh: 40 }, { hours: "9-10", ct_kwh: 0 }] },
    },
    readings: { soc_pct: 20 },
  },
  hold: {
    plant: { battery: { ...BATTERY, grid_charge_allowed: false }, tariff: spot },
    readings: { soc_pct: 40 },
  },
  free: {
    plant: { battery: BATTERY, tariff: [{ energy: { type: "fixed", ct_kwh: 20 } }] },
    readings: { soc_pct: 60 },
  },
  block: {
    plant: {
      battery: { ...BATTERY, controls: ["charge", "hold", "block"] },
      tariff: spot,
      pv: [{ peak_kw: 8 }],
    },
    readings: { soc_pct: 50, pv_power_kw: 4, load_power_kw: 0.5, battery_power_kw: 0 },
  },
  discharge: {
    plant: {
      battery: { ...BATTERY, controls: ["charge", "hold", "discharge"], export_allowed: true },
      tariff: { markup_ct_kwh: 0, feed_in: { type: "fixed", ct_kwh: 60 } },
    },
    readings: { soc_pct: 90, load_power_kw: 0.5, battery_power_kw: 0 },
  },
};

it("kill -9 in the middle of each mode: no command changes", async () => {
  const prices = join(temporaryFolder(), "prices.csv");
  const hours = Array.from({ length: 72 }, (_, hour) => {
    const at = new Date(Date.parse("2026-06-14T22:00:00Z") + hour * 3_600_000);
    return `${at.toISOString()},${priceAt(hour % 24)}`;
  });
  writeFileSync(prices, `start_utc,eur_per_mwh\n${hours.join("\n")}\n`);
  const modes = Object.entries(PLANTS);
  const { config } = testSite({
    clock: { start: START, speed: 0 },
    market: { sources: [{ type: "file", path: prices }] },
    plants: modes.map(([id, { plant }]) => ({
      id,
      timezone: "Europe/Vienna",
      latitude: 48.2,
      longitude: 16.4,
      ...plant,
    })),
  });
  const gateway = await started(config);
  const keys = new Map<string, string>();
  for (const [id] of modes) {
    const { out } = await runCommand(["key", "create", "--site", id, "--config", config]);
    keys.set(id, /hg_live_\S+/.exec(out)![0]);
  }
  const commandsOf = async (gateway: GatewayProcess) => {
    const commands: Record<string, { mode: string; outputs: unknown }> = {};
    for (const [id, key] of keys) {
      const { json } = await call(gateway, "/v1/decision/hours-demand", { body: { mode: "decide" }, key });
      commands[id] = { mode: json.day_plan[0].hours[0].mode, outputs: json.outputs };
    }
    return commands;
  };
  for (const [id, { readings }] of modes)
    expect((await call(gateway, "/v1/plant/telemetry", { body: readings, key: keys.get(id)! })).status).toBe(
      200,
    );
  const before = await commandsOf(gateway);
  for (const [id] of modes) expect(before[id]!.mode).toBe(id);
  await gateway.end("SIGKILL");
  const again = await started(config);
  expect(await commandsOf(again)).toEqual(before);
});
