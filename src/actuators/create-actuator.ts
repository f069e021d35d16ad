import type { Site } from "../accounts/sites.js";
import type { ActuatorSettings } from "../config/settings.js";
import { MINUTE_MS } from "../domain/interval.js";
import type { Log } from "../log.js";
import type { DocumentArchive } from "../store/archive.js";
import { dayOf, localDate } from "../time/zone.js";
import { Actuator } from "./actuator.js";
import type { DeviceCommands } from "./device-commands.js";
import { ledgerFromJson, ledgerToJson } from "./ledger.js";
import { liveValues, type WantedSources, wantedNow } from "./plan-sources.js";
import { createTransport, type TransportSources } from "./transport/create.js";

export interface ActuatorSources extends WantedSources, TransportSources {
  documents: DocumentArchive;
  random?: () => number;
  log: Log;
}

/** The actuator of a device, with its ledger from the store. Throws ActuatorInputError. */
export async function createActuator(
  sources: ActuatorSources,
  {
    site,
    settings,
    device,
    onChange,
  }: { site: Site; settings: ActuatorSettings; device: DeviceCommands; onChange(): void },
): Promise<Actuator> {
  const { clock, documents, log, random = Math.random } = sources;
  const zone = site.plant.timezone;
  const name = ledgerName(site.id, settings.id);
  const stored = await documents.get(name).catch((error: unknown) => {
    log.warn({ err: error, site: site.id }, "The ledger of an actuator could not be read.");
    return undefined;
  });
  const pace = device.pace();
  let actuator: Actuator | undefined;
  const transport = createTransport(sources, {
    siteId: site.id,
    device,
    onConnection: () => actuator?.update(),
  });
  actuator = new Actuator({
    device,
    transport,
    clock,
    pace: {
      ...pace,
      minDwellMs: settings.min_dwell_s === null ? pace.minDwellMs : settings.min_dwell_s * 1000,
      maxWritesPerDay: settings.max_writes_per_day ?? pace.maxWritesPerDay,
    },
    externalMs: settings.external_minutes * MINUTE_MS,
    enabled: settings.enabled,
    dryRun: settings.dry_run,
    ledger: ledgerFromJson(stored),
    save: (ledger) => documents.put(name, ledgerToJson(ledger)),
    wanted: () => wantedNow(sources, site.id, settings.controls),
    live: () => liveValues(sources, site.id),
    day: (now) => ({
      day: localDate(now, zone),
      leftMs: dayOf(now, zone).end.getTime() - now.getTime(),
    }),
    onChange,
    random,
    log,
  });
  return actuator;
}

/** Name of the document with the ledger of an actuator. */
export function ledgerName(siteId: string, id: string): string {
  return `actuator/${siteId}/${id}`;
}
