import mqtt from "mqtt";
import { TestBroker } from "../../support/devices/test-broker.js";
import { type Family, only, wallbox } from "./family.js";
import { CAPACITY_WH, type Home } from "./home.js";

interface MqttFamily extends Omit<Family, "start"> {
  /** Payloads by topic, published retained at each change of the home; null: the topic is empty. */
  topics(home: Home): Readonly<Record<string, unknown>>;
  with?: Record<string, unknown>;
  /** Publishes only after a message to this topic, and retains nothing. */
  wakes?: string;
}

const PUBLISH_EVERY_MS = 100;

/** A device that publishes at a broker of its own. */
export function mqttFamily({ topics, with: parameters, wakes, ...family }: MqttFamily): Family {
  return {
    ...family,
    start: async (home) => {
      const broker = new TestBroker();
      await broker.start();
      const client = await mqtt.connectAsync(broker.url);
      let isAwake = wakes === undefined;
      if (wakes !== undefined) await client.subscribeAsync(wakes);
      client.on("message", () => {
        isAwake = true;
      });
      const publish = () => {
        if (!isAwake) return;
        for (const [topic, value] of Object.entries(topics(home())))
          client.publish(topic, typeof value === "string" ? value : JSON.stringify(value), {
            retain: wakes === undefined,
          });
      };
      publish();
      const timer = setInterval(publish, PUBLISH_EVERY_MS);
      return {
        with: { transport: "mqtt", broker: broker.url, ...parameters },
        stop: async () => {
          clearInterval(timer);
          await client.endAsync(true);
          await broker.stop();
        },
      };
    },
  };
}

const victron = (home: Home) => {
  const root = "N/c0619ab12345/system/0";
  const value = (number: number | null) => ({ value: number });
  const part = (watts: number | null, share: number) => value(watts === null ? null : watts * share);
  return {
    [`${root}/Serial`]: { value: "c0619ab12345" },
    [`${root}/Dc/Battery/Power`]: value(home.batteryW),
    [`${root}/Dc/Battery/Soc`]: value(home.socPct),
    [`${root}/Dc/Pv/Power`]: part(home.pvW, 0.5),
    [`${root}/Ac/PvOnOutput/L1/Power`]: part(home.pvW, 0.2),
    [`${root}/Ac/PvOnOutput/L2/Power`]: part(home.pvW, 0.2),
    [`${root}/Ac/PvOnOutput/L3/Power`]: part(home.pvW, 0.1),
    [`${root}/Ac/Grid/L1/Power`]: part(home.gridW, 0.5),
    [`${root}/Ac/Grid/L2/Power`]: part(home.gridW, 0.3),
    [`${root}/Ac/Grid/L3/Power`]: part(home.gridW, 0.2),
    [`${root}/Ac/Consumption/L1/Power`]: part(home.loadW, 0.5),
    [`${root}/Ac/Consumption/L2/Power`]: part(home.loadW, 0.3),
    [`${root}/Ac/Consumption/L3/Power`]: part(home.loadW, 0.2),
  };
};

export const MQTT_FAMILIES: readonly Family[] = [
  mqttFamily({
    template: "victron-gx",
    title: "MQTT",
    with: { portal_id: "c0619ab12345" },
    wakes: "R/c0619ab12345/keepalive",
    topics: victron,
    expected: only(["grid_power_kw", "pv_power_kw", "soc_pct", "battery_power_kw", "load_power_kw"]),
  }),
  mqttFamily({
    template: "tasmota-sml",
    title: "MQTT, own names",
    with: { topic: "hichi", group: "MT631", power_key: "Power", import_key: "E_in", export_key: "E_out" },
    topics: (home) => ({
      "tele/hichi/SENSOR": {
        Time: "2026-11-26T12:00:00",
        MT631: { E_in: home.importWh / 1000, E_out: home.exportWh / 1000, Power: home.gridW },
      },
      "tele/hichi/LWT": "Online",
    }),
    expected: only(["grid_power_kw", "import_kwh", "export_kwh"]),
  }),
  mqttFamily({
    template: "tasmota-sml",
    title: "MQTT, asked",
    with: { topic: "hichi" },
    topics: (home) => ({
      "stat/hichi/STATUS8": {
        StatusSNS: {
          SML: {
            Total_in: home.importWh / 1000,
            Total_out: home.exportWh / 1000,
            Power_curr: [home.gridW, 0, 0],
          },
        },
      },
    }),
    expected: only(["grid_power_kw", "import_kwh", "export_kwh"]),
  }),
  mqttFamily({
    template: "esphome-dlms",
    title: "MQTT",
    with: { topic: "smartmeter" },
    topics: (home) => ({
      "smartmeter/sensor/active_power_taken_from_grid/state": String(Math.max(0, home.gridW)),
      "smartmeter/sensor/active_power_put_into_grid/state": String(Math.max(0, -home.gridW)),
      "smartmeter/sensor/active_energy_taken_from_grid/state": String(home.importWh),
      "smartmeter/sensor/active_energy_put_into_grid/state": String(home.exportWh),
    }),
    expected: only(["grid_power_kw", "import_kwh", "export_kwh"]),
  }),
  mqttFamily({
    template: "warp",
    title: "MQTT",
    with: { prefix: "warp2/AbC" },
    topics: (home) => ({
      "warp2/AbC/evse/state": { iec61851_state: home.carW === null ? 0 : home.carW > 0 ? 2 : 1 },
      "warp2/AbC/meter/values": { power: home.carW ?? 0, energy_rel: 5.3, energy_abs: home.carWh / 1000 },
      "warp2/AbC/evse/external_current": { current: 32_000 },
    }),
    expected: wallbox,
  }),
  mqttFamily({
    template: "opendtu",
    title: "MQTT",
    with: { topic: "solar", serial: "116182912345", rated_w: 1_500 },
    topics: ({ pvW, pvWh }) => ({
      "solar/ac/power": String(pvW ?? 0),
      "solar/ac/yieldtotal": String(pvWh / 1000),
      "solar/ac/is_valid": pvW === null ? "0" : "1",
    }),
    expected: ({ pvW, pvWh }) =>
      pvW === null ? { pv_power_kw: 0 } : { pv_power_kw: pvW / 1000, pv_kwh: pvWh / 1000 },
  }),
  mqttFamily({
    template: "evcc",
    title: "MQTT",
    with: { root: "evcc" },
    topics: (home) => ({
      "evcc/site/grid/power": String(home.gridW),
      "evcc/site/pvPower": home.pvW === null ? "" : String(home.pvW),
      "evcc/site/homePower": String(home.loadW),
      "evcc/site/battery/power": home.batteryW === null ? "" : String(-home.batteryW),
      "evcc/site/battery/soc": home.socPct === null ? "" : String(home.socPct),
      "evcc/site/battery/capacity": String(CAPACITY_WH / 1000),
    }),
    expected: only(["grid_power_kw", "pv_power_kw", "soc_pct", "battery_power_kw"]),
  }),
];
