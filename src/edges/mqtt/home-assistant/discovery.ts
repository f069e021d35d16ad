import type { Site } from "../../../config/site.js";
import type { Language } from "../../../core/language.js";
import { periodsOf } from "../../../tariff/tariff.js";
import {
  componentsOf,
  type DiscoveryComponent,
  type DiscoveryView,
  discoveredComponents,
  discoveryDocument,
} from "./entities.js";

export interface HomeAssistantDiscoveryOptions {
  enabled: boolean;
  site(id: string): Site | undefined;
  /** The entries of device-schedules, one per assigned slot. */
  slotDocuments(plant: string): readonly Readonly<Record<string, unknown>>[];
  view(): Omit<DiscoveryView, "language">;
  /** Language of the names. */
  languageOf(site: Site): Language;
  /** Sets a retained value; an empty text removes it. */
  setValue(topic: string, payload: string): void;
}

/** Announces the plants to Home Assistant and removes outdated announcements. */
export class HomeAssistantDiscovery {
  readonly #options: HomeAssistantDiscoveryOptions;
  /** Announced entities of this run and of the previous one: platform by key. */
  readonly #announced = new Map<string, Map<string, string>>();

  constructor(options: HomeAssistantDiscoveryOptions) {
    this.#options = options;
  }

  /** Publishes the current entities. A removed entity is listed with its platform only, which deletes it. */
  announce(plant: string): void {
    const { enabled, slotDocuments, setValue } = this.#options;
    const site = this.#options.site(plant);
    if (!enabled || site === undefined) return;
    const view = { ...this.#options.view(), language: this.#options.languageOf(site) };
    const slots = slotDocuments(plant).map(({ slot_id, label, kind, vehicle, sg_ready }) => ({
      slot: String(slot_id),
      label: String(label),
      isWallbox: kind === "wallbox",
      hasVehicle: vehicle !== undefined,
      hasSgReady: sg_ready !== undefined,
    }));
    const described = {
      id: plant,
      name: site.plant.name ?? plant,
      hasBattery: Boolean(site.plant.battery),
      batteries: site.plant.batteries.map(({ id, label }) => ({ id, label })),
      hasPeakPrice: periodsOf(site.plant.tariff ?? {}).some(
        ({ grid_power: power }) => (power?.eur_kw_year ?? 0) > 0,
      ),
      actuators: site.plant.actuators.map(({ id }) => id),
      slots,
    };
    const present = componentsOf(described, view);
    const announced = this.#announced.get(plant) ?? new Map<string, string>();
    this.#announced.set(plant, announced);
    for (const [key, { p }] of Object.entries(present)) announced.set(key, p);
    const all: Record<string, DiscoveryComponent> = { ...present };
    for (const [key, p] of announced) all[key] ??= { p };
    setValue(view.topics.announcement(plant), JSON.stringify(discoveryDocument(described, all, view)));
  }

  /** Called with the announcement of a previous run; entities that no longer exist are removed. */
  found(topic: string, text: string): void {
    const { topics } = this.#options.view();
    const plant = topics.announcedPlant(topic);
    const components = discoveredComponents(text, topics);
    if (plant === undefined || components === undefined) return;
    if (!this.#options.enabled || this.#options.site(plant) === undefined) {
      this.remove(plant);
      return;
    }
    this.#announced.set(plant, new Map([...components, ...(this.#announced.get(plant) ?? [])]));
    this.announce(plant);
  }

  remove(plant: string): void {
    this.#announced.delete(plant);
    this.#options.setValue(this.#options.view().topics.announcement(plant), "");
  }
}
