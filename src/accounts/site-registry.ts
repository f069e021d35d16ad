import { randomBytes } from "node:crypto";
import { type PlantFinding, parsePlant } from "../config/plant.js";
import type { PlantSettings, TelemetryMapEntry } from "../config/settings.js";
import type { Site, Sites } from "../config/site.js";
import type { Bus } from "../core/bus.js";
import type { ControlledMode } from "../core/domain/battery.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { State, StateView } from "../store/state-schema.js";

/** Id of the account created at the first start; it owns the configured plants. */
export const OWNER_ID = "owner";

/** A plant id has at most 32 characters; nine of them make sites of the same name unique. */
const LONGEST_NAME = 23;

/** The portal's settings of a site. */
export interface SiteSettings {
  /** Whole sections of the plant, as in the configuration; each replaces the configured section. */
  plant: Readonly<Record<string, unknown>>;
  /** Topics of other devices; null: the configured ones. */
  telemetry: readonly object[] | null;
  /** The partner's own reference for the site, such as a customer number. */
  customerRef: string;
}

/** A change of settings; see `SiteRegistry.change`. */
export interface SettingsChange {
  plant?: Record<string, unknown>;
  telemetry?: readonly object[] | null;
  customerRef?: string;
}

/** The settings that a change replaced and made. */
export interface ChangedSettings {
  site: Site;
  before: SiteSettings;
  after: SiteSettings;
}

/** Invalid settings: each finding with its path below the plant (or below `telemetry`) and a sentence. */
export class SiteSettingsError extends Error {
  constructor(readonly findings: readonly PlantFinding[]) {
    super(findings.map(({ path, message }) => `${path.join(".")} ${message}`).join(" "));
    this.name = "SiteSettingsError";
  }
}

interface Served {
  site: Site;
  telemetry: readonly TelemetryMapEntry[];
}

/**
 * The sites of the gateway: the configured plants and those created by accounts, each overlaid with its portal settings.
 * Emits an event on the bus for each change, after the settings are on disk.
 */
export class SiteRegistry implements Sites {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #bus: Bus;
  readonly #configured: readonly PlantSettings[];
  readonly #telemetry: readonly TelemetryMapEntry[];
  readonly #controlsOf: (plant: PlantSettings) => readonly ControlledMode[] | undefined;
  readonly #log: Pick<Log, "warn">;
  readonly #served = new Map<string, Served>();
  #list: readonly Site[] = [];

  constructor(options: {
    state: StateFile;
    clock: Clock;
    bus: Bus;
    /** The configured plants, at least one, and the configured topics of other devices. */
    plants: readonly PlantSettings[];
    telemetry: readonly TelemetryMapEntry[];
    /** What the device that controls the battery of a plant can do; undefined: not known. */
    controlsOf?: ((plant: PlantSettings) => readonly ControlledMode[] | undefined) | undefined;
    log: Pick<Log, "warn">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#bus = options.bus;
    this.#configured = options.plants;
    this.#telemetry = options.telemetry;
    this.#controlsOf = options.controlsOf ?? (() => undefined);
    this.#log = options.log;
    const made = this.#state.data.sites.filter(({ id }) => !this.isConfigured(id));
    const owners = [
      ...this.#configured.map(({ id }) => ({ id, accountId: OWNER_ID })),
      ...made.map(({ id, accountId }) => ({ id, accountId })),
    ];
    for (const { id, accountId } of owners) {
      try {
        this.#serve(id, accountId, this.settings(id));
      } catch (error) {
        if (!(error instanceof SiteSettingsError)) throw error;
        // The configuration or the schema has changed: the site is served without its portal settings.
        this.#log.warn({ site: id }, `The portal settings of this site are ignored: ${error.message}`);
        this.#serve(id, accountId, { plant: {}, telemetry: null, customerRef: "" });
      }
    }
    this.#relist();
  }

  list(): readonly Site[] {
    return this.#list;
  }

  get(id: string): Site | undefined {
    return this.#served.get(id)?.site;
  }

  /** The sites of an account in order of creation. */
  of(accountId: string): Site[] {
    return this.#list.filter((site) => site.accountId === accountId);
  }

  /** True for a configured plant, which can only be removed from the configuration file. */
  isConfigured(id: string): boolean {
    return this.#configured.some((plant) => plant.id === id);
  }

  /** The topics of other devices that carry readings of the site. */
  telemetryMap(id: string): readonly TelemetryMapEntry[] {
    return this.#served.get(id)?.telemetry ?? [];
  }

  /** The portal's settings. */
  settings(id: string): SiteSettings {
    return settingsIn(this.#state.data, id);
  }

  /** The site's name and the partner's own reference for it. */
  card(id: string): { label: string; customerRef: string } {
    return { label: this.get(id)?.plant.name ?? id, customerRef: this.settings(id).customerRef };
  }

  /** Creates a site of an account, without location and devices. Throws SiteSettingsError, StoreError. */
  async add(
    accountId: string,
    { label, customerRef }: { label: string; customerRef: string },
  ): Promise<Site> {
    const id = this.#freeId(label);
    const plant = label === "" ? {} : { name: label };
    const settings: SiteSettings = { plant, telemetry: null, customerRef };
    this.#merged(id, settings);
    await this.#state.update((draft) => {
      draft.sites.push({ id, accountId, createdAt: this.#clock.now().toISOString() });
      put(draft, id, settings);
    });
    return this.#changed(id, accountId, settings);
  }

  /**
   * Sets sections of the plant, its topics or its reference. Omitted ones stay; a section that is undefined is reset to the
   * configuration. A function gets the settings that are about to be replaced; an error that it throws changes nothing.
   * Throws SiteSettingsError (nothing is changed then), RangeError for an unknown site, StoreError.
   */
  async change(
    id: string,
    asked: SettingsChange | ((before: SiteSettings) => SettingsChange),
  ): Promise<ChangedSettings> {
    const site = this.get(id);
    if (site === undefined) throw new RangeError(`There is no site "${id}".`);
    const { before, after } = await this.#state.update((draft) => {
      // It may have been removed while this change was queued.
      if (!this.isConfigured(id) && !draft.sites.some((one) => one.id === id))
        throw new RangeError(`There is no site "${id}" any more.`);
      const before = settingsIn(draft, id);
      const change = typeof asked === "function" ? asked(before) : asked;
      const sections = Object.entries({ ...before.plant, ...change.plant });
      const settings: SiteSettings = {
        plant: Object.fromEntries(sections.filter(([, section]) => section !== undefined)),
        telemetry: change.telemetry === undefined ? before.telemetry : change.telemetry,
        customerRef: change.customerRef ?? before.customerRef,
      };
      const { lacking } = this.#merged(id, settings);
      const isAsked = Object.hasOwn(change.plant ?? {}, "battery");
      if (lacking !== undefined && isAsked) throw new SiteSettingsError([lacking]);
      put(draft, id, settings);
      return { before, after: settings };
    });
    return { site: this.#changed(id, site.accountId, after), before, after };
  }

  /** Removes a site that an account created, with its keys, links, webhook, approvals and settings. Throws RangeError, StoreError. */
  async remove(id: string): Promise<void> {
    if (!this.#served.has(id)) throw new RangeError(`There is no site "${id}".`);
    if (this.isConfigured(id))
      throw new RangeError(`Site "${id}" is a plant of the configuration file; remove it there.`);
    await this.#state.update((draft) => {
      draft.sites = draft.sites.filter((site) => site.id !== id);
      draft.keys = draft.keys.filter((key) => key.siteId !== id);
      draft.links = draft.links.filter((link) => link.siteId !== id);
      draft.webhooks = draft.webhooks.filter((webhook) => webhook.siteId !== id);
      draft.mqttApprovals = (draft.mqttApprovals ?? []).filter(({ siteId }) => siteId !== id);
      draft.removedSites = [...(draft.removedSites ?? []), id];
      delete draft.settings[id];
    });
    this.#served.delete(id);
    this.#relist();
    this.#bus.emit("site.removed", { siteId: id });
  }

  #changed(id: string, accountId: string, settings: SiteSettings): Site {
    const site = this.#serve(id, accountId, settings);
    this.#relist();
    this.#bus.emit("site.changed", site);
    return site;
  }

  #serve(id: string, accountId: string, settings: SiteSettings): Site {
    const { plant, telemetry, lacking } = this.#merged(id, settings);
    if (lacking !== undefined) this.#log.warn({ site: id }, `${lacking.message} The plan does without.`);
    const site = { id, accountId, plant };
    this.#served.set(id, { site, telemetry });
    return site;
  }

  /** The configured plants in their order, then the others in order of creation. */
  #relist(): void {
    this.#list = [...this.#served.values()].map(({ site }) => site);
  }

  #merged(
    id: string,
    settings: SiteSettings,
  ): { plant: PlantSettings; telemetry: TelemetryMapEntry[]; lacking?: PlantFinding } {
    const configured = this.#configured.find((plant) => plant.id === id);
    const isFirst = this.#configured[0]?.id === id;
    const topics =
      settings.telemetry ??
      this.#telemetry.filter(({ plant }) => plant === id || (plant === null && isFirst));
    // Entries name their plant in the file; here they belong to one site.
    const own = topics.map((entry) => ({ ...entry, plant: null }));
    const parsed = parsePlant({ ...configuredBelow(configured, settings.plant), ...settings.plant, id }, own);
    if ("findings" in parsed) throw new SiteSettingsError(parsed.findings);
    const { battery } = parsed.plant;
    const possible = battery === null ? undefined : this.#controlsOf(parsed.plant);
    if (battery === null || possible === undefined || possible.length === 0) return parsed;
    const { controls, lacking } = possibleControls(battery.controls, possible);
    const plant = { ...parsed.plant, battery: { ...battery, controls } };
    return { ...parsed, plant, ...(lacking.length > 0 && { lacking: lackingFinding(lacking, possible) }) };
  }

  /** A readable, unused topic level; never that of a former site, whose clients may still be subscribed. */
  #freeId(label: string): string {
    const name = label
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, LONGEST_NAME)
      .replace(/^-+|-+$/g, "");
    return `${name === "" ? "site" : name}-${randomBytes(4).toString("hex")}`;
  }
}

/**
 * The configured plant to overlay. `battery` and `batteries` exclude each other, so portal settings of one replace both;
 * those of the arrays replace their inverters too.
 */
function configuredBelow(
  configured: PlantSettings | undefined,
  own: SiteSettings["plant"],
): Partial<PlantSettings> {
  if (configured === undefined) return {};
  const { battery, batteries, inverters, ...others } = configured;
  const rest = Object.hasOwn(own, "pv") ? others : { ...others, inverters };
  if (Object.hasOwn(own, "battery") || Object.hasOwn(own, "batteries")) return rest;
  // The battery beside several ones is their sum.
  return { ...rest, batteries, battery: batteries.length > 0 ? null : battery };
}

/** What is left of the named controls, and those that the device lacks; where none are named, what it can do. */
function possibleControls(
  named: readonly ControlledMode[] | null,
  possible: readonly ControlledMode[],
): { controls: ControlledMode[]; lacking: ControlledMode[] } {
  const lacking = (named ?? []).filter((mode) => !possible.includes(mode));
  // A device that can only rest does so where the settings name hold.
  const rests = lacking.includes("hold") && possible.includes("standby");
  const isLeft = (mode: ControlledMode) =>
    named === null || named.includes(mode) || (mode === "standby" && rests);
  return { controls: possible.filter(isLeft), lacking };
}

/** What the settings name of a battery's device that it cannot do; undefined: nothing. */
export function lackingControls(
  named: readonly ControlledMode[] | null,
  possible: readonly ControlledMode[],
): PlantFinding | undefined {
  const { lacking } = possibleControls(named, possible);
  return possible.length === 0 || lacking.length === 0 ? undefined : lackingFinding(lacking, possible);
}

function lackingFinding(
  lacking: readonly ControlledMode[],
  possible: readonly ControlledMode[],
): PlantFinding {
  return {
    path: ["battery", "controls"],
    message: `battery.controls names ${lacking.join(", ")}, which the device that controls the battery cannot do; it can ${possible.join(", ")}.`,
    rule: "invalid",
  };
}

function settingsIn({ settings }: StateView, id: string): SiteSettings {
  const kept = settings[id];
  return {
    plant: kept?.plant ?? {},
    telemetry: kept?.telemetry ?? null,
    customerRef: kept?.customerRef ?? "",
  };
}

function put(draft: State, id: string, { plant, telemetry, customerRef }: SiteSettings): void {
  draft.settings[id] = structuredClone({
    plant: { ...plant },
    telemetry: telemetry === null ? null : ([...telemetry] as Record<string, unknown>[]),
    ...(customerRef !== "" && { customerRef }),
  });
}
