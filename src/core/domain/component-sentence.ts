import type { ActuatorFault, ActuatorPhase } from "./actuator.js";
import type { ShownDeviceState } from "./device-state.js";
import type { SourceFault } from "./source-fault.js";

type NoValues = Record<never, never>;
type SourceKind = "price" | "weather";

/** The sentences about the state of components: their codes with the values that they name. The texts have the wording. */
export interface ComponentSentenceValues {
  battery_soc_stale: NoValues;
  battery_following: NoValues;
  battery_not_following: { cause: string };
  device_takes_nothing: { device: string; since: Date };
  tank_sensor_silent: { device: string; since: Date };
  /** Its `legionella_c` was not reached. */
  tank_not_hot: { device: string; celsius: number };
  /** Means or present powers, kW; `reversed`: they would add up with the other sign. */
  balance_open: {
    pvKw: number;
    gridKw: number;
    homeKw: number;
    batteryKw: number;
    reversed: "grid" | "battery" | null;
  };
  /** Whether the load contains devices, against what is set. */
  load_contains: { slots: string; isContained: boolean; setting: string };
  reading_held: { reading: string; value: number; used: number };
  /** Water in a tank cannot have it. */
  temperature_held: { reading: string; value: number };
  counter_held: { reading: string; value: number; used: number };
  counter_unit: { reading: string; value: number; used: number };
  power_held: { reading: string; value: number; least: number; most: number };
  counter_replaced: { reading: string; value: number; before: number; at: Date };
  power_above_settings: { reading: string; value: number; most: number; at: Date };
  readings_left_out: { count: number; reading: string; value: number; at: Date };
  actuator_phase: {
    phase: ActuatorPhase;
    state: string | null;
    until: Date | null;
  };
  actuator_error: { fault: ActuatorFault; message: string };
  /** A change that is due waits; null: until the next day. */
  actuator_wait: { for: "dwell" | "budget"; until: Date | null };
  /** Its template is experimental, and it is in dry run. */
  actuator_experimental: NoValues;
  /** A text of a template. */
  actuator_neighbour: { en: string; de: string };
  device_state: { state: ShownDeviceState };
  device_fault: { message: string };
  store_ok: { folder: string };
  store_postgres: { address: string; shard: number };
  store_failed: { message: string };
  store_full: NoValues;
  store_postgres_failed: { message: string };
  sources_none: { kind: SourceKind };
  sources_down: { kind: SourceKind };
  sources_untried: { kind: SourceKind };
  sources_serve: { names: readonly string[] };
  source_failed: { source: string; fault: SourceFault; message: string };
  source_warning: { source: string; message: string };
  rest_serves: NoValues;
  prices_short: NoValues;
  prices_held: { until: Date };
  prices_missing: NoValues;
  weather_short: NoValues;
  weather_held: { until: Date };
  weather_missing: NoValues;
  weather_no_location: NoValues;
  forecast_no_price: NoValues;
  forecast_few_prices: NoValues;
  forecast_training_failed: { message: string };
  forecast_model: { model: string };
  forecast_published: { until: Date };
  mail_ok: { server: string };
  mail_rejected: { server: string; reason: string };
  webhooks_ok: { registered: number };
  webhooks_failing: { registered: number; failing: number };
  quotas_redis: { address: string };
  quotas_memory: { address: string; problem: string };
  fleet_ok: { shard: number; shards: number; address: string };
  fleet_unleased: { shard: number; address: string; problem: string };
  node_red_starting: NoValues;
  node_red_missing: NoValues;
  node_red_ok: NoValues;
  node_red_failed: { message: string };
  /** It could not be started. */
  node_red_closed_folder: { user: number; folder: string };
  node_red_no_folder: { folder: string; fault: string };
  node_red_special_file: { path: string };
  node_red_damaged_secret: { path: string };
  node_red_restart: { seconds: number; safeMode: boolean };
  node_red_safe_mode: { minutes: number };
  http_plain: { port: number };
  http_secure: { port: number };
  http_limits: { usage: readonly (LimitUsage & { refused: number })[] };
  broker_starting: NoValues;
  broker_joining: { url: string };
  broker_embedded: BrokerPorts;
  broker_clients_refused: { clients: readonly RefusedMqttClient[] };
  broker_limits_ok: { usage: readonly LimitUsage[] };
  broker_limits_reached: { reached: readonly string[] };
  mqtt_maps_ok: NoValues;
  mqtt_maps_unapproved: { maps: readonly string[] };
  broker_external: { url: string };
  broker_subscriptions_refused: { topics: readonly string[] };
  broker_lost: { url: string };
  /** Another gateway with the installation id of this one waits. */
  broker_copy: { url: string; machine: string; started: Date };
  /** Another one commands, and this one waits. */
  broker_standby: { url: string; machine: string; started: Date };
  broker_presence_unknown: { url: string };
  broker_problem: { url: string; problem: string };
  broker_failed: { message: string };
  broker_disk_full: NoValues;
}

export type ComponentSentenceCode = keyof ComponentSentenceValues;

/** A sentence about the state of a component. */
export type ComponentSentence = {
  [Code in ComponentSentenceCode]: { code: Code } & ComponentSentenceValues[Code];
}[ComponentSentenceCode];

/** The wording of the sentences in one language. */
export type ComponentSentenceTexts = {
  [Code in ComponentSentenceCode]: (values: ComponentSentenceValues[Code]) => string;
};

/** Sentences without paths, addresses, error messages and names of other sites: everybody may read them. */
export const PUBLIC_SENTENCES: ReadonlySet<ComponentSentenceCode> = new Set([
  "battery_soc_stale",
  "battery_following",
  "battery_not_following",
  "balance_open",
  "load_contains",
  "reading_held",
  "temperature_held",
  "counter_held",
  "counter_unit",
  "power_held",
  "counter_replaced",
  "power_above_settings",
  "readings_left_out",
  "device_takes_nothing",
  "tank_sensor_silent",
  "tank_not_hot",
  "actuator_phase",
  "actuator_wait",
  "actuator_experimental",
  "actuator_neighbour",
  "device_state",
  "store_full",
  "broker_disk_full",
  "sources_none",
  "sources_down",
  "sources_untried",
  "sources_serve",
  "rest_serves",
  "prices_short",
  "prices_held",
  "prices_missing",
  "weather_short",
  "weather_held",
  "weather_missing",
  "weather_no_location",
  "forecast_no_price",
  "forecast_few_prices",
  "forecast_model",
  "forecast_published",
] satisfies ComponentSentenceCode[]);

/** What is in use of a limit of the broker. */
export interface LimitUsage {
  resource: string;
  used: number;
  limit: number;
}

/** A client that the embedded broker refused: its protocol (`level`), or its subscription to `filter`. */
export interface RefusedMqttClient {
  /** Client id; of a refused protocol its address. */
  name: string;
  level?: number | undefined;
  filter?: string | undefined;
}

/** Open ports of the embedded broker; undefined for listeners that are off. */
export interface BrokerPorts {
  tcp?: number;
  ws?: number;
  tls?: number;
  wss?: number;
}
