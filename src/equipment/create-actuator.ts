import type { ActuatorSettings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import { HOUR_MS, MINUTE_MS } from "../core/domain/interval.js";
import type { LiveState } from "../core/domain/sample.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import { dayOf, localDate } from "../core/time/zone.js";
import type { SitePlan } from "../plan/site-plan.js";
import type { SlotPlan } from "../plan/windows/slot-schedule.js";
import { type DocumentArchive, restored } from "../store/archive.js";
import { Actuator } from "./actuator.js";
import { DeviceError } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import { batteryPowers } from "./effect-proof.js";
import type { Variables } from "./expression.js";
import { ledgerFromJson, ledgerToJson } from "./ledger.js";
import { parseControls } from "./states.js";
import { createTransport, type TransportSources } from "./transport/create.js";
import type { LiveVariable } from "./variables.js";
import { type Wanted, wantedOfBattery, wantedOfFeedIn, wantedOfSgReady, wantedOfSlot } from "./wanted.js";

export interface ActuatorSources extends WantedSources, TransportSources {
  documents: DocumentArchive;
  sites: { get(id: string): Site | undefined };
  random?: () => number;
  /** What is wrong if another device is at the address of one that is also read. */
  wrongDevice?(siteId: string, id: string): string | undefined;
  log: Log;
}

/** The actuator of a device, with its ledger from the store. Throws ActuatorInputError. */
export async function createActuator(
  sources: ActuatorSources,
  {
    site,
    settings,
    device,
    isTakeOver,
    onChange,
  }: {
    site: Site;
    settings: ActuatorSettings;
    device: DeviceCommands;
    isTakeOver: boolean;
    onChange(): void;
  },
): Promise<Actuator> {
  const { clock, documents, log, random = Math.random } = sources;
  const zone = site.plant.timezone;
  const name = ledgerName(site.id, settings.id);
  const ledger = await restored(documents, name, ledgerFromJson, {
    log,
    site: site.id,
    warning: "The ledger of an actuator could not be read.",
  });
  const pace = device.pace();
  const transport = createTransport(sources, { siteId: site.id, device });
  return new Actuator({
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
    ledger,
    isTakeOver,
    save: (ledger) => documents.put(name, ledgerToJson(ledger)),
    wanted: () => wantedNow(sources, site.id, settings.controls),
    ...(parseControls(settings.controls)?.control === "battery" && {
      measured: () => batteryPowers(sources.sites.get(site.id), () => sources.live(site.id)),
    }),
    refusal: () => {
      const message = sources.wrongDevice?.(site.id, settings.id);
      return message === undefined ? undefined : new DeviceError("wrong_device", message);
    },
    live: () => liveValues(sources, site.id, device.needs),
    day: (now) => ({
      day: localDate(now, zone),
      leftMs: dayOf(now, zone).end.getTime() - now.getTime(),
    }),
    onChange,
    random,
    log,
  });
}

/** Name of the document with the ledger of an actuator. */
export function ledgerName(siteId: string, id: string): string {
  return `actuator/${siteId}/${id}`;
}

/** A later actuator of the same id starts with its own switches; what is still set on the device stays known. */
export async function forgetSwitches(
  { documents, log }: Pick<ActuatorSources, "documents" | "log">,
  siteId: string,
  id: string,
): Promise<void> {
  const name = ledgerName(siteId, id);
  try {
    const ledger = ledgerFromJson(await documents.get(name));
    await documents.put(
      name,
      ledger.owned === null ? null : ledgerToJson({ ...ledger, switches: {}, log: [] }),
    );
  } catch (error) {
    log.warn({ err: error, site: siteId }, "The ledger of a removed actuator could not be deleted.");
  }
}

/** A plan older than this is not used; it is renewed each quarter-hour. */
const OLDEST_PLAN_MS = 45 * MINUTE_MS;
const TELEMETRY_MS = HOUR_MS / 4;

/** Where the wanted states come from. */
interface WantedSources {
  clock: Clock;
  plan(siteId: string): SitePlan | undefined;
  slots(siteId: string): readonly SlotPlan[];
  live(siteId: string): LiveState;
}

/** What the plan asks of an actuator now; undefined without a usable plan. */
function wantedNow(
  { clock, plan: planOf, slots }: WantedSources,
  siteId: string,
  controls: string,
): Wanted | undefined {
  const now = clock.now();
  const { control, slot } = parseControls(controls)!;
  if (control === "battery" || control === "feed_in") {
    const plan = planOf(siteId);
    if (plan === undefined || now.getTime() - plan.issuedAt.getTime() > OLDEST_PLAN_MS) return undefined;
    if (control === "feed_in") return wantedOfFeedIn(plan.scalars);
    const wanted = wantedOfBattery(plan.scalars);
    return wanted && { ...wanted, isByHand: plan.override !== undefined };
  }
  const plans = slots(siteId);
  const plan =
    slot === undefined
      ? plans.find((one) => one.settings.kind === "heat_pump")
      : plans.find((one) => one.slot === slot);
  if (plan === undefined) return undefined;
  return control === "slot" ? wantedOfSlot(plan, now) : wantedOfSgReady(plan, now);
}

/** Of readings that a command follows. */
const NEEDED_MS = 45_000;

/** The telemetry that expressions may use. */
function liveValues(
  { clock, live }: WantedSources,
  siteId: string,
  needs: readonly LiveVariable[],
): Variables {
  const nowMs = clock.now().getTime();
  let state: LiveState;
  try {
    state = live(siteId);
  } catch {
    return {};
  }
  const fresh = (variable: LiveVariable, name: keyof LiveState, factor: number) => {
    const reading = state[name];
    const longestMs = needs.includes(variable) ? NEEDED_MS : TELEMETRY_MS;
    if (reading === undefined || nowMs - reading.at.getTime() > longestMs) return { [variable]: null };
    return { [variable]: Math.round(reading.value * factor) };
  };
  return {
    ...fresh("soc_pct", "soc_pct", 1),
    ...fresh("load_w", "load_power_kw", 1000),
    ...fresh("pv_w", "pv_power_kw", 1000),
    ...fresh("battery_w", "battery_power_kw", 1000),
    ...fresh("grid_w", "grid_power_kw", 1000),
  };
}
