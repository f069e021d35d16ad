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

it("gives the settings of a Deye inverter behind MQTT back as they were found", () => {
  const deye = commandsOf("deye-mqtt", {
    broker: "mqtt://10.0.0.1",
    max_discharge_a: 90,
    max_grid_charge_a: 60,
  });
  const found = { grid_charge: "1", grid_charge_a: "25", discharge_a: "70" };
  expect(Object.keys(deye.found())).toEqual(Object.keys(found));
  const sent = (values: Record<string, string>) =>
    deye
      .exit({ found: values })!
      .requests.map(({ topic = "", payload }) => `${topic.split("/").at(-2)} ${payload}`);
  expect(sent(found)).toEqual([
    "grid_charge 1",
    "maximum_grid_charge_current 25",
    "maximum_discharge_current 70",
  ]);
  // A battery that may not discharge is what a command leaves.
  expect(sent({ ...found, discharge_a: "0" })).toContain("maximum_discharge_current 90");
  expect(sent({})).toEqual(["grid_charge 0", "maximum_discharge_current 90"]);
});

it("gives a GEN24 its schedules back as they were found", () => {
  const gen24 = commandsOf("fronius-gen24-http", { host: "10.0.0.9", password: "p" });
  const own = [
    {
      Active: true,
      Power: 3000,
      ScheduleType: "DISCHARGE_MAX",
      TimeTable: { Start: "18:00", End: "22:00" },
      _Id: 3,
    },
    { Active: false, Power: 500, ScheduleType: "CHARGE_MAX" },
  ];
  const live = { found: { schedules: JSON.stringify(own) } };
  expect(JSON.parse(gen24.exit(live)!.requests[0]!.body!)).toEqual({ timeofuse: own });
  const expected = (from: Readonly<Record<string, unknown>>) =>
    gen24.checks("free", { powerKw: 0, socStopPct: 100 }, from).flatMap((one) => one.expected);
  expect(expected(live)).toEqual(["[{", "DISCHARGE_MAX", "3000"]);
  expect(expected({ found: { schedules: "[]" } })).toEqual(["[]"]);
  expect(expected({})).toEqual(["[]"]);
});

it.each(["evcc-loadpoint", "go-e"])("gives %s its current back as it was found", (id) => {
  const given = {
    "evcc-loadpoint": { transport: "http", url: "http://10.0.0.9:7070" },
    "go-e": { host: "10.0.0.9" },
  };
  const device = commandsOf(id, given[id as keyof typeof given]);
  const sent = (found: Record<string, string>) =>
    device.exit({ found })!.requests.map(({ url = "" }) => url.replace(/^.*(api|loadpoints.1)\//, ""));
  expect(sent({ mode: "pv", current: "13", amp: "13" })).toEqual(
    id === "go-e" ? ["set?amp=13", "set?frc=0"] : ["maxcurrent/13", "mode/pv"],
  );
  expect(sent({})).toHaveLength(1);
});

it.each([
  ["ac", { hold: 0, cap: 1500, charge: -3000, discharge: 3000 }],
  ["dc", { hold: 4200, cap: 5700, charge: 1200, discharge: 7200 }],
] as const)(
  "leaves PV at the inverter of an OpenEMS storage alone where it is %s-coupled",
  (coupling, sent) => {
    const openems = commandsOf("openems", { url: "http://10.0.0.9:8084", coupling });
    for (const [state, value] of Object.entries(sent)) {
      const powerKw = { hold: 0, cap: 1.5 }[state] ?? 3;
      const wanted = wantedState(state as keyof typeof sent, { powerKw });
      const requests = openems.requests(wanted, { pv_w: 4200 });
      expect([state, ...requests.map(({ body }) => body)]).toEqual([state, `{"value":${value}}`]);
    }
    expect(openems.requests(wantedState("hold"), {})[0]?.body).toBe('{"value":0}');
  },
);
