import { HOUR_MS, MINUTE_MS } from "../domain/interval.js";
import type { LiveState } from "../domain/sample.js";
import type { SlotPlan } from "../flex/slot-schedule.js";
import type { SitePlan } from "../plan/site-plan.js";
import type { Clock } from "../time/clock.js";
import type { Variables } from "./expression.js";
import { parseControls } from "./states.js";
import { type Wanted, wantedOfBattery, wantedOfFeedIn, wantedOfSgReady, wantedOfSlot } from "./wanted.js";

/** A plan older than this is not used; it is renewed each quarter-hour. */
const OLDEST_PLAN_MS = 45 * MINUTE_MS;
const TELEMETRY_MS = HOUR_MS / 4;

/** Where the wanted states come from. */
export interface WantedSources {
  clock: Clock;
  plan(siteId: string): SitePlan | undefined;
  slots(siteId: string): readonly SlotPlan[];
  live(siteId: string): LiveState;
}

/** What the plan asks of an actuator now; undefined without a usable plan. */
export function wantedNow(
  { clock, plan: planOf, slots }: WantedSources,
  siteId: string,
  controls: string,
): Wanted | undefined {
  const now = clock.now();
  const { control, slot } = parseControls(controls)!;
  if (control === "battery" || control === "feed_in") {
    const plan = planOf(siteId);
    if (plan === undefined || now.getTime() - plan.issuedAt.getTime() > OLDEST_PLAN_MS) return undefined;
    return control === "battery" ? wantedOfBattery(plan.scalars) : wantedOfFeedIn(plan.scalars);
  }
  const plans = slots(siteId);
  const plan =
    slot === undefined
      ? plans.find((one) => one.settings.kind === "heat_pump")
      : plans.find((one) => one.slot === slot);
  if (plan === undefined) return undefined;
  return control === "slot" ? wantedOfSlot(plan, now) : wantedOfSgReady(plan, now);
}

/** The telemetry that expressions may use. */
export function liveValues({ clock, live }: WantedSources, siteId: string): Variables {
  const nowMs = clock.now().getTime();
  let state: LiveState;
  try {
    state = live(siteId);
  } catch {
    return {};
  }
  const fresh = (name: keyof LiveState, factor: number) => {
    const reading = state[name];
    if (reading === undefined || nowMs - reading.at.getTime() > TELEMETRY_MS) return null;
    return Math.round(reading.value * factor);
  };
  return {
    soc_pct: fresh("soc_pct", 1),
    load_w: fresh("load_power_kw", 1000),
    pv_w: fresh("pv_power_kw", 1000),
    battery_w: fresh("battery_power_kw", 1000),
  };
}
