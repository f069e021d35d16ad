import type { PlantSettings } from "../../config/settings.js";
import { dayBeginsOf, runSettings } from "../../config/slot-rules.js";
import { contains } from "../../core/domain/interval.js";
import type { Log } from "../../core/log.js";
import type { DocumentArchive } from "../../store/archive.js";
import { answerFlex, type FlexKnowledge, type HorizonCache, horizonEndOf } from "./answer.js";
import type { Delivered } from "./delivered.js";
import type { DeviceState } from "./estimates.js";
import { fitting, running, runRequest, skipping } from "./override.js";
import { slowKw } from "./pace.js";
import type { FlexRequest } from "./request.js";
import { type FlexResult, slowness } from "./result.js";
import type { RunLimits } from "./run-limits.js";
import { type SgPlan, sgReadyOf } from "./sg-ready.js";
import { roomKw, type SlotCosts } from "./slot-costs.js";
import { isInRun, isSameStay, pluggedOf, requestOf, type SlotState, windowIdOf } from "./slot-state.js";
import { limitsOf, type StartBudget } from "./switching.js";

/** What the slots of a site ask of the rest of the gateway. */
export interface SlotSources {
  /** What is known of a slot's device: readings that are not too old. */
  estimator: { state(siteId: string, slot: number): DeviceState | undefined };
  switches: {
    /** The starts that it has commands for; undefined: none switches the slot. */
    startBudget(siteId: string, slot: number): StartBudget | undefined;
    /** The power that the device takes when it is asked for one, kW. */
    takenKw(siteId: string, slot: number, askedKw: number): number;
  };
  /** What a slot's device did between two instants; undefined: what was planned counts. */
  deliveries: { of(siteId: string, slot: number, from: Date, to: Date): Delivered | undefined };
  documents: DocumentArchive;
  log: Log;
}

/** What a slot is planned with. */
export interface SlotContext {
  plant: PlantSettings;
  known: FlexKnowledge;
  cache: HorizonCache;
  /** What the device costs the site; undefined: planned by price. */
  costs: SlotCosts | undefined;
  device: DeviceState | undefined;
  budget: StartBudget | undefined;
}

/** The schedule of a slot with its override; undefined without a demand. Throws FlexInputError and SegmentLimitError. */
export function planSlot(state: SlotState, context: SlotContext): FlexResult | undefined {
  const { override, settings, done } = state;
  const { plant, known, cache } = context;
  if (override?.action !== "run" && override?.action !== "skip") return solve(state, context);
  const { socPct } = context.device ?? {};
  const run =
    override.action === "run"
      ? fitting(
          answerFlex(
            { ...runRequest(settings, override, known.now), plugged: pluggedOf(state) },
            plant,
            known,
            { cache },
          ),
          { settings, socPct, now: known.now, roomKw: (slot) => roomKw(slot, context.costs) },
        )
      : undefined;
  const device = context.device && {
    ...context.device,
    ...(run?.socPct !== undefined && { socPct: run.socPct }),
  };
  // Planned as if it were later; the hours so far still count if the override is taken back.
  const planned = solve(state, { ...context, device, known: { ...known, now: override.until } });
  if (done !== undefined) state.done = done;
  return run === undefined ? planned && skipping(planned, override) : running(run.result, planned, override);
}

/** The states of a slot with SG Ready. */
export function planStates(
  state: SlotState,
  { plant, known, cache, costs }: SlotContext,
): SgPlan | undefined {
  const { timezone: zone } = plant;
  return sgReadyOf(state, { slots: cache.slots(known, zone, 15), costs, now: known.now, zone });
}

/** The demand of a slot as a request; undefined without one. */
export function slotRequest(
  state: SlotState,
  { plant, known, device }: SlotContext,
): FlexRequest | undefined {
  const socPct = steadySoc(state, device?.socPct);
  return requestOf(state, {
    ...device,
    ...(socPct !== undefined && { socPct }),
    now: known.now,
    until: horizonEndOf(known),
    zone: plant.timezone,
  });
}

/** A vehicle that has reached its target counts as full until it has this much less: its reading goes up and down, percent. */
const TOP_UP_PCT = 2;

/** The state of charge that counts for the demand of a vehicle, percent. */
function steadySoc(state: SlotState, socPct: number | undefined): number | undefined {
  const target = state.settings.vehicle?.target_soc_pct;
  if (target === undefined || socPct === undefined) return socPct;
  const isFull = socPct >= target || (state.reachedPct === target && socPct > target - TOP_UP_PCT);
  state.reachedPct = isFull ? target : undefined;
  return isFull ? Math.max(socPct, target) : socPct;
}

/** What the device of a slot allows of switching it. */
export function slotLimits(
  state: SlotState,
  { plant, known, budget }: Pick<SlotContext, "plant" | "known" | "budget">,
  { isRequest = state.recipe !== undefined, moreStarts = 0 } = {},
): RunLimits | undefined {
  // A request is answered exactly as it was made, but for what is set.
  const settings = isRequest ? state.settings : { ...state.settings, ...runSettings(state.settings) };
  const { max_starts_per_day: most } = settings;
  return limitsOf(
    { ...settings, max_starts_per_day: most === null ? null : most + moreStarts },
    {
      budget,
      switching: state.switching,
      isPlugged: pluggedOf(state) !== 0,
      now: known.now,
      zone: plant.timezone,
      dayBegins: dayBeginsOf(settings),
    },
  );
}

/** The request at the power that a slow vehicle takes, and what it is asked for then: its time until the departure is to suffice. */
function atPace(
  { pace, settings, override }: SlotState,
  request: FlexRequest,
): { request: FlexRequest; askedKw?: number | undefined } {
  const isInEnergy = settings.kind === "wallbox" && request.energyKwh !== undefined;
  const kw = isInEnergy && override?.action !== "run" ? slowKw(pace, request.maxPowerKw) : undefined;
  return kw === undefined
    ? { request }
    : { request: { ...request, maxPowerKw: kw }, askedKw: request.maxPowerKw };
}

/** Asks for full power where the device is expected to take all that it can. */
function askingFor(result: FlexResult, askedKw: number): FlexResult {
  const slots = result.slots.map(({ setPointKw, ...slot }) =>
    setPointKw === undefined || setPointKw >= (result.powerKw ?? 0) ? slot : { ...slot, setPointKw },
  );
  return { ...result, slots, askedKw };
}

/** The joint plan has nothing for a device that is away until after its window: it is planned as if it came now. */
function costsOf(state: SlotState, { window }: FlexRequest, costs: SlotCosts | undefined) {
  const { returnsAt, settings } = state;
  const end = window?.kind === "fixed" ? window.end : undefined;
  const comesBack = returnsAt !== undefined && end !== undefined && returnsAt < end;
  if (costs?.kwh === undefined || pluggedOf(state) !== 0 || comesBack || settings.vehicle?.surplus === "only")
    return costs;
  const { steps, ctKwh, surplusKwh = [] } = costs;
  return { steps, ctKwh, surplusKwh };
}

function solve(state: SlotState, context: SlotContext): FlexResult | undefined {
  const { plant, known, cache } = context;
  const asked = slotRequest(state, context);
  if (asked === undefined) return undefined;
  const { askedKw, request } = atPace(state, asked);
  const costs = costsOf(state, request, context.costs);
  // A run in progress is not replaced by a better one: that would make two runs.
  if (state.result !== undefined && isInRun(state.result, known.now))
    return { ...state.result, plugged: pluggedOf(state) };
  const answerIn = (limits: RunLimits | undefined, done: SlotState["done"]) => {
    const result = answerFlex(request, plant, known, {
      cache,
      // Hours at the asked power, whatever the device took by then.
      done: done && { ...done, hours: done.hours / slowness({ powerKw: request.maxPowerKw, askedKw }) },
      costs,
      limits,
      previous: state.result,
    });
    return askedKw === undefined ? result : askingFor(result, askedKw);
  };
  const limits = slotLimits(state, context);
  const answer = (done: SlotState["done"]) => {
    let result = answerIn(limits, done);
    if (state.settings.kind !== "wallbox") return result;
    // A vehicle is started once more rather than leave without its energy.
    for (let more = 1; result.unmetHours > 0 && limits !== undefined; more++) {
      const next = answerIn(slotLimits(state, context, { moreStarts: more }), done);
      if (next.unmetHours >= result.unmetHours) break;
      result = next;
    }
    return result;
  };
  // The state of charge of a vehicle already contains what was charged.
  const isBySoc =
    state.recipe === undefined && state.settings.vehicle !== null && context.device?.socPct !== undefined;
  if (isBySoc) delete state.done;
  const result = answer(state.done);
  if (state.pace !== undefined && !isSameStay(state))
    if (state.pace.windowId.getTime() !== windowIdOf(state, result).getTime()) {
      // Maybe another vehicle.
      delete state.pace;
      return solve(state, context);
    }
  const isOther = (id: Date | undefined) =>
    id !== undefined && state.recipe === undefined && id.getTime() !== windowIdOf(state, result).getTime();
  const { store } = state.settings;
  // The window of a tank moves on with the time; its thermostat opens before it is cold.
  const hasNoNeed =
    state.recipe === undefined && store !== null
      ? (context.device?.temperatureC ?? store.min_c) > store.min_c
      : result.demandHours === 0 || (isOther(state.idle?.windowId) && !isSameStay(state));
  if (hasNoNeed) delete state.idle;
  if (!isOther(state.done?.windowStart)) return result;
  // In this window began the one of a request that has ended.
  if (state.done !== undefined && (isSameStay(state) || contains(result.window, state.done.windowStart))) {
    state.done = { ...state.done, windowStart: windowIdOf(state, result) };
    return result;
  }
  // The next day's window begins with nothing completed.
  delete state.done;
  return answer(undefined);
}
