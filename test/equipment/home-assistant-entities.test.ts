import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { entityChoices } from "../../src/equipment/home-assistant-entities.js";
import { listEntities } from "../../src/ops/devices-alone.js";

/** The answer of Home Assistant 2026.11.0 to /api/states. */
const STATES = readFileSync(
  new URL("../fixtures/answers/home_assistant_states_2026-11-26.json", import.meta.url),
  "utf8",
);

const ids = (choices: ReturnType<typeof entityChoices>, reading: string) =>
  choices[reading]!.map(({ id }) => id);

describe("the entities of Home Assistant", () => {
  it("are offered by device class and unit, the likely ones first", () => {
    const choices = entityChoices(JSON.parse(STATES));
    expect(ids(choices, "grid_power_kw")).toEqual([
      "sensor.grid_power",
      "sensor.battery_power",
      "sensor.pv_power",
    ]);
    expect(ids(choices, "soc_pct")).toEqual(["sensor.battery_state_of_charge", "sensor.phone_battery"]);
    expect(ids(choices, "pv_kwh")[0]).toBe("sensor.solar_yield");
    expect(choices.pv_kwh![0]).toMatchObject({ name: "Solar yield", unit: "MWh", state: "21.5" });
    expect(ids(choices, "connected")).toEqual(["binary_sensor.wallbox_plug"]);
    expect(ids(choices, "temperature_c")).toEqual(["sensor.water_tank"]);
    // A voltage is no power.
    expect(JSON.stringify(choices)).not.toContain("sensor.grid_voltage");
  });

  it("of a battery: what it takes comes before what it gives, and the other way round", () => {
    const counter = (id: string, name: string) => ({
      entity_id: `sensor.${id}`,
      state: "12.5",
      attributes: { friendly_name: name, device_class: "energy", unit_of_measurement: "kWh" },
    });
    const choices = entityChoices([
      counter("speicher_entladung", "Speicher Entladung"),
      counter("speicher_ladung", "Speicher Ladung"),
      counter("aaa", "Discharged"),
      counter("waschmaschine", "Waschmaschine"),
    ]);
    expect(ids(choices, "charge_kwh")[0]).toBe("sensor.speicher_ladung");
    expect(ids(choices, "discharge_kwh").slice(0, 2)).toEqual(["sensor.aaa", "sensor.speicher_entladung"]);
  });

  it("are none of any other answer", () => {
    for (const answer of [
      undefined,
      null,
      7,
      {},
      [null, 3, { entity_id: 5 }, { entity_id: "sensor.a", state: "1" }],
    ])
      expect(Object.values(entityChoices(answer)).flat()).toEqual([]);
  });
});

describe("the list on the command line", () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    const isRight = request.url === "/api/states" && request.headers.authorization === "Bearer secret";
    response
      .writeHead(isRight ? 200 : 401, { "content-type": "application/json" })
      .end(isRight ? STATES : "");
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());
  const list = (token: string, template = "home-assistant") => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return listEntities(defaultSettings(), { template, with: JSON.stringify({ url, token }) });
  };

  it("is read with the token, which is in no message", async () => {
    expect(ids((await list("secret"))!, "battery_power_kw")[0]).toBe("sensor.battery_power");
    expect(asked).toEqual(["Bearer secret"]);
    await expect(list("wrong-token")).rejects.toThrow(/^(?!.*wrong-token).*answered 401/s);
  });

  it("exists of systems that have one", async () => {
    expect(await listEntities(defaultSettings(), { template: "openhab", with: "{}" })).toBeUndefined();
    await expect(list("secret", "nothing")).rejects.toThrow('There is no template "nothing"');
  });
});
