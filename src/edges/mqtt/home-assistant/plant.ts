import type { Site } from "../../../config/site.js";
import type { Language } from "../../../core/language.js";
import { canCarryOut } from "../../../plan/battery-override.js";
import { periodsOf } from "../../../tariff/tariff.js";
import type { MqttOptions } from "../options.js";
import type { DiscoveryDevice } from "./device-entities.js";
import type { DiscoveryPlant } from "./devices.js";
import type { DiscoverySlot } from "./slot-entities.js";

/** A plant as announced to Home Assistant, by its settings, the documents of its assigned slots and the counters that are read. */
export function plantOf(
  { id, plant }: Site,
  slotDocuments: readonly Readonly<Record<string, unknown>>[],
  counters: readonly string[],
  read: readonly DiscoveryDevice[],
): DiscoveryPlant {
  const { battery, batteries, devices, pv, slots: settings, tariff } = plant;
  return {
    id,
    name: plant.name ?? id,
    ...(battery && {
      battery: {
        minSocPct: battery.min_soc_pct,
        maxSocPct: battery.max_soc_pct,
        overrides: (["charge", "hold"] as const).filter((action) => canCarryOut(plant, action)),
      },
    }),
    batteries: batteries.map((one) => ({ id: one.id, label: one.label === "" ? one.id : one.label })),
    hasPv: pv.length > 0,
    hasTariff: Boolean(tariff),
    counters,
    hasPeakPrice: periodsOf(tariff ?? {}).some(({ grid_power: power }) => (power?.eur_kw_year ?? 0) > 0),
    actuators: devices.flatMap(({ id, controls }) => (controls === null ? [] : [{ id, controls }])),
    devices: read,
    slots: slotDocuments.map(({ slot_id, label, kind, vehicle, sg_ready }) => ({
      slot: String(slot_id),
      // The document names a device without a label by its kind, in English.
      label: settings.find(({ slot }) => String(slot) === slot_id)?.label ?? String(label),
      kind: kind as DiscoverySlot["kind"],
      hasVehicle: vehicle !== undefined,
      hasSgReady: sg_ready !== undefined,
    })),
  };
}

/** The language of names, states and sentences of a plant on its topics. */
export function textLanguage(
  {
    settings,
    languageOf,
  }: Pick<MqttOptions, "languageOf"> & { settings: Pick<MqttOptions["settings"], "homeassistant"> },
  { accountId }: Pick<Site, "accountId">,
): Language {
  const { language } = settings.homeassistant;
  return language === "auto" ? languageOf(accountId) : language;
}
