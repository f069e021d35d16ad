import type { PlantSettings, SlotSettings } from "../../config/settings.js";
import { DAY_MS, type EnergyStep, HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { countedOf, type Delivered } from "./delivered.js";
import { type DeviceState, isTriedInVain, type TankHeat } from "./estimates.js";
import { tankRequest } from "./heat-store.js";
import { nextPace, type VehiclePace } from "./pace.js";
import { type FlexRequest, fillFromSlot, requestOfSettings } from "./request.js";
import { type FlexResult, slowness } from "./result.js";
import type { SgPlan } from "./sg-ready.js";
import {
  type KeptSlot,
  type SlotOverride,
  type SlotPlan,
  type SlotSchedule,
  sgStateOf,
  slotMoment,
} from "./slot-schedule.js";
import { afterTime, nextPlug, type Plug, stayOf } from "./stay.js";
import type { Switching } from "./switching.js";
import { vehicleRequest } from "./vehicle.js";
import { isOwnRequest, onceLeavesAt, overriddenSettings } from "./vehicle-override.js";

/** An assigned slot at runtime. */
export interface SlotState {
  /** With what an override changes of them. */
  settings: SlotSettings;
  /** Without it. */
  usual: SlotSettings;
  plugged?: 0 | 1;
  /** State of charge of the vehicle at the last plan, percent. */
  socPct?: number | undefined;
  /** The target that the vehicle has reached in this stay, percent. */
  reachedPct?: number | undefined;
  recipe?: SlotSchedule;
  override?: SlotOverride;
  done?: NonNullable<KeptSlot["done"]>;
  plug?: Plug;
  switching?: Switching;
  assumed?: readonly EnergyStep[];
  /** What a vehicle took at full power. */
  pace?: VehiclePace | undefined;
  /** Since when the device has been on and took nothing. */
  idle?: { since: Date; windowId: Date };
  /** The last request whose window has ended, and its charged hours; it applies again if the clock is set back. */
  ended?: Pick<SlotState, "done"> & { recipe: SlotSchedule };
  result?: FlexResult;
  /** When a vehicle that is away is expected back. */
  returnsAt?: Date | undefined;
  /** Schedules of the later windows. */
  later?: readonly FlexResult[];
  /** Power by the measured surplus, kW; undefined: that of the schedule. */
  followedKw?: number | undefined;
  /** States of a heat pump with SG Ready. */
  sgReady?: SgPlan | undefined;
  heat?: TankHeat | undefined;
  /** Reason why it cannot be planned, as logged. */
  problem?: string;
}

/** The assigned slots of a site by number. */
export function assignedSlots({ slots }: Pick<PlantSettings, "slots">): Map<number, SlotState> {
  const assigned = slots.filter(({ enabled }) => enabled).sort((a, b) => a.slot - b.slot);
  return new Map(
    assigned.map((settings): [number, SlotState] => [settings.slot, { settings, usual: settings }]),
  );
}

/** The settings of the assigned slots with the powers that their devices take. */
export function usedSettings(
  plant: Pick<PlantSettings, "slots">,
  takenKw: (slot: number, askedKw: number) => number,
): Map<number, SlotSettings> {
  return new Map(
    [...assignedSlots(plant)].map(([slot, { settings }]) => [
      slot,
      withPower(settings, (askedKw) => takenKw(slot, askedKw)),
    ]),
  );
}

/** The settings with the powers that the device takes when it is asked for those of the settings. */
function withPower(settings: SlotSettings, takenKw: (askedKw: number) => number): SlotSettings {
  const { power_kw, vehicle } = settings;
  const taken = (askedKw: number | null) => (askedKw === null ? null : takenKw(askedKw));
  return {
    ...settings,
    power_kw: taken(power_kw),
    vehicle: vehicle && { ...vehicle, max_power_kw: taken(vehicle.max_power_kw) },
  };
}

/** The powers of devices, as text. */
export function powersText(settings: readonly SlotSettings[]): string {
  return JSON.stringify(settings.map(({ power_kw, vehicle }) => [power_kw, vehicle?.max_power_kw]));
}

/** The readings of vehicles and tanks in steps that need another plan, as text. */
export function readingsText(
  slots: ReadonlyMap<number, SlotState>,
  stateOf: (slot: number) => DeviceState | undefined,
): string {
  return [...slots]
    .filter(([, { settings }]) => settings.vehicle !== null || settings.store !== null)
    .map(([slot]) => {
      const { socPct, temperatureC } = stateOf(slot) ?? {};
      return `${slot} ${Math.round(socPct ?? -1)} ${Math.round(temperatureC ?? -1)}`;
    })
    .join();
}

/** The stored part of a slot. */
export function storedOf(slot: number, state: SlotState): KeptSlot {
  const { plugged, recipe, override, done, plug, assumed, switching, sgReady, heat } = state;
  return { slot, plug, assumed, switching, plugged, recipe, override, done, sgReady, heat };
}

/** Notes when a tank was heated against legionella; true if that has to be stored. */
export function noteHeat(state: SlotState, { hotAt, triedAt }: TankHeat): boolean {
  if (hotAt === undefined && triedAt === undefined) return false;
  const { heat = {} } = state;
  state.heat = { ...(hotAt && { hotAt }), ...(triedAt && { triedAt }) };
  const isLater = (hotAt?.getTime() ?? 0) - (heat.hotAt?.getTime() ?? 0) >= HOUR_MS;
  return isLater || triedAt?.getTime() !== heat.triedAt?.getTime();
}

/** Removes an override and a request whose window or stay has ended at `now`; restores it after the clock was set back before that end. */
export function expire(state: SlotState, now: Date): void {
  const { recipe, done, ended } = state;
  if (state.plug !== undefined) {
    const { plug, left } = afterTime(state.plug, now);
    state.plug = plug;
    if (left) endStay(state);
  }
  if (state.override !== undefined && state.override.until <= now) delete state.override;
  if (recipe !== undefined && recipe.until <= now) {
    const { maxPowerKw } = fillFromSlot(recipe.ask, state.settings);
    delete state.recipe;
    delete state.done;
    // Also done for a window of the settings in which the request began; for another one the plan leaves it out.
    if (done !== undefined) state.done = doneBySettings(state, done, maxPowerKw);
    state.ended = { recipe, ...(done !== undefined && { done }) };
  } else if (recipe === undefined && ended !== undefined && ended.recipe.until > now) {
    delete state.ended;
    delete state.done;
    Object.assign(state, ended);
  }
}

/** What a request has done, in hours at the power of the settings where their demand is in energy. */
function doneBySettings(
  state: SlotState,
  { windowStart, hours, isMeasured }: NonNullable<KeptSlot["done"]>,
  requestKw: number | undefined,
): NonNullable<KeptSlot["done"]> {
  const settingsKw = state.settings.power_kw ?? undefined;
  const isSamePower = isTimed(state) || requestKw === undefined || settingsKw === undefined;
  return {
    windowStart,
    hours: isSamePower ? hours : (hours * requestKw) / settingsKw,
    ...(isMeasured === true && { isMeasured }),
  };
}

/** Sets or removes the override of a slot; `recipe` is the schedule of a demand by a deadline. */
export function setOverride(
  state: SlotState,
  override: SlotOverride | undefined,
  recipe: SlotSchedule | undefined,
): void {
  // The vehicle is planned by its settings as overridden; a request would take precedence.
  const isOfVehicle = override?.action === "target" || override?.action === "surplus";
  if (isOwnRequest(state.override) || isOfVehicle) delete state.recipe;
  delete state.override;
  // A run in progress would continue.
  delete state.result;
  if (override !== undefined) state.override = override;
  state.settings = overriddenSettings(state.usual, override);
  if (recipe === undefined) return;
  state.recipe = recipe;
  delete state.ended;
}

/** Whether a slot is planned by what it costs the site: as requested, or from its settings. */
export function isPlannedByCost(
  { settings, recipe }: SlotState,
  { battery, pv, grid }: Pick<PlantSettings, "battery" | "pv" | "grid">,
): boolean {
  if (recipe !== undefined) return recipe.ask.allocation === "cost";
  const { optimise, vehicle, store } = settings;
  // Only the plan by cost knows when there is surplus, when a tank would get cold or too hot, and what the import limit leaves.
  if (vehicle?.surplus === "only" || store !== null) return true;
  if (optimise !== null) return optimise === "cost";
  return battery !== null || pv.length > 0 || grid.import_limit_kw !== null;
}

/** The value of the request, else the last one of the device; without either it counts as plugged in. */
export function pluggedOf({ recipe, plugged }: SlotState): number {
  return recipe?.ask.plugged ?? plugged ?? 1;
}

/**
 * The request to solve for the slot: the last one completed by the settings, else that of its vehicle or of the settings;
 * undefined without a demand.
 */
export function requestOf(
  state: SlotState,
  device: {
    socPct?: number | undefined;
    temperatureC?: number | undefined;
    now: Date;
    until: Date;
    zone: string;
  },
): FlexRequest | undefined {
  const request =
    state.recipe === undefined
      ? (vehicleRequest(state.settings, {
          ...device,
          returnsAt: state.returnsAt,
          leavesAt: onceLeavesAt(state.override),
        }) ??
        requestOfSettings(state.settings) ??
        tankRequest(state.settings, device))
      : fillFromSlot(state.recipe.ask, state.settings);
  return request && { ...request, plugged: pluggedOf(state) };
}

/** The slot for the edges and the battery plan. */
export function slotPlan(slot: number, state: SlotState): SlotPlan {
  return {
    slot,
    settings: state.settings,
    usual: state.usual,
    origin: state.recipe === undefined ? "settings" : "request",
    plugged: pluggedOf(state),
    result: state.result,
    later: state.later ?? [],
    returnsAt: state.returnsAt,
    override: state.override,
    ...(state.settings.vehicle !== null && { socPct: state.socPct }),
    takesKw: state.result?.askedKw === undefined ? undefined : state.result.powerKw,
    stay: stayOf(state.plug),
    idleSince: state.idle?.since,
    heat: state.heat,
    followedKw: state.followedKw,
    ...(state.settings.sg_ready !== null && { sgReady: state.sgReady }),
  };
}

/** True during a run of a schedule with few or unbroken runs. */
export function isInRun(result: FlexResult, now: Date): boolean {
  if (result.consecutive === "off") return false;
  return result.windows.some(({ start, end }) => start < now && now < end);
}

/**
 * Adds what the device did from `start` to `end` to the completed hours, so that it is not planned again. Energy before a window counts
 * in a stay only. True if anything has changed.
 */
export function countDone(state: SlotState, period: Interval, delivered: Delivered | undefined): boolean {
  const { result } = state;
  if (result === undefined || pluggedOf(state) === 0) return false;
  const counted = countedOf(result, period, { delivered, isTimed: isTimed(state) });
  if (state.settings.kind === "wallbox" && state.followedKw === undefined)
    state.pace = nextPace(state.pace, result, { period, delivered, windowId: windowIdOf(state, result) });
  const isWaiting = state.followedKw === 0;
  if (counted.isIdle && !isWaiting)
    state.idle ??= { since: period.start, windowId: windowIdOf(state, result) };
  else if (counted.hours > 0) delete state.idle;
  if (delivered?.kwh === undefined) assume(state, period, counted.kwh ?? 0);
  const isBefore = period.end <= result.window.start && state.plug?.since === undefined;
  if (counted.hours === 0 || isBefore) return false;
  const { windowStart = windowIdOf(state, result), hours: before = 0, isMeasured = false } = state.done ?? {};
  state.done = {
    windowStart,
    hours: before + counted.hours * slowness(result),
    ...((isMeasured || delivered?.kwh !== undefined) && { isMeasured: true }),
    ...(isInRun(result, period.end) && { run: result }),
  };
  return true;
}

/** What tells the windows of a slot apart: their start, for a vehicle, which is planned from now on, its departure. */
export function windowIdOf({ recipe, settings }: SlotState, { window }: FlexResult): Date {
  return recipe === undefined && settings.vehicle !== null ? window.askedEnd : window.start;
}

/** Whether the demand is in hours, not in energy. */
function isTimed({ recipe, settings }: SlotState): boolean {
  const { segments, count } = fillFromSlot(recipe?.ask ?? { gridMinutes: 15 }, settings);
  return segments !== undefined || count !== undefined;
}

/** A day of the ledger may be computed again when an import or a price arrives late. */
const ASSUMED_MS = 8 * DAY_MS;

/** Notes energy that nothing measured. */
function assume(state: SlotState, { start, end }: Interval, kwh: number): void {
  if (kwh === 0) return;
  const oldest = new Date(end.getTime() - ASSUMED_MS);
  state.assumed = [...(state.assumed ?? []).filter((step) => step.end > oldest), { start, end, kwh }];
}

/**
 * The plug after a value of the device; a new stay begins with nothing done and without the override of the one before. True if the value is
 * another one.
 */
export function plugIn(state: SlotState, plugged: 0 | 1, now: Date): boolean {
  if (state.settings.kind !== "wallbox") return false;
  const isOther = state.plug?.plugged !== plugged;
  const { plug, arrived } = nextPlug(state.plug, plugged, now);
  state.plug = plug;
  if (arrived) endStay(state);
  return isOther;
}

function endStay(state: SlotState): void {
  if (isOwnRequest(state.override)) delete state.recipe;
  delete state.override;
  delete state.done;
  delete state.idle;
  delete state.reachedPct;
  delete state.pace;
  // A run in progress would continue.
  delete state.result;
}

/** Whether the completed hours also count in the next window: the vehicle has stayed, and needs nothing but what it still lacks. */
export function isSameStay({ plug, settings }: SlotState): boolean {
  return settings.vehicle === null && plug?.since !== undefined && plug.plugged === 1;
}

/** A text that changes whenever a consumer has to act on the schedules again. */
export function summaryOf(plans: readonly SlotPlan[], now: Date): string {
  return JSON.stringify(
    plans.map((plan) => {
      const { origin, plugged, result, override, socPct, idleSince, heat = {} } = plan;
      const sgState = sgStateOf(plan, now);
      const soc = socPct === undefined ? undefined : Math.round(socPct);
      const device = [origin, plugged, override, soc, sgState, idleSince, isTriedInVain(heat)];
      // Power that follows the sun has a message of its own.
      const moment = slotMoment({ ...plan, followedKw: undefined }, now);
      if (result === undefined || moment === undefined) return device;
      const { chargeNow, nextStart } = moment;
      const { window, demandHours, unmetHours, windows } = result;
      return [...device, chargeNow, nextStart, window.start, window.end, demandHours, unmetHours, windows];
    }),
  );
}
