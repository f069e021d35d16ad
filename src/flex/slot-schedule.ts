import type { SlotSettings } from "../config/settings.js";
import type { FlexRequest } from "./request.js";
import type { FlexResult } from "./result.js";

/** The last request of a slot: what it is to do until the request's window ends. */
export interface SlotSchedule {
  /** As it was asked, without the slot's settings; its window is made of two instants. */
  ask: FlexRequest;
  /** End of its window, as it was asked. */
  until: Date;
}

/** What is kept of a slot over a restart. */
export interface KeptSlot {
  slot: number;
  /** What the device told last; undefined: nothing, it counts as plugged in. */
  plugged?: 0 | 1;
  recipe?: SlotSchedule;
  /**
   * Charged within the window in hand, in hours of grid demand; `windowStart` tells which window that is, `run` the plan
   * whose run was under way: a restart does not break it in two.
   */
  done?: { windowStart: Date; hours: number; run?: FlexResult };
}

/** What an assigned slot is to do, for documents, topics and the battery plan. */
export interface SlotPlan {
  slot: number;
  settings: SlotSettings;
  origin: "settings" | "request";
  plugged: number;
  /** Undefined while there is nothing to plan: no demand, or no prices yet. */
  result: FlexResult | undefined;
}

const VERSION = 1;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The slots of a site as plain JSON. */
export function slotsToJson(slots: readonly KeptSlot[]): unknown {
  return { version: VERSION, json: JSON.stringify(slots) };
}

/** Reads what `slotsToJson` wrote; nothing of anything else. */
export function slotsFromJson(stored: unknown): KeptSlot[] {
  const { version, json } = (stored ?? {}) as { version?: unknown; json?: unknown };
  if (version !== VERSION || typeof json !== "string") return [];
  return JSON.parse(json, (_, value) =>
    typeof value === "string" && INSTANT.test(value) ? new Date(value) : value,
  ) as KeptSlot[];
}

/** A request as the recipe that it becomes: its window, whatever way it was given, pinned to two instants. */
export function slotScheduleOf(ask: FlexRequest, { window, deadlineStrict }: FlexResult): SlotSchedule {
  const until = window.phase === "over" ? (window.overUntil ?? window.askedEnd) : window.askedEnd;
  return {
    ask: {
      ...ask,
      window: { kind: "fixed", start: window.start, end: window.askedEnd },
      deadlineStrict,
    },
    until,
  };
}
