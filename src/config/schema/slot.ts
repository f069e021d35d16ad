import { choice, entry, flag, integer, nullableInteger, nullableNumber, number, text } from "./kinds.js";
import { sgReadySchema, storeSchema, vehicleSchema } from "./slot-device.js";

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
  window_start_hour: clockHour("Local clock hour from which it may run; together with window_end_hour."),
  window_end_hour: clockHour(
    "Local clock hour of the deadline; a smaller value than the start crosses midnight.",
  ),
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
    "Whether a segment is one unbroken run: off: any slots; soft: interruptions at a penalty; required: always.",
  ),
  min_run_minutes: nullableInteger(
    { minimum: 15, maximum: 1440, unit: "minutes" },
    "Least length of a run, in whole quarter-hours; a shorter demand is one run. Not for segments with required. null: 30 for a wallbox or a boiler, 60 for a heat pump, otherwise none; a request for the slot is answered without it.",
  ),
  max_starts_per_day: nullableInteger(
    { minimum: 1, maximum: 96, unit: "starts" },
    "Most times a day that the plan switches the device on; null: 3 for a wallbox, otherwise as often as the commands of its actuator allow; a request for the slot is answered without it.",
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
      "Share of the energy that may come from the home battery. auto or null: whenever that costs less than keeping the energy for later. 0: the battery does not discharge while the wallbox charges.",
  },
  enabled: flag(true, "Plan this device."),
  optimise: {
    type: ["string", "null"],
    enum: ["price", "cost", null],
    default: null,
    description:
      "Quantity that the plan from these settings minimises. price: the price of electricity. cost: what the energy costs the site, PV surplus and battery included. null: cost with PV or a battery, otherwise price.",
  },
  vehicle: vehicleSchema,
  store: storeSchema,
  sg_ready: sgReadySchema,
});
