import { actuatorSchema } from "./actuator.js";
import { batteriesSchema, batterySchema } from "./battery.js";
import { deviceSchema } from "./device.js";
import { entry, flag, integer, nullableNumber, nullableText, number, section, text } from "./kinds.js";
import { slotSchema } from "./slot.js";
import { tariffSchema } from "./tariff.js";

const powerLimit = (description: string) =>
  nullableNumber({ minimum: 0, maximum: 100_000, unit: "kW" }, description);

const inverterName = { minLength: 1, maxLength: 50 } as const;

const pvArraySchema = entry("One PV array: modules of one orientation.", ["peak_kw"], {
  peak_kw: number({ exclusiveMinimum: 0, maximum: 100_000, unit: "kW" }, "Peak power of the modules."),
  tilt_deg: number(
    { minimum: 0, maximum: 90, unit: "degrees", default: 30 },
    "Tilt: 0 is horizontal, 90 vertical.",
  ),
  azimuth_deg: number(
    { minimum: 0, maximum: 360, unit: "degrees", default: 180 },
    "Orientation: 90 east, 180 south, 270 west.",
  ),
  losses_pct: number(
    { minimum: 0, maximum: 99, unit: "%", default: 14 },
    "Total losses between modules and meter.",
  ),
  inverter_kw: nullableNumber(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kW" },
    "Maximum AC power of the array's own inverter; null: no limit.",
  ),
  inverter: nullableText(inverterName, "Id of an inverter shared with other arrays; null: its own."),
  curtailable: flag(false, "Feed-in may be limited by O15 where it costs money. All arrays must allow it."),
});

export const plantSchema = entry("One plant.", ["id"], {
  id: text({ format: "plant-id" }, "Identifier in topics and on the command line."),
  name: text({ maxLength: 100, default: "" }, "Display name; empty: the id."),
  latitude: nullableNumber(
    { minimum: -90, maximum: 90, unit: "degrees" },
    "Latitude, for weather and PV; null: not set.",
  ),
  longitude: nullableNumber(
    { minimum: -180, maximum: 180, unit: "degrees" },
    "Longitude, east positive; together with latitude.",
  ),
  timezone: text({ format: "time-zone", default: "Europe/Vienna" }, "Local time zone, as an IANA name."),
  tariff: tariffSchema,
  battery: batterySchema,
  batteries: batteriesSchema,
  pv: {
    type: "array",
    maxItems: 50,
    default: [],
    description: "PV arrays of the plant.",
    items: pvArraySchema,
  },
  inverters: {
    type: "array",
    maxItems: 50,
    default: [],
    description: "PV inverters that several arrays share.",
    items: entry("One inverter that arrays share.", ["id", "kw"], {
      id: text(inverterName, "Name that the arrays refer to."),
      kw: number(
        { exclusiveMinimum: 0, maximum: 100_000, unit: "kW" },
        "Maximum AC power of all its arrays together.",
      ),
    }),
  },
  grid: section("Limits at the grid connection.", {
    import_limit_kw: powerLimit("Largest import; charging never adds to a breach. null: none."),
    export_limit_kw: powerLimit("Largest export; PV beyond it is curtailed. null: none."),
    connection_kw: nullableNumber(
      { exclusiveMinimum: 0, maximum: 100_000, unit: "kW" },
      "Power of the fuses, such as 24 for 3 × 35 A: readings beyond 1.5 times as much are not used. null: 43.5 (3 × 63 A), or more where needed.",
    ),
  }),
  load: section("Load of the site, used while no telemetry is available.", {
    daily_kwh: number(
      { minimum: 0, maximum: 1_000_000, unit: "kWh", default: 10 },
      "Load of a day without vehicle and battery.",
    ),
    bill_car_kwh: number(
      { minimum: 0, maximum: 1_000_000, unit: "kWh", default: 0 },
      "Share of a vehicle in the consumption of a year on the bill; the portal deducts it.",
    ),
    bill_heat_pump_kwh: number(
      { minimum: 0, maximum: 1_000_000, unit: "kWh", default: 0 },
      "Share of a heat pump in the consumption of a year on the bill; the portal deducts it.",
    ),
    profile: {
      type: ["array", "null"],
      minItems: 24,
      maxItems: 24,
      default: null,
      description:
        "Shape of the day: 24 weights by local clock hour, scaled to daily_kwh; null: a standard household.",
      items: number({ minimum: 0, maximum: 1_000_000, unit: "weight" }, "Weight of one clock hour."),
    },
  }),
  telemetry: section("What the readings of the plant contain.", {
    load_without: {
      type: ["array", "null"],
      maxItems: 8,
      uniqueItems: true,
      default: null,
      description:
        "Slots that are not part of load_power_kw; null: the wallboxes where it is evcc's homePower, otherwise none.",
      items: integer({ minimum: 1, maximum: 8, unit: "slot number" }, "One slot."),
    },
  }),
  slots: {
    type: "array",
    maxItems: 8,
    default: [],
    description: "Flexible devices of the plant.",
    items: slotSchema,
  },
  actuators: {
    type: "array",
    maxItems: 30,
    default: [],
    description: "Devices that the gateway switches itself (docs/actuators.md).",
    items: actuatorSchema,
  },
  devices: {
    type: "array",
    // With the entries of actuators, which are devices in the portal.
    maxItems: 70,
    default: [],
    description: "Devices that the gateway reads, and commands if they say so (docs/devices.md).",
    items: deviceSchema,
  },
});
