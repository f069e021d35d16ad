import type { FromSchema } from "json-schema-to-ts";
import type { configurationSchema } from "./schema/index.js";

/** The whole configuration with every default filled in; keys as in the YAML file. */
export type Settings = WithResolution<FromSchema<typeof configurationSchema>>;

type WithResolution<Raw extends { market: object }> = Omit<Raw, "market"> & {
  market: Omit<Raw["market"], "resolution_minutes"> & { resolution_minutes: 60 | 15 };
};

export type SmtpSettings = NonNullable<Settings["smtp"]>;
export type OwnerSettings = Settings["owner"];
/** One entry of `market.sources`; narrow it by `type`. */
export type PriceSourceSettings = Settings["market"]["sources"][number];
/** One entry of `weather.sources`; narrow it by `type`. */
export type WeatherSourceSettings = Settings["weather"]["sources"][number];
export type MqttSettings = Settings["mqtt"];
/** One entry of `mqtt.telemetry`: a reading that another device publishes. */
export type TelemetryMapEntry = MqttSettings["telemetry"][number];
export type LimitSettings = Settings["limits"];
export type QuotaSettings = Settings["quotas"];
export type RedisSettings = Settings["redis"];
export type FleetSettings = Settings["fleet"];
/** One entry of `plants`. */
export type PlantSettings = Settings["plants"][number];
export type TariffSettings = NonNullable<PlantSettings["tariff"]>;
/** The short form of a tariff: one price without periods. */
export type FlatTariffSettings = Exclude<TariffSettings, readonly unknown[]>;
export type BatterySettings = NonNullable<PlantSettings["battery"]>;
/** One entry of `plants[].batteries`. */
export type NamedBatterySettings = PlantSettings["batteries"][number];
export type PvArraySettings = PlantSettings["pv"][number];
/** What PV is computed from: the arrays, and the inverters that some of them share. */
export type PvSettings = Pick<PlantSettings, "pv" | "inverters">;
/** One entry of `plants[].slots`. */
export type SlotSettings = PlantSettings["slots"][number];
/** One entry of `plants[].actuators`. */
export type ActuatorSettings = PlantSettings["actuators"][number];
/** One entry of `plants[].devices`. */
export type DeviceSettings = PlantSettings["devices"][number];
/** The vehicle of a slot. */
export type VehicleSettings = NonNullable<SlotSettings["vehicle"]>;
/** The hot-water tank of a slot. */
export type StoreSettings = NonNullable<SlotSettings["store"]>;
export type SgReadySettings = NonNullable<SlotSettings["sg_ready"]>;
