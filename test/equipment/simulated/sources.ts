import { type Expected, type Family, httpFamily, only } from "./family.js";
import { CAPACITY_WH, type Home } from "./home.js";

const kilo = (value: number | null) => (value === null ? null : value / 1000);
const nothing = (value: number | null) => value ?? 0;

const homeReads = (home: Home): Expected => ({
  grid_power_kw: home.gridW / 1000,
  pv_power_kw: kilo(home.pvW),
  battery_power_kw: kilo(home.batteryW),
  soc_pct: home.socPct,
});

/** Other systems that are read, and batteries with an interface of their own over HTTP. */
export const SOURCE_FAMILIES: readonly Family[] = [
  httpFamily({
    template: "evcc",
    title: "state of 2026",
    with: (host) => ({ url: `http://${host}` }),
    routes: (home) => ({
      "/api/state": () => ({
        siteTitle: "Home",
        version: "0.313.2",
        grid: { power: home.gridW, energy: home.importWh / 1000 },
        pvPower: home.pvW,
        homePower: home.loadW,
        battery: {
          power: home.batteryW === null ? null : -home.batteryW,
          soc: home.socPct,
          capacity: CAPACITY_WH / 1000,
          devices: [],
        },
        loadpoints: [
          {
            title: "Garage",
            connected: home.carW !== null,
            charging: (home.carW ?? 0) > 0,
            chargePower: nothing(home.carW),
            vehicleSoc: 55,
            chargeTotalImport: home.carWh / 1000,
          },
        ],
      }),
    }),
    expected: only([], homeReads),
  }),
  httpFamily({
    template: "evcc",
    title: "flat state of older versions, in a result",
    with: (host) => ({ url: `http://${host}` }),
    routes: (home) => ({
      "/api/state": () => ({
        result: {
          siteTitle: "Home",
          gridPower: home.gridW,
          pvPower: home.pvW,
          homePower: home.loadW,
          batteryPower: home.batteryW === null ? null : -home.batteryW,
          batterySoc: home.socPct,
          loadpoints: [],
        },
      }),
    }),
    expected: only([], homeReads),
  }),
  httpFamily({
    template: "home-assistant",
    title: "entities",
    with: (host) => ({
      url: `http://${host}`,
      token: "token-of-the-test",
      entities: {
        grid_power_kw: "sensor.grid",
        pv_power_kw: "sensor.pv",
        battery_power_kw: "sensor.battery",
        soc_pct: "sensor.soc",
        import_kwh: "sensor.import",
      },
      battery_sign: "discharging",
    }),
    routes: (home) => {
      const state =
        (entity_id: string, value: number | null, unit: string) =>
        ({ request }: { request: { headers: Record<string, unknown> } }) =>
          request.headers.authorization === "Bearer token-of-the-test"
            ? {
                entity_id,
                state: value === null ? "unavailable" : String(value),
                attributes: { unit_of_measurement: unit, device_class: "power" },
                last_changed: new Date().toISOString(),
                last_updated: new Date().toISOString(),
                last_reported: new Date().toISOString(),
              }
            : 401;
      return {
        "/api/states/sensor.grid": state("sensor.grid", home.gridW, "W"),
        "/api/states/sensor.pv": state("sensor.pv", kilo(home.pvW), "kW"),
        "/api/states/sensor.battery": state(
          "sensor.battery",
          home.batteryW === null ? null : -home.batteryW,
          "W",
        ),
        "/api/states/sensor.soc": state("sensor.soc", home.socPct, "%"),
        "/api/states/sensor.import": state("sensor.import", home.importWh / 1_000_000, "MWh"),
      };
    },
    expected: only(["import_kwh"], homeReads),
  }),
  httpFamily({
    template: "openhab",
    title: "items with units",
    with: (host) => ({
      url: `http://${host}`,
      items: {
        grid_power_kw: "Grid_Power",
        pv_power_kw: "PV_Power",
        battery_power_kw: "Battery_Power",
        soc_pct: "Battery_SoC",
      },
    }),
    routes: (home) => ({
      "/rest/items/Grid_Power/state": () => `${home.gridW} W`,
      "/rest/items/PV_Power/state": () => (home.pvW === null ? "NULL" : `${home.pvW / 1000} kW`),
      "/rest/items/Battery_Power/state": () => (home.batteryW === null ? "UNDEF" : `${home.batteryW} W`),
      "/rest/items/Battery_SoC/state": () => (home.socPct === null ? "UNDEF" : `${home.socPct} %`),
    }),
    expected: only([], homeReads),
  }),
  httpFamily({
    template: "iobroker",
    title: "simple-api",
    with: (host) => ({
      url: `http://${host}`,
      states: {
        grid_power_kw: "meter.0.power",
        pv_power_kw: "inverter.0.pv",
        battery_power_kw: "inverter.0.battery",
        soc_pct: "inverter.0.soc",
      },
    }),
    routes: (home) => {
      const state = (value: number | null) => () => ({
        val: value,
        ack: true,
        ts: Date.now(),
        lc: Date.now(),
        q: 0,
      });
      return {
        "/get/meter.0.power": state(home.gridW),
        "/get/inverter.0.pv": state(home.pvW),
        "/get/inverter.0.battery": state(home.batteryW),
        "/get/inverter.0.soc": state(home.socPct),
      };
    },
    expected: only([], homeReads),
  }),
  httpFamily({
    template: "openems",
    title: "REST",
    with: (host) => ({ url: `http://${host}` }),
    routes: (home) => {
      const values: Record<string, number | null> = {
        EssSoc: home.socPct,
        EssDischargePower: home.batteryW === null ? null : -home.batteryW,
        EssActivePower: home.batteryW === null ? null : -home.batteryW - 5,
        ProductionActivePower: home.pvW,
        GridActivePower: home.gridW,
        ConsumptionActivePower: home.loadW,
        GridBuyActiveEnergy: home.importWh,
        GridSellActiveEnergy: home.exportWh,
        ProductionActiveEnergy: home.pvWh,
        EssCapacity: CAPACITY_WH,
      };
      return Object.fromEntries(
        Object.entries(values).map(([channel, value]) => [
          `/rest/channel/_sum/${channel}`,
          ({ request }: { request: { headers: Record<string, unknown> } }) =>
            String(request.headers.authorization).startsWith("Basic ")
              ? { address: `_sum/${channel}`, type: "INTEGER", accessMode: "RO", unit: "W", value }
              : 401,
        ]),
      );
    },
    expected: only([
      "grid_power_kw",
      "import_kwh",
      "export_kwh",
      "pv_power_kw",
      "pv_kwh",
      "soc_pct",
      "battery_power_kw",
      "load_power_kw",
    ]),
  }),
  httpFamily({
    template: "zendure",
    title: "SolarFlow 800 Pro",
    routes: (home) => ({
      "/properties/report": () => ({
        timestamp: 1_782_036_000,
        sn: "HOA1NAN9N385989",
        product: "solarFlow800Pro",
        properties: {
          electricLevel: home.socPct ?? 47,
          packInputPower: Math.max(0, -nothing(home.batteryW)),
          outputPackPower: Math.max(0, nothing(home.batteryW)),
          solarInputPower: nothing(home.pvW),
          minSoc: 100,
          socSet: 1000,
        },
      }),
    }),
    expected: (home) => ({
      pv_power_kw: nothing(home.pvW) / 1000,
      battery_power_kw: nothing(home.batteryW) / 1000,
      soc_pct: home.socPct ?? 47,
    }),
  }),
  httpFamily({
    template: "sonnen",
    title: "API v2",
    with: (host) => ({ host, token: "token-of-the-test" }),
    routes: (home) => {
      const status = {
        Consumption_W: home.loadW,
        Production_W: nothing(home.pvW),
        Pac_total_W: home.batteryW === null ? 0 : -home.batteryW,
        GridFeedIn_W: -home.gridW,
        USOC: home.socPct,
        RSOC: home.socPct === null ? null : home.socPct + 4,
        RemainingCapacity_Wh: 6_000,
        OperatingMode: "2",
        Timestamp: "2026-06-21 12:00:00",
      };
      return {
        "/api/v2/status": ({ request }) =>
          request.headers["auth-token"] === "token-of-the-test" ? status : 401,
        "/api/v1/status": () => status,
      };
    },
    expected: (home) => ({
      grid_power_kw: home.gridW / 1000,
      pv_power_kw: nothing(home.pvW) / 1000,
      battery_power_kw: nothing(home.batteryW) / 1000,
      soc_pct: home.socPct,
      load_power_kw: home.loadW / 1000,
    }),
  }),
];
