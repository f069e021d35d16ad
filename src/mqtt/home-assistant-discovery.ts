import type { Site } from "../accounts/sites.js";
import {
  componentsOf,
  type DiscoveryComponent,
  type DiscoveryView,
  discoveredComponents,
  discoveryDocument,
} from "./home-assistant.js";

export interface HomeAssistantDiscoveryOptions {
  enabled: boolean;
  site(id: string): Site | undefined;
  /** The entries of device-schedules, one an assigned slot. */
  slotDocuments(plant: string): readonly Readonly<Record<string, unknown>>[];
  view(): DiscoveryView;
  /** Takes a retained value; the empty text takes it away. */
  setValue(topic: string, payload: string): void;
}

/** Announces the plants to Home Assistant, and takes back what is there no more. */
export class HomeAssistantDiscovery {
  readonly #options: HomeAssistantDiscoveryOptions;
  /** Entities that Home Assistant was ever told of in this run or found from the one before: platform by key. */
  readonly #told = new Map<string, Map<string, string>>();

  constructor(options: HomeAssistantDiscoveryOptions) {
    this.#options = options;
  }

  /** Tells what the plant has now. An entity that went is named with nothing but its platform, which removes it. */
  announce(plant: string): void {
    const { enabled, slotDocuments, setValue } = this.#options;
    const site = this.#options.site(plant);
    if (!enabled || site === undefined) return;
    const view = this.#options.view();
    const slots = slotDocuments(plant).map(({ slot_id, label }) => ({
      slot: String(slot_id),
      label: String(label),
    }));
    const described = {
      id: plant,
      name: site.plant.name ?? plant,
      hasBattery: Boolean(site.plant.battery),
      slots,
    };
    const present = componentsOf(described, view);
    const told = this.#told.get(plant) ?? new Map<string, string>();
    this.#told.set(plant, told);
    for (const [key, { p }] of Object.entries(present)) told.set(key, p);
    const all: Record<string, DiscoveryComponent> = { ...present };
    for (const [key, p] of told) all[key] ??= { p };
    setValue(view.topics.announcement(plant), JSON.stringify(discoveryDocument(described, all, view)));
  }

  /** Takes the announcement that a former run left on the broker: what it names and the plant no longer has goes. */
  found(topic: string, text: string): void {
    const { topics } = this.#options.view();
    const plant = topics.announcedPlant(topic);
    const components = discoveredComponents(text, topics);
    if (plant === undefined || components === undefined) return;
    if (!this.#options.enabled || this.#options.site(plant) === undefined) {
      this.remove(plant);
      return;
    }
    this.#told.set(plant, new Map([...components, ...(this.#told.get(plant) ?? [])]));
    this.announce(plant);
  }

  remove(plant: string): void {
    this.#told.delete(plant);
    this.#options.setValue(this.#options.view().topics.announcement(plant), "");
  }
}
