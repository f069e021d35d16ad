import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import type { Bus } from "../core/bus.js";
import type { Log } from "../core/log.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import { correctionsFromJson, type LoadCorrection } from "../forecast/load/load-corrections.js";
import { type DocumentArchive, restored } from "../store/archive.js";

export interface LoadCorrectionOptions {
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  log: Pick<Log, "warn">;
}

/** What people say of the load that was learned. Stored, so that a restart keeps it. */
export class LoadCorrections {
  readonly #options: LoadCorrectionOptions;
  readonly #sites: SiteParts<{ id: string; corrections: readonly LoadCorrection[] }>;
  readonly #writes = new SerialQueue();

  constructor(options: LoadCorrectionOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: ({ site }) => ({ id: site.id, corrections: [] }) });
  }

  async start(): Promise<void> {
    const { documents, log } = this.#options;
    const warning = "Corrections of the load could not be read; enter them again.";
    await this.#sites.forAll(async (site) => {
      const from = { log, site: site.id, warning };
      site.corrections = await restored(documents, documentName(site.id), correctionsFromJson, from);
    });
  }

  async stop(): Promise<void> {
    await this.#writes.idle();
  }

  /** The same array until they change. */
  of(siteId: string): readonly LoadCorrection[] {
    return this.#sites.get(siteId)?.corrections ?? [];
  }

  /** Says how much a part of the days uses; `kw` null: as learned. Throws StoreError. */
  set(siteId: string, { part, days, kw }: Omit<LoadCorrection, "kw"> & { kw: number | null }): Promise<void> {
    const { bus, documents } = this.#options;
    return this.#writes.run(async () => {
      const site = this.#sites.get(siteId);
      if (site === undefined) return;
      const others = site.corrections.filter((one) => one.part !== part || one.days !== days);
      const corrections = kw === null ? others : [...others, { part, days, kw }];
      await documents.put(documentName(siteId), corrections.length === 0 ? null : corrections);
      site.corrections = corrections;
      bus.emit("load.learned", { siteId });
    });
  }
}

function documentName(siteId: string): string {
  return `load-corrections/${siteId}`;
}
