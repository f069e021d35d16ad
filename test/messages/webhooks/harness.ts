import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { webhookEvents } from "../../../src/api/documents/webhook-events.js";
import { defaultSettings } from "../../../src/config/load.js";
import { createBus } from "../../../src/core/bus.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import type { Log } from "../../../src/core/log.js";
import type { ForecastRun } from "../../../src/forecast/price/forecast.js";
import type { EventSite } from "../../../src/messages/webhooks/event-documents.js";
import { Webhooks, type WebhooksOptions } from "../../../src/messages/webhooks/service.js";
import { StateFile } from "../../../src/store/state.js";
import { componentOf } from "../../support/components.js";
import { manualClock } from "../../support/manual-clock.js";

export const START = new Date("2026-01-15T00:00:00Z");
/** Wall time of the signatures, Unix seconds; differs from the clock, as in a replay. */
export const WALL_SECONDS = 1_900_000_000;

export interface Disk {
  folder: string;
  documents: Map<string, unknown>;
}

export function newDisk(): Disk {
  return { folder: mkdtempSync(join(tmpdir(), "hourgate-webhooks-")), documents: new Map() };
}

export function removeDisk({ folder }: Disk): void {
  rmSync(folder, { recursive: true });
}

/** Webhooks with a manual clock and a real state file; timers fire when the test calls `elapse`. */
export async function webhooksOn(
  disk: Disk,
  changes: Partial<WebhooksOptions> & { cards?: Map<string, EventSite> },
) {
  const { cards = new Map<string, EventSite>(), ...others } = changes;
  const clock = manualClock(START);
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { info: write, warn: write, error: write, debug: write, trace: write };
  const timers = new Map<() => void, number>();
  const plant = defaultSettings().plants[0]!;
  const written: (() => void)[] = [];
  const webhooks = new Webhooks({
    clock,
    bus,
    components,
    state: await StateFile.open(join(disk.folder, "state.json"), log),
    documents: {
      get: async (name) => structuredClone(disk.documents.get(name)),
      put: async (name, value) => {
        disk.documents.set(name, JSON.parse(JSON.stringify(value)));
        for (const resolve of written.splice(0)) resolve();
      },
    },
    sites: {
      get: (id) => (id === "nowhere" ? undefined : { id, accountId: "owner", plant: { ...plant, id } }),
    },
    events: webhookEvents,
    baseUrl: () => "http://192.168.1.5:8080/",
    siteCard: (siteId) => cards.get(siteId),
    allowPrivateHosts: true,
    version: "1.2.3",
    log,
    startTimer: (ms, callback) => {
      timers.set(callback, ms);
      return () => void timers.delete(callback);
    },
    wallNowMs: () => WALL_SECONDS * 1000 + 999,
    ...others,
  });
  await webhooks.start();
  return {
    webhooks,
    bus,
    clock,
    components,
    lines,
    /** Fires the running timers of this length. */
    elapse: (ms: number) => {
      for (const [callback, after] of [...timers]) if (after === ms) callback();
    },
    /** Number of deliveries in progress (timers running). */
    underWay: () => [...timers.values()].filter((ms) => ms === 10_000).length,
    /** Resolves when this number of deliveries of the site is stored. */
    recorded: async (siteId: string, count: number) => {
      const onDisk = () =>
        (disk.documents.get(`webhook/${siteId}`) as { deliveries: unknown[] } | undefined)?.deliveries
          .length ?? 0;
      while (onDisk() < count) await new Promise<void>((resolve) => written.push(resolve));
    },
    forecastRun: (trigger: ForecastRun["trigger"] = "scheduled") =>
      void bus.emit("forecast.updated", {
        issuedAt: clock.now(),
        trigger,
        modelVersion: "ridge-1",
        tier: "ridge",
        hours: [],
      }),
    state: () => componentOf(components, "webhooks"),
  };
}
