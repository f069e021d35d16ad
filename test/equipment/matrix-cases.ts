import type { Clock } from "../../src/core/time/clock.js";
import type { ActuatorState, Control } from "../../src/equipment/states.js";
import {
  DeyeMqtt,
  E3dcRscp2Mqtt,
  FroniusGen24,
  OpenEms,
  Sonnen,
  VictronGx,
} from "../support/devices/batteries.js";
import { GoE, OpenWb2, Warp } from "../support/devices/chargers.js";
import type { Device } from "../support/devices/device.js";
import { EvccHttp, EvccMqtt } from "../support/devices/evcc.js";
import { HeishaMon, MyPv, OpenDtu } from "../support/devices/heaters.js";
import type { HttpDevice } from "../support/devices/http-device.js";
import { HomeAssistant, Loxone } from "../support/devices/hubs.js";
import {
  ShellyGen1,
  ShellyGen2,
  ShellyGen2Mqtt,
  ShellyPair,
  Tasmota,
  TasmotaHttp,
  Zigbee2MqttPlug,
} from "../support/devices/relays.js";

/** A wanted state, its power in kW and stop SOC in %, and what the device must then do. */
export type Step = readonly [ActuatorState, number, number, string];

export interface MatrixCase {
  name: string;
  template: string;
  control: Control;
  isMqtt: boolean;
  device(clock: Clock, broker: string): Device;
  parameters(device: Device, broker: string): Record<string, unknown>;
  /** The first step is used for the faults. */
  steps: readonly Step[];
  /** After the exit. */
  exit: string;
  /** After the gateway was killed in the first state, and its lease has ended. */
  dead: string;
  /** Where the outcome of a fault is another than usual. */
  otherwise?: Record<string, string>;
}

const http = (device: Device) => device as HttpDevice;
const ON: Step = ["on", 2, 100, "on"];
const OFF: Step = ["off", 0, 100, "off"];
const relay = { control: "slot", steps: [ON, OFF], exit: "off", dead: "off" } as const;
const TOPIC = "shellyplus1-a8032abe54dc";

const VICTRON = { idle: "feed-in -1, overrides -1/0/null" };
const victron = (discharge: number, soc: number) => `discharge ${discharge}, soc ${soc}, ${VICTRON.idle}`;
const evccBattery = {
  template: "evcc-battery",
  control: "battery",
  steps: [
    ["charge", 3, 80, "charge"],
    ["hold", 0, 100, "hold"],
    ["cap", 0.3, 100, "hold"],
    ["cap", 2, 100, "normal"],
  ],
  exit: "normal",
  dead: "normal",
} as const satisfies Partial<MatrixCase>;
const evccLoadpoint = {
  template: "evcc-loadpoint",
  control: "slot",
  steps: [
    ["on", 8.3, 100, "now 12 A"],
    ["off", 0, 100, "pv"],
  ],
  exit: "pv",
} as const satisfies Partial<MatrixCase>;
const evccPoint = <Point extends EvccHttp | EvccMqtt>(device: Point): Point => {
  device.watches = "loadpoint";
  return device;
};
const sgReady = {
  template: "sg-ready",
  control: "sg_ready",
  steps: [
    ["encourage", 0, 100, "0:1"],
    ["force", 0, 100, "1:1"],
    ["block", 0, 100, "1:0"],
    ["normal", 0, 100, "0:0"],
  ],
  exit: "0:0",
  dead: "0:0",
} as const satisfies Partial<MatrixCase>;

/** Each shipped template with its simulated device. */
export const CASES: readonly MatrixCase[] = [
  {
    name: "evcc-battery, MQTT",
    ...evccBattery,
    isMqtt: true,
    device: (clock, broker) => new EvccMqtt(clock, broker),
    parameters: (_, broker) => ({ transport: "mqtt", broker }),
  },
  {
    name: "evcc-battery, HTTP",
    ...evccBattery,
    isMqtt: false,
    device: (clock) => new EvccHttp(clock),
    parameters: (device) => ({ transport: "http", url: http(device).url }),
  },
  {
    name: "home-assistant",
    template: "home-assistant",
    control: "battery",
    isMqtt: false,
    device: (clock) => new HomeAssistant(clock),
    parameters: (device) => ({
      url: http(device).url,
      token: (device as HomeAssistant).token,
      actions: { charge: "select.select_option", hold: "select.select_option", free: "select.select_option" },
      data: Object.fromEntries(
        ["charge", "hold", "free"].map((one) => [
          one,
          `{"entity_id":"select.battery_mode","option":"${one}"}`,
        ]),
      ),
      read_entity: "select.battery_mode",
      expect: { charge: "charge", hold: "hold", free: "free" },
    }),
    steps: [
      ["charge", 3, 80, "charge, off, 10000"],
      ["hold", 0, 100, "hold, off, 10000"],
    ],
    exit: "free, off, 10000",
    dead: "charge, off, 10000",
  },
  {
    name: "shelly-gen2, HTTP",
    template: "shelly-gen2",
    ...relay,
    isMqtt: false,
    device: (clock) => new ShellyGen2(clock, "secret"),
    parameters: (device) => ({ transport: "http", host: http(device).host, password: "secret" }),
  },
  {
    name: "shelly-gen2, MQTT",
    template: "shelly-gen2",
    ...relay,
    isMqtt: true,
    device: (clock, broker) => new ShellyGen2Mqtt(clock, broker, TOPIC),
    parameters: () => ({ transport: "mqtt", topic: TOPIC }),
  },
  {
    name: "victron-gx",
    template: "victron-gx",
    control: "battery",
    isMqtt: true,
    device: (clock, broker) => new VictronGx(clock, broker),
    parameters: (_, broker) => ({ broker, portal_id: "c0619ab1c2d3" }),
    steps: [
      ["hold", 0, 100, victron(0, 10)],
      ["charge", 3, 80, victron(-1, 80)],
      ["cap", 1.5, 100, victron(1500, 10)],
    ],
    exit: victron(-1, 10),
    dead: victron(-1, 10),
  },
  {
    name: "victron-gx-feed-in",
    template: "victron-gx-feed-in",
    control: "feed_in",
    isMqtt: true,
    device: (clock, broker) => new VictronGx(clock, broker),
    parameters: (_, broker) => ({ broker, portal_id: "c0619ab1c2d3" }),
    steps: [["limit", 2.5, 100, "discharge -1, soc 10, feed-in 2500, overrides -1/0/null"]],
    exit: victron(-1, 10),
    dead: victron(-1, 10),
  },
  {
    name: "go-e",
    template: "go-e",
    control: "slot",
    isMqtt: false,
    device: (clock) => new GoE(clock),
    parameters: (device) => ({ host: http(device).host }),
    steps: [["on", 8.3, 100, "on 12 A"], ["on", 3, 100, "off"], ["on", 22, 100, "on 16 A"], OFF],
    exit: "neutral",
    dead: "on 12 A",
  },
  {
    name: "my-pv",
    template: "my-pv",
    control: "slot",
    isMqtt: false,
    device: (clock) => new MyPv(clock),
    parameters: (device) => ({ host: http(device).host }),
    steps: [["on", 2.4, 100, "on 2400"], ["on", 9, 100, "on 3500"], OFF],
    exit: "off",
    dead: "off",
    otherwise: { "no effect": "declined" },
  },
  ...(["shelly-gen2", "shelly-gen1"] as const).map(
    (transport): MatrixCase => ({
      name: `sg-ready, ${transport}`,
      ...sgReady,
      isMqtt: false,
      device: (clock) => new ShellyPair(clock, transport),
      parameters: (device) => ({
        transport,
        relay_1: http(device).host,
        relay_2: http(device).host,
        channel_2: 1,
        force_allowed: true,
        block_allowed: true,
      }),
    }),
  ),
  {
    name: "loxone",
    template: "loxone",
    control: "battery",
    isMqtt: false,
    device: (clock) => new Loxone(clock),
    parameters: (device) => ({
      url: http(device).url,
      username: "hourgate",
      password: "secret",
      state_input: "HG State",
      power_input: "HG Power",
    }),
    steps: [
      ["charge", 3, 80, "HG State 1, HG Power 3"],
      ["cap", 1.25, 100, "HG State 3, HG Power 1.25"],
    ],
    exit: "HG State 0, HG Power 1.25",
    dead: "HG State 1, HG Power 3",
  },
  {
    name: "shelly-gen1",
    template: "shelly-gen1",
    ...relay,
    isMqtt: false,
    device: (clock) => new ShellyGen1(clock, "secret"),
    parameters: (device) => ({ host: http(device).host, password: "secret" }),
  },
  {
    name: "tasmota, MQTT",
    template: "tasmota",
    ...relay,
    isMqtt: true,
    device: (clock, broker) => new Tasmota(clock, broker),
    parameters: (_, broker) => ({ transport: "mqtt", topic: "boiler", broker }),
  },
  {
    name: "tasmota, HTTP",
    template: "tasmota",
    ...relay,
    isMqtt: false,
    device: (clock) => new TasmotaHttp(clock),
    parameters: (device) => ({ transport: "http", host: http(device).host }),
  },
  {
    name: "zigbee2mqtt",
    template: "zigbee2mqtt",
    ...relay,
    isMqtt: true,
    device: (clock, broker) => new Zigbee2MqttPlug(clock, broker),
    parameters: (_, broker) => ({ topic: "zigbee2mqtt/boiler", broker }),
  },
  {
    name: "evcc-loadpoint, MQTT",
    ...evccLoadpoint,
    isMqtt: true,
    device: (clock, broker) => evccPoint(new EvccMqtt(clock, broker)),
    parameters: (_, broker) => ({ transport: "mqtt", broker }),
    dead: "pv",
  },
  {
    name: "evcc-loadpoint, HTTP",
    ...evccLoadpoint,
    isMqtt: false,
    device: (clock) => evccPoint(new EvccHttp(clock)),
    parameters: (device) => ({ transport: "http", url: http(device).url }),
    dead: "now 12 A",
  },
  {
    name: "openwb2",
    template: "openwb2",
    control: "slot",
    isMqtt: true,
    device: (clock, broker) => new OpenWb2(clock, broker),
    parameters: (_, broker) => ({ broker, chargepoint: 4, off_mode: "stop" }),
    steps: [
      ["on", 8.3, 100, "instant 12 A"],
      ["off", 0, 100, "stop"],
    ],
    exit: "pv_charging",
    dead: "stop",
  },
  {
    name: "sonnen",
    template: "sonnen",
    control: "battery",
    isMqtt: false,
    device: (clock) => new Sonnen(clock),
    parameters: (device) => ({
      host: http(device).host,
      token: (device as Sonnen).token,
      hold_allowed: true,
    }),
    steps: [
      ["charge", 3, 80, "charge 3000"],
      ["hold", 0, 100, "discharge 0"],
      ["cap", 2, 100, "mode 2"],
    ],
    exit: "mode 2",
    dead: "charge 3000",
    // Without mode 1 the device refuses the set-point.
    otherwise: { "no effect": "unauthorized" },
  },
  {
    name: "opendtu",
    template: "opendtu",
    control: "feed_in",
    isMqtt: true,
    device: (clock, broker) => new OpenDtu(clock, broker),
    parameters: (_, broker) => ({ broker, serial: "116180212345", rated_w: 2000 }),
    steps: [
      ["limit", 0.8, 100, "40 %"],
      ["limit", 0, 100, "2 %"],
    ],
    exit: "100 %",
    dead: "100 %",
  },
  {
    name: "openems",
    template: "openems",
    control: "battery",
    isMqtt: false,
    device: (clock) => new OpenEms(clock),
    parameters: (device) => ({ url: http(device).url, password: (device as OpenEms).password }),
    steps: [
      ["charge", 3, 80, "charge 3000"],
      ["hold", 0, 100, "at most 0"],
      ["cap", 2, 100, "at most 2000"],
    ],
    exit: "free",
    dead: "free",
  },
  {
    name: "e3dc-rscp2mqtt",
    template: "e3dc-rscp2mqtt",
    control: "battery",
    isMqtt: true,
    device: (clock, broker) => new E3dcRscp2Mqtt(clock, broker),
    parameters: (_, broker) => ({ broker }),
    steps: [
      ["charge", 3, 80, "grid_charge 3000"],
      ["hold", 0, 100, "cap 0"],
      ["cap", 2, 100, "cap 2000"],
    ],
    exit: "free",
    dead: "free",
  },
  {
    name: "warp",
    template: "warp",
    control: "slot",
    isMqtt: true,
    device: (clock, broker) => new Warp(clock, broker),
    parameters: (_, broker) => ({ broker, prefix: "warp2/AbC" }),
    steps: [
      ["on", 8.3, 100, "12000 mA"],
      ["off", 0, 100, "0 mA"],
    ],
    exit: "32000 mA",
    dead: "32000 mA",
  },
  {
    name: "heishamon",
    template: "heishamon",
    control: "slot",
    isMqtt: true,
    device: (clock, broker) => new HeishaMon(clock, broker),
    parameters: (_, broker) => ({ broker }),
    steps: [
      ["on", 2, 100, "shift 2, water 52"],
      ["off", 0, 100, "shift 0, water 48"],
    ],
    exit: "shift 0, water 48",
    dead: "shift 2, water 48",
  },
  {
    name: "fronius-gen24-http",
    template: "fronius-gen24-http",
    control: "battery",
    isMqtt: false,
    device: (clock) => new FroniusGen24(clock),
    parameters: (device) => ({ host: http(device).host, password: "secret" }),
    steps: [
      ["charge", 3, 80, "CHARGE_MIN 3000"],
      ["hold", 0, 100, "DISCHARGE_MAX 0"],
      ["cap", 2, 100, "DISCHARGE_MAX 2000"],
    ],
    exit: "free",
    dead: "CHARGE_MIN 3000",
  },
  {
    name: "deye-mqtt",
    template: "deye-mqtt",
    control: "battery",
    isMqtt: true,
    device: (clock, broker) => new DeyeMqtt(clock, broker),
    parameters: (_, broker) => ({ broker, max_discharge_a: 120, max_grid_charge_a: 60 }),
    steps: [
      ["hold", 0, 100, "grid_charge 0, maximum_grid_charge_current 0, maximum_discharge_current 0"],
      ["charge", 2, 80, "grid_charge 1, maximum_grid_charge_current 39, maximum_discharge_current 120"],
      ["cap", 2, 100, "grid_charge 0, maximum_grid_charge_current 39, maximum_discharge_current 39"],
    ],
    exit: "grid_charge 0, maximum_grid_charge_current 0, maximum_discharge_current 120",
    dead: "grid_charge 0, maximum_grid_charge_current 0, maximum_discharge_current 120",
  },
];
