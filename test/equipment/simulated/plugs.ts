import { type Family, httpFamily, wallbox } from "./family.js";
import type { Home } from "./home.js";
import { mqttFamily } from "./mqtt-devices.js";

/** Relays and plugs that measure what they switch: here a car. Answers as in the documentation of their makers. */

const measured = (home: Home) => {
  const { power_kw, energy_kwh } = wallbox(home);
  return { power_kw: power_kw!, energy_kwh: energy_kwh! };
};

/** Tasmota's Status 8: `Power` and `Total` are numbers, or lists of the relays or phases. */
const sns = (of: (value: number) => unknown) => (home: Home) => ({
  StatusSNS: {
    Time: "2026-11-26T12:00:00",
    ENERGY: {
      Total: of(home.carWh / 1000),
      Today: of(0.3),
      Power: of(home.carW ?? 0),
      Factor: of(0.9),
      Voltage: 230,
    },
  },
});

const tasmota = (title: string, answer: (home: Home) => unknown, more: object = {}): Family =>
  httpFamily({
    template: "tasmota",
    title,
    with: (host) => ({ transport: "http", host, meter: true, ...more }),
    routes: (home) => ({
      "/cm": ({ url }) => (url.searchParams.get("cmnd") === "Status 8" ? answer(home) : { POWER: "ON" }),
    }),
    expected: measured,
  });

export const PLUG_FAMILIES: readonly Family[] = [
  tasmota("HTTP", sns(Number)),
  tasmota(
    "HTTP, texts with units and a decimal comma",
    sns((value) => String(value).replace(".", ",")),
  ),
  tasmota(
    "HTTP, second of two relays",
    sns((value) => [7, value]),
    { relay: "2" },
  ),
  tasmota(
    "HTTP, three phases at one relay",
    sns((value) => [value / 2, value / 4, value / 4]),
  ),
  mqttFamily({
    template: "tasmota",
    title: "MQTT",
    with: { topic: "boiler", meter: true },
    topics: (home) => ({ "stat/boiler/STATUS8": sns(Number)(home) }),
    expected: measured,
  }),
  httpFamily({
    template: "shelly-gen1",
    title: "second channel",
    with: (host) => ({ host, channel: 1, meter: true }),
    routes: (home) => ({
      "/status": () => ({
        meters: [
          { power: 7, is_valid: true, total: 7 },
          // In watt-minutes.
          { power: home.carW ?? 0, overpower: 0, is_valid: true, total: home.carWh * 60 },
        ],
      }),
    }),
    expected: measured,
  }),
  httpFamily({
    template: "shelly-gen1",
    title: "a Shelly 1, which measures nothing",
    with: (host) => ({ host, meter: true }),
    routes: () => ({ "/status": () => ({ meters: [{ power: 0, is_valid: true }] }) }),
    expected: () => ({ power_kw: null, energy_kwh: null }),
  }),
  httpFamily({
    template: "shelly-gen2",
    title: "HTTP",
    with: (host) => ({ transport: "http", host, meter: true }),
    routes: (home) => ({
      "/rpc/Switch.GetStatus?id=0": () => ({
        id: 0,
        output: true,
        apower: home.carW ?? 0,
        aenergy: { total: home.carWh },
      }),
    }),
    expected: measured,
  }),
  mqttFamily({
    template: "zigbee2mqtt",
    title: "MQTT",
    with: { topic: "zigbee2mqtt/boiler", meter: true },
    topics: (home) => ({
      "zigbee2mqtt/boiler": { state: "ON", power: home.carW ?? 0, energy: home.carWh / 1000 },
    }),
    expected: measured,
  }),
];
