import { type Family, httpFamily, only, wallbox } from "./family.js";
import { CAPACITY_WH, type Home } from "./home.js";

const nothing = (value: number | null) => value ?? 0;

function solarApi(home: Home) {
  const isAwake = home.pvW !== null;
  const head = {
    RequestArguments: {},
    Status: { Code: 0, Reason: "", UserMessage: "" },
    Timestamp: "2026-06-21T12:00:00+02:00",
  };
  return {
    "/solar_api/GetAPIVersion.cgi": () => ({
      APIVersion: 1,
      BaseURL: "/solar_api/v1/",
      CompatibilityRange: "1.8-14",
    }),
    "/solar_api/v1/GetPowerFlowRealtimeData.fcgi": () => ({
      Head: head,
      Body: {
        Data: {
          Inverters: isAwake
            ? {
                1: {
                  Battery_Mode: "normal",
                  DT: 1,
                  E_Total: home.pvWh,
                  P: nothing(home.pvW) - nothing(home.batteryW),
                  SOC: home.socPct,
                },
              }
            : {},
          Site: {
            BackupMode: false,
            BatteryStandby: true,
            E_Total: home.pvWh,
            Meter_Location: "grid",
            Mode: "bidirectional",
            P_Akku: home.batteryW === null ? null : -home.batteryW,
            P_Grid: home.gridW,
            P_Load: -home.loadW,
            P_PV: home.pvW,
          },
          Smartloads: { Ohmpilots: {} },
          Version: "13",
        },
      },
    }),
    "/solar_api/v1/GetMeterRealtimeData.cgi?Scope=System": () => ({
      Head: head,
      Body: {
        Data: {
          0: {
            Details: { Manufacturer: "Fronius", Model: "Smart Meter TS 65A-3", Serial: "2244066801" },
            Enable: 1,
            EnergyReal_WAC_Sum_Consumed: home.importWh,
            EnergyReal_WAC_Sum_Produced: home.exportWh,
            Meter_Location_Current: 0,
            PowerReal_P_Sum: home.gridW,
            TimeStamp: 1_782_036_000,
          },
        },
      },
    }),
    "/solar_api/v1/GetStorageRealtimeData.cgi": () => ({
      Head: head,
      Body: {
        Data: {
          0: {
            Controller: {
              DesignedCapacity: CAPACITY_WH,
              StateOfCharge_Relative: home.socPct,
              Details: { Manufacturer: "BYD", Model: "BYD Battery-Box Premium HV", Serial: "P030T020Z2012" },
            },
            Modules: [],
          },
        },
      },
    }),
  };
}

function goe(home: Home) {
  const phases = home.carW ? 3 : 0;
  const per = nothing(home.carW) / 3;
  const all: Record<string, unknown> = {
    typ: "go-eCharger_Phoenix",
    sse: "206123",
    fwv: "056.8",
    fna: "Garage",
    car: home.carW === null ? 1 : home.carW > 0 ? 2 : 4,
    alw: true,
    amp: 16,
    frc: 0,
    psm: 2,
    err: 0,
    fhz: 50,
    nrg: [
      231,
      230,
      229,
      0,
      ...[0, 1, 2].map((line) => (line < phases ? per / 230 : 0)),
      per,
      per,
      per,
      0,
      nothing(home.carW),
      0,
      0,
      0,
      0,
    ],
    eto: home.carWh,
    wh: 5_300,
  };
  return {
    "/api/status": ({ url }: { url: URL }) => {
      const keys = url.searchParams.get("filter")?.split(",") ?? Object.keys(all);
      // The charger gives at most ten keys at once.
      return keys.length > 10 && url.searchParams.has("filter")
        ? 400
        : Object.fromEntries(keys.filter((key) => key in all).map((key) => [key, all[key]]));
    },
  };
}

export const HTTP_FAMILIES: readonly Family[] = [
  httpFamily({
    template: "fronius-solarapi",
    title: "GEN24 with battery and meter",
    routes: solarApi,
    expected: only([
      "grid_power_kw",
      "import_kwh",
      "export_kwh",
      "pv_power_kw",
      "soc_pct",
      "battery_power_kw",
      "load_power_kw",
    ]),
  }),
  httpFamily({ template: "go-e", title: "HTTP API v2", routes: goe, expected: wallbox }),
  httpFamily({
    template: "my-pv",
    title: "AC ELWA 2",
    routes: (home) => ({
      "/data.jsn": () => ({
        device: "AC ELWA 2",
        fwversion: "e0002205",
        screen_mode_flag: 3,
        power_elwa2: home.heatW,
        temp1: home.heatC * 10,
        temp2: 0,
        ww1target: 600,
      }),
      "/mypv_dev.jsn": () => ({
        device: "AC ELWA 2",
        number: 1,
        sn: "2100000000000123",
        fwversion: "e0002205",
      }),
    }),
    expected: (home) => ({ power_kw: home.heatW / 1000, temperature_c: home.heatC }),
  }),
  httpFamily({
    template: "my-pv",
    title: "AC THOR 9s",
    with: (host) => ({ host, power_field: "power_ac9" }),
    routes: (home) => ({
      "/data.jsn": () => ({
        device: "AC-THOR 9s",
        fwversion: "a0021303",
        power_act: home.heatW / 2,
        power_ac9: home.heatW,
        temp1: home.heatC * 10,
      }),
    }),
    expected: (home) => ({ power_kw: home.heatW / 1000, temperature_c: home.heatC }),
  }),
  httpFamily({
    template: "warp",
    title: "HTTP",
    with: (host) => ({ transport: "http", host }),
    routes: (home) => ({
      "/evse/state": () => ({
        iec61851_state: home.carW === null ? 0 : home.carW > 0 ? 2 : 1,
        charger_state: 1,
        error_state: 0,
      }),
      "/meter/values": () => ({ power: nothing(home.carW), energy_rel: 5.3, energy_abs: home.carWh / 1000 }),
      "/info/name": () => ({
        name: "warp2-AbC",
        type: "warp2",
        display_type: "WARP2 Charger Pro",
        uid: "AbC",
      }),
    }),
    expected: wallbox,
  }),
  httpFamily({
    template: "opendtu",
    title: "HTTP",
    with: (host) => ({ transport: "http", host }),
    routes: ({ pvW, pvWh }) => ({
      "/api/livedata/status": () => ({
        inverters: [
          {
            serial: "116182912345",
            name: "Roof",
            data_age: 3,
            poll_enabled: true,
            reachable: pvW !== null,
            producing: (pvW ?? 0) > 0,
            limit_relative: 100,
          },
        ],
        total: {
          Power: { v: nothing(pvW), u: "W", d: 1 },
          YieldDay: { v: 1_200, u: "Wh", d: 0 },
          YieldTotal: { v: pvW === null ? 0 : pvWh / 1000, u: "kWh", d: 3 },
        },
        hints: { time_sync: false, radio_problem: false },
      }),
    }),
    // Without an inverter that answers, the sum is 0.
    expected: ({ pvW, pvWh }) => ({
      pv_power_kw: nothing(pvW) / 1000,
      pv_kwh: pvW === null ? null : pvWh / 1000,
    }),
  }),
  httpFamily({
    template: "ahoydtu",
    title: "one inverter",
    routes: ({ pvW, pvWh }) => ({
      "/api/inverter/id/0": () => ({
        id: 0,
        enabled: true,
        name: "Roof",
        serial: "116182912345",
        ts_last_success: Math.floor(Date.now() / 1000),
        ch: [[231, 4, nothing(pvW), 50, 0.99, 30, pvWh / 1000, 1_200, pvW, 96, 0]],
        ch_name: ["AC"],
      }),
    }),
    expected: ({ pvW, pvWh }) => ({ pv_power_kw: nothing(pvW) / 1000, pv_kwh: pvWh / 1000 }),
  }),
  httpFamily({
    template: "apsystems-ez1",
    title: "EZ1-M",
    routes: ({ pvW, pvWh }) => ({
      "/getOutputData": () =>
        pvW === null
          ? undefined
          : {
              data: { p1: pvW * 0.5, e1: 1.2, te1: pvWh / 2000, p2: pvW * 0.5, e2: 1.2, te2: pvWh / 2000 },
              message: "SUCCESS",
              deviceId: "E07000012345",
            },
      "/getDeviceInfo": () => ({
        data: { deviceId: "E07000012345", devVer: "EZ1 1.6.0", maxPower: "800", minPower: "30" },
        message: "SUCCESS",
        deviceId: "E07000012345",
      }),
    }),
    expected: ({ pvW, pvWh }) =>
      pvW === null ? { pv_power_kw: null } : { pv_power_kw: pvW / 1000, pv_kwh: pvWh / 1000 },
  }),
];
