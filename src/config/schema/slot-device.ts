import { choice, flag, integer, nullableNumber, nullableText, number } from "./kinds.js";

const dayTime = nullableText({ format: "hour-minute" }, "Departure on this weekday, local time; null: none.");

/** The vehicle at a wallbox. */
export const vehicleSchema = {
  type: ["object", "null"],
  description: "The vehicle at a wallbox, planned by its state of charge; null: none.",
  additionalProperties: false,
  default: null,
  required: ["capacity_kwh"],
  properties: {
    capacity_kwh: number(
      { exclusiveMinimum: 0, maximum: 1000, unit: "kWh" },
      "Usable energy of the vehicle's battery between 0 and 100 % state of charge.",
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
      properties: {
        mon: dayTime,
        tue: dayTime,
        wed: dayTime,
        thu: dayTime,
        fri: dayTime,
        sat: dayTime,
        sun: dayTime,
      },
      default: "07:00",
      description:
        'Local time of the daily departure, such as "07:00", or a section by weekday such as { mon: "07:00", sat: "10:00" }; a weekday left out has none.',
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
      "Energy stored in the vehicle's battery divided by the energy drawn by the wallbox.",
    ),
    surplus: choice(
      ["only", "prefer", "ignore"],
      "prefer",
      "PV surplus. only: above min_soc_pct the vehicle is charged from surplus only. prefer: surplus first, the rest at the cheapest times. ignore: planned by price or cost, without following the surplus.",
    ),
  },
} as const;

/** The two contacts of a heat pump. */
export const sgReadySchema = {
  type: ["object", "null"],
  description:
    "SG Ready of a heat pump: its state is planned by what electricity costs the site; null: not used.",
  additionalProperties: false,
  default: null,
  properties: {
    dwell_min: integer(
      { minimum: 10, maximum: 60, unit: "minutes", default: 15 },
      "Least time that a state lasts, rounded up to quarter-hours.",
    ),
    block: flag(
      false,
      "Block the heat pump in the dearest hours, at most 2 hours at a time and 3 times a day.",
    ),
    force: flag(
      false,
      "Force the heat pump on where electricity costs nothing or PV surplus covers its power_kw; the heating rod may join in.",
    ),
  },
} as const;

/** The hot-water tank of a boiler. */
export const storeSchema = {
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
      "Heat loss of the tank at max_c in a room of 20 °C; less while the tank is cooler.",
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
      description:
        "Heat drawn by local clock hour: kWh, or shares of daily_kwh where that is given; null: a standard household.",
      items: number({ minimum: 0, maximum: 100_000, unit: "kWh or share" }, "Heat drawn in one clock hour."),
    },
    legionella_c: nullableNumber(
      { minimum: 50, maximum: 95, unit: "°C" },
      "Temperature that the tank reaches once a week against legionella, also above max_c; the thermostat of the tank must allow it. null: not planned.",
    ),
  },
} as const;
