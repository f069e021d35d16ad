import { each } from "../../core/shape.js";
import {
  choice,
  entry,
  flag,
  integer,
  nullableInteger,
  nullableNumber,
  nullableText,
  number,
  text,
} from "./kinds.js";

const dayTime = nullableText({ format: "hour-minute" }, "Departure on this weekday, local time; null: none.");

/** The vehicle at a wallbox. */
const vehicleSchema = {
  type: ["object", "null"],
  description: "The vehicle at a wallbox, planned by its state of charge; null: none.",
  additionalProperties: false,
  default: null,
  required: ["capacity_kwh"],
  properties: {
    capacity_kwh: number(
      { exclusiveMinimum: 0, maximum: 1000, unit: "kWh" },
      "Usable energy of the vehicle's battery.",
    ),
    min_soc_pct: number(
      { minimum: 0, maximum: 100, unit: "%", default: 20 },
      "Up to this state of charge the vehicle is charged immediately, at any price.",
    ),
    target_soc_pct: number(
      { minimum: 0, maximum: 100, unit: "%", default: 80 },
      "State of charge at departure.",
    ),
    departure: {
      type: ["string", "object"],
      format: "hour-minute",
      additionalProperties: false,
      properties: each(["mon", "tue", "wed", "thu", "fri", "sat", "sun"], dayTime),
      default: "07:00",
      description: 'Local time of the departure, or a section by weekday: { mon: "07:00", sat: "10:00" }.',
    },
    min_power_kw: nullableNumber(
      { exclusiveMinimum: 0, maximum: 1000, unit: "kW" },
      "Least charging power; null: 6 A on each phase (1.38, 2.76 or 4.14 kW).",
    ),
    max_power_kw: nullableNumber(
      { exclusiveMinimum: 0, maximum: 1000, unit: "kW" },
      "Largest charging power; null: power_kw of the slot, without it 16 A on each phase (3.68, 7.36 or 11.04 kW).",
    ),
    phases: integer(
      { minimum: 1, maximum: 3, unit: "phases", default: 3 },
      "Phases that the vehicle charges on.",
    ),
    efficiency_pct: number(
      { minimum: 1, maximum: 100, unit: "%", default: 90 },
      "Energy stored divided by the energy drawn by the wallbox.",
    ),
    surplus: choice(
      ["only", "prefer", "ignore"],
      "prefer",
      "PV surplus. only: above min_soc_pct nothing else is charged. prefer: surplus first, the rest at the cheapest times. ignore: the surplus is not followed.",
    ),
  },
} as const;

/** The two contacts of a heat pump. */
const sgReadySchema = {
  type: ["object", "null"],
  description:
    "SG Ready of a heat pump: its state is planned by what electricity costs the site; null: not used.",
  additionalProperties: false,
  default: null,
  properties: {
    dwell_min: integer(
      { minimum: 10, maximum: 60, unit: "minutes", default: 15 },
      "Least time of a state, in whole quarter-hours.",
    ),
    block: flag(false, "Block it in the dearest hours, at most 2 hours at a time and 3 times a day."),
    force: flag(
      false,
      "Force it on where electricity costs nothing or PV surplus covers its power_kw; the heating rod may join in.",
    ),
  },
} as const;

/** The hot-water tank of a boiler. */
const storeSchema = {
  type: ["object", "null"],
  description: "The tank of a boiler, planned by its temperature; null: none.",
  additionalProperties: false,
  default: null,
  required: ["litres"],
  properties: {
    litres: number({ exclusiveMinimum: 0, maximum: 100_000, unit: "litres" }, "Volume of the tank."),
    min_c: number(
      { minimum: 5, maximum: 95, unit: "°C", default: 45 },
      "The plan does not let the temperature fall below this.",
    ),
    max_c: number({ minimum: 5, maximum: 95, unit: "°C", default: 60 }, "The plan does not heat above this."),
    loss_w: number(
      { minimum: 0, maximum: 10_000, unit: "W", default: 60 },
      "Heat loss at max_c in a room of 20 °C.",
    ),
    daily_kwh: nullableNumber(
      { minimum: 0, maximum: 100_000, unit: "kWh" },
      "Heat drawn in a day; null: the sum of draw_profile, without it 5 kWh.",
    ),
    draw_profile: {
      type: ["array", "null"],
      minItems: 24,
      maxItems: 24,
      default: null,
      description: "Heat drawn by clock hour: kWh, or shares of daily_kwh; null: a standard household.",
      items: number({ minimum: 0, maximum: 100_000, unit: "kWh or share" }, "Heat drawn in one clock hour."),
    },
    legionella_c: nullableNumber(
      { minimum: 50, maximum: 95, unit: "°C" },
      "Temperature reached once a week against legionella, also above max_c; the thermostat of the tank must allow it.",
    ),
  },
} as const;

const clockHour = (description: string) =>
  nullableInteger({ minimum: 0, maximum: 23, unit: "clock hour" }, description);

export const slotSchema = entry("One flexible device.", ["slot"], {
  slot: integer({ minimum: 1, maximum: 8, unit: "slot number" }, "Number of the slot for slot_id; unique."),
  label: text({ maxLength: 100, default: "" }, "Display name; empty: kind and number."),
  kind: choice(["wallbox", "heat_pump", "boiler", "other"], "wallbox", "Kind of device."),
  power_kw: nullableNumber(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kW" },
    "Power while running; required to convert energy_kwh to hours.",
  ),
  window_start_hour: clockHour("Clock hour from which it may run; with window_end_hour."),
  window_end_hour: clockHour("Clock hour of the deadline; before the start: on the next day."),
  energy_kwh: nullableNumber(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kWh" },
    "Energy required in each window; alternative to hours.",
  ),
  hours: nullableNumber(
    { exclusiveMinimum: 0, maximum: 168, unit: "hours" },
    "Hours required in each window; alternative to energy_kwh.",
  ),
  segments: {
    type: ["array", "null"],
    minItems: 1,
    maxItems: 32,
    default: null,
    description: "Lengths of the required runs; their sum is the demand.",
    items: number({ exclusiveMinimum: 0, maximum: 168, unit: "hours" }, "Length of one run."),
  },
  segment_consecutive: choice(
    ["off", "soft", "required"],
    "off",
    "Whether a segment is one run: off: no; soft: interruptions at a penalty; required: always.",
  ),
  min_run_minutes: nullableInteger(
    { minimum: 15, maximum: 1440, unit: "minutes" },
    "Least length of a run, in whole quarter-hours. null: 30 for a wallbox or boiler, 60 for a heat pump; not for requests and required segments.",
  ),
  max_starts_per_day: nullableInteger(
    { minimum: 1, maximum: 96, unit: "starts" },
    "Most starts a day; null: 3 for a wallbox, otherwise as the commands of its actuator allow; not for requests.",
  ),
  deadline_strict: flag(false, "After the window's end the demand is 0 until the next one."),
  battery_to_ev_pct: {
    type: ["number", "string", "null"],
    minimum: 0,
    maximum: 100,
    unit: "%",
    format: "auto",
    default: null,
    description:
      "Share of the energy from the home battery. auto or null: whenever that costs less. 0: the battery does not discharge while the wallbox charges.",
  },
  enabled: flag(true, "Plan this device."),
  optimise: {
    type: ["string", "null"],
    enum: ["price", "cost", null],
    default: null,
    description:
      "What is minimised: the price of electricity, or its cost to the site. null: cost with PV, a battery or an import limit, otherwise price. A store is always planned by cost.",
  },
  vehicle: vehicleSchema,
  store: storeSchema,
  sg_ready: sgReadySchema,
});
