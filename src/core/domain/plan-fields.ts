import { CHARGE_CAP_REASONS, DISCHARGE_REASONS, FOLLOWING_CAUSES, FOLLOWING_STATES } from "./battery.js";

/**
 * Unit or type of a field; a list of texts is an enumeration. `flag` is 0 or 1, `min` is -1 when there is no such time,
 * `quartile` is 1 to 4.
 */
export type FieldKind =
  | "flag"
  | "boolean"
  | "quartile"
  | "min"
  | "h"
  | "kW"
  | "kWh"
  | "%"
  | "ct/kWh"
  | "hash"
  | "time"
  | readonly string[];

/** Settings of the plant that take the place of a value without a plan. */
type FallbackSetting =
  | {
      battery:
        | "min_soc_pct"
        | "max_soc_pct"
        | "max_charge_power_kw"
        | "max_discharge_power_kw"
        | "grid_charge_allowed";
    }
  | { grid: "export_limit_kw" };

/** A value of the plan with every place where it is published. */
export interface PlanField {
  /** Member of `PlanScalars`. */
  scalar: string;
  kind: FieldKind;
  /** The value can be null. */
  nullable?: true;
  /** What it is, for `/openapi.json` and the documentation; without a full stop. */
  description: string;
  /**
   * Left out: in the event plant.plan_updated and in the hours-demand answer. `answer`: in the answer only; `outputs`: only
   * among the outputs, and by its name for controllers.
   */
  in?: "answer" | "outputs";
  /** Left out of documents while it is null: only with a price on the month's peak. */
  optional?: true;
  output?: `O${number}`;
  /** Topic below the plant besides `outputs/<output>`; left out: the name of the field; null: none. */
  topic?: string | null;
  /** Part of the price, which is known without a plan. */
  isPrice?: true;
  /** A change of it is material for consumers (docs/spec/webhooks.md section 6). */
  isLimit?: true;
  /** What controllers read while there is no plan (docs/spec/outputs-and-plan.md section 3); left out: 0. */
  withoutPlan?: number | string | boolean | null | FallbackSetting;
  /**
   * Entity in Home Assistant, on the battery's device: its key, which is part of the entity's id, its position among the
   * entities, and the device class of a binary sensor.
   */
  homeAssistant?: {
    key: string;
    rank: number;
    icon?: `mdi:${string}`;
    deviceClass?: "problem" | "battery_charging";
    isDiagnostic?: true;
    /** On the plant's device: it applies to the grid connection. */
    isOfPlant?: true;
  };
  /** Input of the template for Loxone: position, and its key in the line; left out: the output. */
  loxone?: { rank: number; key?: string };
}

/**
 * The values of a plan by the names of their fields in the hours-demand answer, in its order. JSON schemas, documents, MQTT
 * topics, Home Assistant, Loxone, controllers, the Node-RED palette and the tables of the documentation are made from this
 * list: a new output is an entry here, its value in src/plan/plan-scalars.ts and its texts in src/texts.
 */
export const PLAN_FIELDS = {
  hours_needed: {
    scalar: "hoursNeeded",
    kind: "h",
    description: "Hours of charging in the whole plan",
    output: "O3",
    homeAssistant: { key: "hours_needed", rank: 11 },
    loxone: { rank: 11 },
  },
  hours_needed_today: {
    scalar: "hoursNeededToday",
    kind: "h",
    description: "Hours of charging today",
    output: "O4",
    homeAssistant: { key: "hours_needed_today", rank: 12 },
    loxone: { rank: 12 },
  },
  energy_charge_kwh: {
    scalar: "energyChargeKwh",
    kind: "kWh",
    description: "Energy to charge from the grid in the whole plan",
    output: "O5",
    homeAssistant: { key: "energy_charge", rank: 13 },
    loxone: { rank: 13 },
  },
  prefix_hours_needed_today: {
    scalar: "prefixHoursNeededToday",
    kind: "h",
    description: "Hours of charging before the PV surplus of today",
  },
  prefix_period_hours_today: {
    scalar: "prefixPeriodHoursToday",
    kind: "h",
    description: "Hours until the PV surplus of today begins to charge the battery",
  },
  prefix_energy_charge_kwh: {
    scalar: "prefixEnergyChargeKwh",
    kind: "kWh",
    description: "Energy to charge before the PV surplus of today",
  },
  charge_now: {
    scalar: "chargeNow",
    kind: "flag",
    description: "Charge from the grid now",
    output: "O1",
    homeAssistant: { key: "charge_now", rank: 5, deviceClass: "battery_charging" },
    loxone: { rank: 1 },
  },
  charge_stop_soc_pct: {
    scalar: "chargeStopSocPct",
    kind: "%",
    description: "State of charge at which charging stops",
    output: "O9",
    withoutPlan: { battery: "max_soc_pct" },
    homeAssistant: { key: "charge_stop_soc", rank: 9, icon: "mdi:battery-arrow-up" },
    loxone: { rank: 7 },
  },
  discharge_power_kw: {
    scalar: "dischargePowerKw",
    kind: "kW",
    description: "Highest discharge power; 0: no discharge",
    output: "O12",
    topic: "discharge/power_kw",
    isLimit: true,
    withoutPlan: { battery: "max_discharge_power_kw" },
    homeAssistant: { key: "discharge_power", rank: 14 },
    loxone: { rank: 3 },
  },
  discharge_reason: {
    scalar: "dischargeReason",
    kind: DISCHARGE_REASONS,
    description: "Why the discharge power has this limit",
    topic: "discharge/reason",
    withoutPlan: "telemetry_lost",
    homeAssistant: { key: "discharge_reason", rank: 15, icon: "mdi:comment-question-outline" },
  },
  adaptive_discharge: {
    scalar: "adaptiveDischarge",
    kind: "boolean",
    description: "Discharging is controlled: the limit of the discharge power changes with the plan",
    output: "O10",
    topic: "discharge/adaptive",
    withoutPlan: false,
    homeAssistant: { key: "adaptive_discharge", rank: 16, icon: "mdi:battery-lock" },
    loxone: { rank: 16 },
  },
  min_soc_pct: {
    scalar: "minSocPct",
    kind: "%",
    description: "Lowest state of charge",
    output: "O11",
    withoutPlan: { battery: "min_soc_pct" },
    homeAssistant: { key: "min_soc", rank: 10, icon: "mdi:battery-low" },
    loxone: { rank: 8 },
  },
  charge_power_kw: {
    scalar: "chargePowerKw",
    kind: "kW",
    description: "Charging power now; 0 while not charging",
    output: "O2",
    homeAssistant: { key: "charge_power", rank: 8 },
    loxone: { rank: 2 },
  },
  grid_charge_allowed: {
    scalar: "gridChargeAllowed",
    kind: "boolean",
    description: "Charging from the grid is allowed",
    output: "O13",
    withoutPlan: { battery: "grid_charge_allowed" },
    homeAssistant: { key: "grid_charge_allowed", rank: 7, icon: "mdi:transmission-tower" },
    loxone: { rank: 9 },
  },
  plan_hash: {
    scalar: "planHash",
    kind: "hash",
    description: "The same while the starts of the charge hours are the same",
    // The hash of no charge hours.
    withoutPlan: "e3b0c44298fc1c14",
  },
  charge_cap_kw: {
    scalar: "chargeCapKw",
    kind: "kW",
    description: "Highest power at which PV surplus is stored; 0: do not store it",
    output: "O14",
    topic: "charge/cap_kw",
    isLimit: true,
    withoutPlan: { battery: "max_charge_power_kw" },
    homeAssistant: { key: "charge_cap", rank: 18 },
    loxone: { rank: 4 },
  },
  charge_cap_reason: {
    scalar: "chargeCapReason",
    kind: CHARGE_CAP_REASONS,
    description: "Why PV surplus is stored or not",
    topic: "charge/cap_reason",
    withoutPlan: "full",
    homeAssistant: { key: "charge_cap_reason", rank: 19, icon: "mdi:comment-question-outline" },
  },
  feed_in_limit_kw: {
    scalar: "feedInLimitKw",
    kind: "kW",
    nullable: true,
    description: "Highest feed-in power, more is curtailed; unknown: no limit",
    output: "O15",
    topic: "feed_in/limit_kw",
    isLimit: true,
    withoutPlan: { grid: "export_limit_kw" },
    homeAssistant: { key: "feed_in_limit", rank: 20, isOfPlant: true },
    loxone: { rank: 5 },
  },
  discharge_set_kw: {
    scalar: "dischargeSetKw",
    kind: "kW",
    description: "Set discharge power, also into the grid; 0: serve the load only",
    output: "O16",
    topic: "discharge/set_kw",
    isLimit: true,
    homeAssistant: { key: "discharge_set", rank: 21 },
    loxone: { rank: 6 },
  },
  soc_age_minutes: {
    scalar: "socAgeMinutes",
    kind: "min",
    description: "Age of the state of charge that the plan starts from",
    in: "answer",
    withoutPlan: -1,
    homeAssistant: { key: "soc_age", rank: 17, isDiagnostic: true },
  },
  soc_stale: {
    scalar: "socStale",
    kind: "boolean",
    description: "The state of charge was extrapolated by the plan, or is lost",
    in: "answer",
    withoutPlan: true,
    homeAssistant: { key: "soc_stale", rank: 26, deviceClass: "problem", isDiagnostic: true },
  },
  import_target_kw: {
    scalar: "importTargetKw",
    kind: "kW",
    nullable: true,
    optional: true,
    description: "Mean import not to be exceeded; only with a price on the month's peak",
    in: "answer",
    topic: "grid/import_target_kw",
    withoutPlan: null,
    homeAssistant: { key: "import_target", rank: 27, isOfPlant: true },
  },
  following: {
    scalar: "following",
    kind: FOLLOWING_STATES,
    description: "Whether the battery does what is commanded",
    in: "answer",
    withoutPlan: "unknown",
    homeAssistant: { key: "following", rank: 22, icon: "mdi:battery-check", isDiagnostic: true },
  },
  following_cause: {
    scalar: "followingCause",
    kind: FOLLOWING_CAUSES,
    description: "How the battery deviates from its command, or why that is unknown",
    in: "answer",
    withoutPlan: "no_telemetry",
    homeAssistant: { key: "following_cause", rank: 23, icon: "mdi:battery-alert", isDiagnostic: true },
  },
  following_since: {
    scalar: "followingSince",
    kind: "time",
    description: "Start of the current state of following",
    in: "answer",
    topic: null,
    withoutPlan: "none",
  },
  minutes_to_start: {
    scalar: "minutesToChargeStart",
    kind: "min",
    description: "Time to the next charge; 0 while charging, -1 for none",
    in: "outputs",
    output: "O6",
    topic: null,
    withoutPlan: -1,
    loxone: { rank: 10 },
  },
  price_quartile: {
    scalar: "currentQuartile",
    kind: "quartile",
    description: "Quartile of the current price within its day; 1 is the cheapest",
    in: "outputs",
    output: "O7",
    topic: "price/quartile",
    isPrice: true,
    withoutPlan: 3,
    homeAssistant: { key: "price_quartile", rank: 3, icon: "mdi:podium" },
    loxone: { rank: 15 },
  },
  price_now_ct_kwh: {
    scalar: "currentPriceCtKwh",
    kind: "ct/kWh",
    description: "Current price, all-in if the plant has a tariff",
    in: "outputs",
    output: "O8",
    topic: "price/now_ct_kwh",
    isPrice: true,
    homeAssistant: { key: "price", rank: 1, icon: "mdi:cash" },
    loxone: { rank: 14, key: "PRICE" },
  },
} as const satisfies Readonly<Record<string, PlanField>>;
