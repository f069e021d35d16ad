import type { TriedOverride } from "../../plan/windows/apply-override.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { DashboardView } from "../dashboard/view.js";
import type { SiteContext } from "../page.js";

/** A target of a vehicle as it was asked for, with what it would plan and cost; a text: why it cannot be. */
export type Offer = { tried: TriedOverride; isInForce: boolean } | { refused: string };

export interface CarView {
  context: SiteContext;
  house: DashboardView;
  plan: SlotPlan;
  /** Numbers of all wallboxes. */
  cars: readonly SlotPlan[];
  /** What the form asks for; undefined without a vehicle, or while a guest is there. */
  asked: AskedTarget | undefined;
  offer: Offer | undefined;
  socSource: string;
  /** What charging now would cost, EUR. */
  runEur: number | undefined;
}

/** The fields of a target. */
export interface AskedTarget {
  targetPct: number;
  leastPct: number | undefined;
  until: Date;
}
