import type { SlotSettings } from "../../config/settings.js";
import { type EnergyStep, minutesUntil } from "../../core/domain/interval.js";
import { slotNumber } from "../../core/domain/slot.js";
import type { Language } from "../../core/language.js";
import { isRecord, recordOf } from "../../core/net/json.js";
import { isTime } from "../../core/shape.js";
import { textsOf } from "../../texts/index.js";
import { isTriedInVain, type TankHeat } from "./estimates.js";
import type { FlexRequest } from "./request.js";
import { type FlexMoment, type FlexResult, momentOf } from "./result.js";
import type { SgPlan, SgState } from "./sg-ready.js";
import { sgStateAt } from "./sg-ready.js";
import type { Plug, Stay } from "./stay.js";
import type { Switching } from "./switching.js";

/** The last request of a slot, which applies until its window ends. */
export interface SlotSchedule {
  /** The request without the slot's settings; its window is given by two instants. Stored under this name. */
  ask: FlexRequest;
  /** Requested end of its window. */
  until: Date;
}

/** What an override of a vehicle sets. */
export interface OverrideValues {
  /** With `target`: state of charge at the end; left out: that of the settings. */
  targetSocPct?: number | undefined;
  /** With `target` and `surplus`: up to it the vehicle is charged at once; left out: that of the settings. */
  minSocPct?: number | undefined;
  /** With `guest`: what the vehicle is to get at the wallbox. */
  energyKwh?: number | undefined;
}

/** An override of a slot's schedule that expires by itself. */
export interface SlotOverride extends OverrideValues {
  action: "run" | "skip" | "full" | "target" | "surplus" | "guest";
  /** On a quarter-hour. */
  until: Date;
}

/** Whether the device does as its user said rather than as planned. */
export function isByHand({ override }: Pick<SlotPlan, "override">): boolean {
  return override?.action === "run" || override?.action === "skip" || override?.action === "full";
}

/** The stored state of a slot. */
export interface KeptSlot {
  slot: number;
  /** Last value from the device; undefined: unknown, counts as plugged in. */
  plugged?: 0 | 1 | undefined;
  recipe?: SlotSchedule | undefined;
  override?: SlotOverride | undefined;
  /** Of a wallbox whose plug is read. */
  plug?: Plug | undefined;
  switching?: Switching | undefined;
  /** Energy of the device that nothing measured: by confirmed commands, else as planned. */
  assumed?: readonly EnergyStep[] | undefined;
  /**
   * Completed within the current window, or in the stay of a vehicle, in hours of grid demand; `windowStart` identifies that window, `run` is the
   * schedule of a run in progress, which is continued after a restart.
   */
  done?: { windowStart: Date; hours: number; isMeasured?: boolean; run?: FlexResult } | undefined;
  sgReady?: SgPlan | undefined;
  /** When a tank was heated against legionella. */
  heat?: TankHeat | undefined;
}

/** The schedule of an assigned slot, for documents, topics and the battery plan. */
export interface SlotPlan {
  slot: number;
  /** With what an override changes of them until it ends. */
  settings: SlotSettings;
  /** Without it; left out: the same. */
  usual?: SlotSettings | undefined;
  origin: "settings" | "request";
  plugged: number;
  /** Undefined without a demand or without prices. */
  result: FlexResult | undefined;
  /** Of the later windows within the horizon; empty for a request. */
  later: readonly FlexResult[];
  /** When a vehicle that is away is expected back, by its usual times; undefined: not known, or it is there. */
  returnsAt?: Date | undefined;
  /** Part of `result`; undefined: none is in force. */
  override?: SlotOverride | undefined;
  /** State of charge of the vehicle, percent; undefined: not known, or no vehicle. */
  socPct?: number | undefined;
  /** What a vehicle that takes less than it is asked for is expected to take, kW; left out: what it is asked for. */
  takesKw?: number | undefined;
  /** Stay of the vehicle at a wallbox whose plug is read. */
  stay?: Stay | undefined;
  /** Since when the device has been on in vain: it took nothing, as measured. */
  idleSince?: Date | undefined;
  /** When a tank was heated against legionella. */
  heat?: TankHeat | undefined;
  /** Power by the measured PV surplus, kW, in place of that of `result`; undefined: the plan applies. */
  followedKw?: number | undefined;
  /** States of a heat pump with SG Ready. */
  sgReady?: SgPlan | undefined;
}

/** The SG Ready state of a slot at `now`; undefined for a slot without. An override takes precedence. */
export function sgStateOf({ settings, override, sgReady }: SlotPlan, now: Date): SgState | undefined {
  if (settings.sg_ready === null) return undefined;
  if (override?.action === "run") return settings.sg_ready.force ? "force" : "encourage";
  return override?.action === "skip" ? "normal" : sgStateAt(sgReady, now);
}

/**
 * The state of a slot at `now`: its power follows the plan, or the measured surplus. Its next start may be in a later window. Undefined
 * without a demand.
 */
export function slotMoment(
  { result, later, plugged, followedKw }: Pick<SlotPlan, "result" | "later" | "plugged" | "followedKw">,
  now: Date,
): FlexMoment | undefined {
  if (result === undefined) return undefined;
  const windows = [result, ...later].flatMap((one) => one.windows);
  const moment = momentOf({ ...result, windows, plugged }, now);
  if (followedKw === undefined) return moment;
  const chargeNow = followedKw > 0 ? 1 : 0;
  const minutesToStart =
    chargeNow === 1 ? 0 : moment.nextStart === undefined ? -1 : minutesUntil(moment.nextStart, now);
  return { ...moment, chargeNow, powerKw: followedKw, minutesToStart };
}

/** The `legionella_c` that a tank was last heated to in vain, °C; undefined: none. */
export function missedLegionellaC({ settings, heat = {} }: SlotPlan): number | undefined {
  return isTriedInVain(heat) ? (settings.store?.legionella_c ?? undefined) : undefined;
}

/** The name of a device in documents and sentences: as its owner named it, otherwise its kind and number. */
export function deviceLabel(
  { slot, label, kind }: Pick<SlotSettings, "slot" | "label" | "kind">,
  language: Language,
): string {
  const { ems } = textsOf(language);
  if (label !== "") return label;
  return kind === "other" ? ems.slot(slot) : `${ems.choices[kind]} ${slot}`;
}

const VERSION = 1;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The slots of a site as plain JSON. */
export function slotsToJson(slots: readonly KeptSlot[]): unknown {
  return { version: VERSION, json: JSON.stringify(slots) };
}

/** Reads the output of `slotsToJson`; empty for anything else. */
export function slotsFromJson(stored: unknown): KeptSlot[] {
  const { version, json } = recordOf(stored);
  if (version !== VERSION || typeof json !== "string") return [];
  const slots: unknown = JSON.parse(json, (_, value) =>
    typeof value === "string" && INSTANT.test(value) ? new Date(value) : value,
  );
  return Array.isArray(slots) ? slots.filter(isKeptSlot) : [];
}

/** Whether a stored value has the numbers, times and parts of a slot. */
function isKeptSlot(value: unknown): value is KeptSlot {
  const {
    slot,
    plugged,
    recipe,
    override,
    plug,
    switching,
    assumed = [],
    done,
    sgReady,
    heat,
  } = recordOf(value);
  const isPart = (part: unknown, ...times: string[]) =>
    part === undefined || (isRecord(part) && times.every((time) => isTime(part[time])));
  return (
    slotNumber(slot) !== undefined &&
    (plugged === undefined || plugged === 0 || plugged === 1) &&
    isPart(recipe, "until") &&
    (recipe === undefined || isRecord(recordOf(recipe).ask)) &&
    isPart(override, "until") &&
    isPart(plug, "at") &&
    isPart(switching, "since") &&
    Array.isArray(assumed) &&
    assumed.every((step) => isRecord(step) && isPart(step, "start", "end")) &&
    isPart(done, "windowStart") &&
    isPart(heat) &&
    Object.values(recordOf(heat)).every(isTime) &&
    isPart(sgReady, "decidedAt") &&
    (sgReady === undefined || Array.isArray(recordOf(sgReady).spans))
  );
}

/** A request as the schedule of a slot, with its window as two instants. */
export function slotScheduleOf(request: FlexRequest, { window, deadlineStrict }: FlexResult): SlotSchedule {
  const until = window.phase === "over" ? (window.overUntil ?? window.askedEnd) : window.askedEnd;
  return {
    ask: {
      ...request,
      window: { kind: "fixed", start: window.start, end: window.askedEnd },
      deadlineStrict,
    },
    until,
  };
}
