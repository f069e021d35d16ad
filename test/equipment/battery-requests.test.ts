import { expect, it } from "vitest";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { wantedState } from "../../src/equipment/wanted.js";

const library = await TemplateLibrary.open();

function commandsOf(id: string, given: Readonly<Record<string, unknown>>): DeviceCommands {
  const template = library.get(id)!;
  const { transport, values } = parametersOf(template, given);
  const parameters = { ...values, plant: "home", actuator: "battery" };
  return new DeviceCommands({ template, transport, control: "battery", parameters });
}

const sonnen = commandsOf("sonnen", { host: "10.0.0.9", token: "t", normal_mode: "2" });

it("ends discharging of a sonnen battery before it charges", () => {
  const requests = sonnen.requests(wantedState("charge", { powerKw: 3 }), { found: { mode: "10" } });
  expect(requests.map(({ url = "" }) => url.replace("http://10.0.0.9/api/v2/", ""))).toEqual([
    "configurations",
    "setpoint/discharge/0",
    "setpoint/charge/3000",
  ]);
});

it.each([
  ["10", "10"],
  // Left by a command whose ledger is lost.
  ["1", "2"],
  [undefined, "2"],
])("gives a sonnen battery that was found in mode %j the mode %j back", (mode, own) => {
  const exit = sonnen.exit({ found: { mode } })!;
  expect(exit.requests.map(({ body }) => body)).toEqual([`{"EM_OperatingMode":"${own}"}`]);
  expect(Object.keys(sonnen.found())).toEqual(["mode"]);
});

it("lets a Deye inverter discharge again after hold when it charges", () => {
  const deye = commandsOf("deye-mqtt", {
    broker: "mqtt://10.0.0.1",
    max_discharge_a: 90,
    max_grid_charge_a: 60,
  });
  const requests = deye.requests(wantedState("charge", { powerKw: 2 }), {});
  expect(requests.map(({ topic = "", payload }) => `${topic.split("/").at(-2)} ${payload}`)).toContain(
    "maximum_discharge_current 90",
  );
});
