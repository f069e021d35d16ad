import { OWNER_ID } from "../../../accounts/site-registry.js";
import type { Site } from "../../../config/site.js";
import type { Language } from "../../../core/language.js";
import type { Cancel } from "../../../core/time/clock.js";
import type { Missing } from "../../../plan/site-plan.js";
import { textsOf } from "../../../texts/index.js";
import type { PublishQueue } from "../client/publish-queue.js";
import type { MqttOptions } from "../options.js";
import { countersOf } from "../topics/display.js";
import type { Topics } from "../topics/topics.js";
import { AnnouncedDevices } from "./announced-devices.js";
import {
  type AnnouncementView,
  announcedEntities,
  announcedOptions,
  announcementOf,
  attributesOf,
  attributesTopic,
  type Components,
  componentsOf,
  stubOf,
  withoutGone,
  withStubs,
} from "./announcement.js";
import { devicesOf } from "./devices.js";
import type { AnnouncedDevice, Entity } from "./entity.js";
import { plantOf, textLanguage } from "./plant.js";

interface Description {
  devices: readonly AnnouncedDevice[];
  language: Language;
}

/** The publish queue, as the discovery uses it. */
export type DiscoveryQueue = Pick<
  PublishQueue,
  "setValue" | "forgetValue" | "repeatValue" | "value" | "sendMessage"
>;

export type DiscoveryOptions = Pick<
  MqttOptions,
  "accounts" | "baseUrl" | "clock" | "documents" | "languageOf" | "log" | "plans" | "version"
> & {
  sites: Pick<MqttOptions["sites"], "get">;
  settings: Pick<MqttOptions["settings"], "homeassistant" | "external">;
  slots: Pick<MqttOptions["slots"], "documents">;
  display: Pick<MqttOptions["display"], "live">;
  devices: Pick<MqttOptions["devices"], "list">;
};

/** Home Assistant drops an announcement that arrives while the one before it is processed. */
const PAUSE_MS = 10_000;
/** Home Assistant has reconnected to the embedded broker by then, or is off. */
const RECONNECT_MS = 60_000;
/** An external broker has sent the announcements of the previous run by then. */
const LISTEN_MS = 2_000;
/** Unloads the entities of a device; Home Assistant keeps their names, areas and ids for the next announcement. */
const UNLOAD = JSON.stringify({ migrate_discovery: true });

/** Announces the devices of the plants to Home Assistant and removes what no longer exists. */
export class HomeAssistantDiscovery {
  readonly #options: DiscoveryOptions;
  readonly #topics: Topics;
  readonly #queue: DiscoveryQueue;
  readonly #announced: AnnouncedDevices;
  readonly #birthTopic: string;
  /** The devices of the plants, as announced. */
  readonly #described = new Map<string, Description>();
  /**
   * Plants whose entities are unloaded before they are announced again: Home Assistant takes neither an entity that another
   * device still has nor other words for a state that it shows.
   */
  readonly #reloading = new Map<string, Cancel>();
  /** Announcements of the previous run without what is gone, by topic: what is unloaded could no longer be removed. */
  readonly #left = new Map<string, string>();
  readonly #cancels = new Set<Cancel>();
  /** Plants of other accounts: of a deleted account nothing is kept, and its Home Assistant can no longer connect. */
  readonly #guests = new Set<string>();
  /** What the previous run announced is known. */
  #hasListened: boolean;

  constructor(options: DiscoveryOptions, topics: Topics, queue: DiscoveryQueue) {
    this.#options = options;
    this.#hasListened = options.settings.external.url === null;
    this.#topics = topics;
    this.#queue = queue;
    this.#announced = new AnnouncedDevices(options.documents, options.log);
    this.#birthTopic = `${options.settings.homeassistant.prefix}/status`;
  }

  get #isEnabled(): boolean {
    return this.#options.settings.homeassistant.enabled;
  }

  /** Restores what earlier runs announced, and removes what is gone; everything if discovery is off. */
  async start(): Promise<void> {
    await this.#announced.load();
    for (const plant of [...this.#announced.all().keys()])
      if (!this.#isEnabled || this.#site(plant) === undefined) this.remove(plant);
  }

  /** Resolves when everything is stored. */
  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    await this.#announced.idle();
  }

  /** Filters of Home Assistant's messages. */
  filters(): string[] {
    return this.#isEnabled || this.#announced.hasGone ? [this.#birthTopic] : [];
  }

  /** Whether clients must not be answered on the topic. */
  isReserved(topic: string): boolean {
    return topic === this.#birthTopic;
  }

  receive(topic: string, text: string, { retained }: { retained: boolean }): void {
    if (retained && this.#topics.announced(topic) !== undefined) this.found(topic, text);
    if (topic !== this.#birthTopic) return;
    if (text === "online" && !retained) this.#born();
    if (text === "offline") this.disconnected();
  }

  connected(): void {
    if (this.#hasListened) return;
    this.#after(LISTEN_MS, () => {
      this.#hasListened = true;
      for (const { id } of this.#options.accounts.sites()) this.announce(id);
    });
  }

  /** Whether Home Assistant is connected is not known. */
  disconnected(): void {
    this.#announced.isHere = false;
  }

  /** Publishes the current devices. A removed entity is listed with its platform only, which deletes it. */
  announce(plant: string): void {
    const described = this.#describe(plant);
    if (!this.#isEnabled || described === undefined) return;
    this.#described.set(plant, described);
    if (this.#hasListened && !this.#reloading.has(plant)) {
      const { devices } = described;
      if (
        devices.some((device) =>
          this.#mustReload(device, this.#queue.value(this.#topics.announcement(plant, device.id))),
        )
      )
        this.#reload(plant, PAUSE_MS);
      else this.#publishAll(plant, devices);
    }
    this.explain(plant);
  }

  /** Publishes why states are unknown. */
  explain(plant: string): void {
    const described = this.#described.get(plant);
    if (described === undefined) return;
    const { unknown: reasons } = textsOf(described.language).homeAssistant;
    const lacks = this.#missing(plant);
    const reasonOf = ({ unknown, needsPlan }: Entity) =>
      needsPlan && lacks !== undefined ? reasons.plan[lacks] : reasons.of[unknown!];
    for (const { id, entities } of described.devices)
      this.#queue.setValue(
        attributesTopic(plant, id, this.#topics),
        JSON.stringify(attributesOf(entities, (topic) => this.#queue.value(topic), reasonOf)),
      );
  }

  /** Called with an announcement of a previous run, which may be that of an earlier version. */
  found(topic: string, text: string): void {
    const to = this.#topics.announced(topic);
    const entities = announcedEntities(text, this.#topics);
    if (to === undefined || entities === undefined) return;
    const { plant, device } = to;
    this.#announced.add(plant, device, entities);
    if (!this.#isEnabled || this.#site(plant) === undefined) {
      this.remove(plant);
      return;
    }
    const { devices } = this.#describe(plant)!;
    const present = devices.find(({ id }) => id === device);
    const hasMoved = devices.some(
      (one) => one.id !== device && one.entities.some(({ key }) => entities.has(key)),
    );
    if (hasMoved || (present !== undefined && this.#mustReload(present, text))) {
      for (const { id } of devices) this.#queue.forgetValue(this.#topics.announcement(plant, id));
      const keys = new Set(devices.flatMap((one) => one.entities.map(({ key }) => key)));
      const left = withoutGone(text, keys);
      if (left !== undefined) this.#left.set(topic, left);
      this.#reload(plant, this.#options.settings.external.url === null ? RECONNECT_MS : PAUSE_MS);
    } else this.announce(plant);
  }

  remove(plant: string): void {
    this.#reloading.get(plant)?.();
    this.#reloading.delete(plant);
    this.#described.delete(plant);
    for (const id of [...this.#announced.of(plant).keys()]) this.#clear(plant, id);
  }

  /** Home Assistant has started, or is connected again. */
  #born(): void {
    this.#announced.isHere = true;
    for (const plant of [...this.#reloading.keys()]) this.#reload(plant, PAUSE_MS);
    for (const [plant, devices] of this.#announced.all())
      for (const device of devices.keys()) this.#repeat(plant, device);
    this.#announced.settle();
    for (const gone of this.#announced.takeGone()) {
      const { plant, device } = gone;
      const topic = this.#topics.announcement(plant, device);
      this.#showThenRemove(topic, JSON.stringify(stubOf(gone, this.#view())), () => {
        if (!this.#announced.of(plant).has(device)) this.#queue.sendMessage(topic, "");
      });
    }
  }

  /** Announces a device again, and removes the entities that it no longer has. */
  #repeat(plant: string, device: string): void {
    const topic = this.#topics.announcement(plant, device);
    const repeat = () => this.#queue.repeatValue(topic);
    const text = this.#queue.value(topic) ?? "";
    const entities = this.#announced.left(plant, device);
    if (text === "" || entities.size === 0 || this.#reloading.has(plant)) repeat();
    else this.#showThenRemove(topic, withStubs(text, { plant, device, entities }, this.#topics), repeat);
  }

  /** What Home Assistant does not know in this run is not removed by its lack alone. */
  #showThenRemove(topic: string, shown: string, remove: () => void): void {
    this.#queue.sendMessage(topic, shown);
    this.#after(PAUSE_MS, remove);
  }

  #site(plant: string): Site | undefined {
    return this.#options.sites.get(plant);
  }

  #view(): AnnouncementView {
    return { topics: this.#topics, version: this.#options.version, baseUrl: this.#options.baseUrl() };
  }

  /** What the plant lacks for a plan; undefined: it has one. */
  #missing(plant: string): Missing | undefined {
    const { plans } = this.#options;
    if (plans.current(plant) !== undefined) return undefined;
    if (!this.#site(plant)?.plant.battery) return "battery";
    return plans.present(plant) === undefined ? "prices" : "soc";
  }

  #after(ms: number, callback: () => void): Cancel {
    const { clock } = this.#options;
    const stop = clock.at(new Date(clock.now().getTime() + ms), () => {
      this.#cancels.delete(cancel);
      callback();
    });
    const cancel = () => {
      this.#cancels.delete(cancel);
      stop();
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  #describe(plant: string): Description | undefined {
    const site = this.#site(plant);
    if (site === undefined) return undefined;
    if (site.accountId !== OWNER_ID) this.#guests.add(plant);
    const language = textLanguage(this.#options, site);
    const { display, devices, slots } = this.#options;
    const described = plantOf(
      site,
      slots.documents(plant),
      countersOf(display.live(plant)),
      devices.list(plant),
    );
    return { devices: devicesOf(described, { topics: this.#topics, language }), language };
  }

  #publish(plant: string, device: AnnouncedDevice): void {
    const present = componentsOf(plant, device, this.#topics);
    const components: Record<string, Components[string]> = { ...present };
    for (const [key, p] of this.#announced.of(plant).get(device.id) ?? []) components[key] ??= { p };
    const platforms = new Map(Object.entries(present).map(([key, { p }]) => [key, p]));
    this.#announced.present(plant, device.id, platforms);
    this.#queue.setValue(
      this.#topics.announcement(plant, device.id),
      JSON.stringify(announcementOf(plant, device, components, this.#view())),
    );
  }

  #clear(plant: string, device: string): void {
    this.#announced.remove(plant, device, { isTold: !this.#guests.has(plant) });
    this.#queue.setValue(this.#topics.announcement(plant, device), "");
    this.#queue.setValue(attributesTopic(plant, device, this.#topics), "");
  }

  #publishAll(plant: string, devices: readonly AnnouncedDevice[]): void {
    for (const id of [...this.#announced.of(plant).keys()])
      if (!devices.some((device) => device.id === id)) this.#clear(plant, id);
    for (const device of devices) this.#publish(plant, device);
  }

  /** Whether the words of a state are not those that the announcement has. */
  #mustReload(device: AnnouncedDevice, before: string | undefined): boolean {
    const options = before === undefined ? new Map<string, string>() : announcedOptions(before);
    return device.entities.some(({ key, config }) => {
      const known = options.get(key);
      return known !== undefined && known !== JSON.stringify(config.options);
    });
  }

  /** Removes what is gone, unloads the entities of a plant and announces them again, each after a pause. */
  #reload(plant: string, pauseMs: number): void {
    this.#reloading.get(plant)?.();
    const topics = [...this.#announced.of(plant).keys()].map((id) => this.#topics.announcement(plant, id));
    const left = topics.filter((topic) => this.#left.has(topic));
    const publish = () => {
      this.#reloading.delete(plant);
      for (const topic of left) this.#left.delete(topic);
      const described = this.#describe(plant);
      if (described !== undefined) this.#publishAll(plant, described.devices);
    };
    const unload = () => {
      for (const topic of topics) this.#queue.sendMessage(topic, UNLOAD);
      this.#reloading.set(plant, this.#after(pauseMs, publish));
    };
    for (const topic of left) this.#queue.sendMessage(topic, this.#left.get(topic)!);
    if (left.length === 0) unload();
    else this.#reloading.set(plant, this.#after(PAUSE_MS, unload));
  }
}
