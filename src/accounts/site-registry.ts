import { randomBytes } from "node:crypto";
import type { Bus } from "../bus.js";
import { type PlantFinding, parsePlant } from "../config/plant.js";
import type { PlantSettings, TelemetryMapEntry } from "../config/settings.js";
import type { Log } from "../log.js";
import type { State, StateFile, StateView } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import type { Site, Sites } from "./sites.js";

/** Id of the account that the gateway makes at its first start; the plants of the configuration are its own. */
export const OWNER_ID = "owner";

/** A plant id has at most 32 characters; nine of them tell sites of one name apart. */
const LONGEST_NAME = 23;

/** What is set in the portal for a site. */
export interface SiteSettings {
  /** Whole sections of the plant, as in the configuration; each stands in place of the configured one. */
  plant: Readonly<Record<string, unknown>>;
  /** Topics of other devices; null: those of the configuration. */
  telemetry: readonly object[] | null;
  /** The partner's own reference for the site, such as a customer number. */
  customerRef: string;
}

/** Settings that do not fit, each finding with its place below the plant (or below `telemetry`) and a sentence. */
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
 * The sites that the gateway serves: the plants of the configuration and those that accounts made, each with what was
 * set in the portal laid over it. Tells the bus of each change; the settings of a site are on disk before anybody hears.
 */
export class SiteRegistry implements Sites {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #bus: Bus;
  readonly #configured: readonly PlantSettings[];
  readonly #telemetry: readonly TelemetryMapEntry[];
  readonly #served = new Map<string, Served>();
  #list: readonly Site[] = [];

  constructor(options: {
    state: StateFile;
    clock: Clock;
    bus: Bus;
    /** The plants of the configuration, at least one, and its topics of other devices. */
    plants: readonly PlantSettings[];
    telemetry: readonly TelemetryMapEntry[];
    log: Pick<Log, "warn">;
  }) {
    this.#state = options.state;
    this.#clock = options.clock;
    this.#bus = options.bus;
    this.#configured = options.plants;
    this.#telemetry = options.telemetry;
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
        // Another configuration below it, or another version of the schema: a house without its portal settings still runs.
        options.log.warn({ site: id }, `The portal's settings of this site do not hold: ${error.message}`);
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

  /** The sites of an account, in order of their making. */
  of(accountId: string): Site[] {
    return this.#list.filter((site) => site.accountId === accountId);
  }

  /** True for a plant of the configuration file, which only that file can remove. */
  isConfigured(id: string): boolean {
    return this.#configured.some((plant) => plant.id === id);
  }

  /** The topics of other devices that tell readings of the site. */
  telemetryMap(id: string): readonly TelemetryMapEntry[] {
    return this.#served.get(id)?.telemetry ?? [];
  }

  /** What was set in the portal. */
  settings(id: string): SiteSettings {
    return settingsIn(this.#state.data, id);
  }

  /** How a partner knows the site: its name and the partner's own reference. */
  card(id: string): { label: string; customerRef: string } {
    return { label: this.get(id)?.plant.name ?? id, customerRef: this.settings(id).customerRef };
  }

  /** Makes a site of an account, without a place and without devices. Throws SiteSettingsError, StoreError. */
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
   * Sets sections of the plant, its topics or its reference; what is left out stays, a section that is undefined goes back
   * to the configuration. Throws SiteSettingsError (nothing is changed then), RangeError for no such site, StoreError.
   */
  async change(
    id: string,
    change: { plant?: Record<string, unknown>; telemetry?: readonly object[] | null; customerRef?: string },
  ): Promise<Site> {
    const site = this.get(id);
    if (site === undefined) throw new RangeError(`There is no site "${id}".`);
    const after = await this.#state.update((draft) => {
      // It may have been removed while this change waited for its turn.
      if (!this.isConfigured(id) && !draft.sites.some((one) => one.id === id))
        throw new RangeError(`There is no site "${id}" any more.`);
      const before = settingsIn(draft, id);
      const sections = Object.entries({ ...before.plant, ...change.plant });
      const settings: SiteSettings = {
        plant: Object.fromEntries(sections.filter(([, section]) => section !== undefined)),
        telemetry: change.telemetry === undefined ? before.telemetry : change.telemetry,
        customerRef: change.customerRef ?? before.customerRef,
      };
      this.#merged(id, settings);
      put(draft, id, settings);
      return settings;
    });
    return this.#changed(id, site.accountId, after);
  }

  /** Ends a site that an account made, with its keys, links, webhook and settings. Throws RangeError, StoreError. */
  async remove(id: string): Promise<void> {
    if (!this.#served.has(id)) throw new RangeError(`There is no site "${id}".`);
    if (this.isConfigured(id))
      throw new RangeError(`Site "${id}" is a plant of the configuration file; remove it there.`);
    await this.#state.update((draft) => {
      draft.sites = draft.sites.filter((site) => site.id !== id);
      draft.keys = draft.keys.filter((key) => key.siteId !== id);
      draft.links = draft.links.filter((link) => link.siteId !== id);
      draft.webhooks = draft.webhooks.filter((webhook) => webhook.siteId !== id);
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
    const { plant, telemetry } = this.#merged(id, settings);
    const site = { id, accountId, plant };
    this.#served.set(id, { site, telemetry });
    return site;
  }

  /** The configured plants first, in their order, then the others in order of their making. */
  #relist(): void {
    this.#list = [...this.#served.values()].map(({ site }) => site);
  }

  #merged(id: string, settings: SiteSettings): { plant: PlantSettings; telemetry: TelemetryMapEntry[] } {
    const configured = this.#configured.find((plant) => plant.id === id);
    const isFirst = this.#configured[0]?.id === id;
    const topics =
      settings.telemetry ??
      this.#telemetry.filter(({ plant }) => plant === id || (plant === null && isFirst));
    // Entries name their plant in the file; here they belong to the site.
    const own = topics.map((entry) => ({ ...entry, plant: null }));
    const parsed = parsePlant({ ...configured, ...settings.plant, id }, own);
    if ("findings" in parsed) throw new SiteSettingsError(parsed.findings);
    return parsed;
  }

  /** A topic level that people recognise and nobody has: never that of a former site, whose clients may still listen. */
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
