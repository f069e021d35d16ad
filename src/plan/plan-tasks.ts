import type { Clock } from "../core/time/clock.js";
import { assemble } from "./assemble.js";
import { type BatteryOverride, type BatteryOverrideRequest, batteryOverrideOf } from "./battery-override.js";
import type { BatteryOverrides } from "./battery-overrides.js";
import type { BatteryParts } from "./battery-parts.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { planSite } from "./plan-site.js";
import type { PolicySolver } from "./policy/policy-solver.js";
import {
  canReuseExpectation,
  canReusePreviousPlan,
  describesThisSite,
  needsDecision,
  type SiteState,
} from "./replan-rules.js";
import { factsOf, type PlanSources } from "./site-facts.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

/** Number of loads sampled for a request with overrides. */
const REQUEST_SAMPLES = 20;

/** A plan to compute; loads are sampled unless there is a plan whose expectation still applies. */
export interface PlanTask {
  input: SiteInput;
  samples: number;
  expectationFrom?: SitePlan;
  /** No loads are sampled; the expectation is rough. */
  commandOnly?: boolean;
  /** Of the site; a task for a thread has none. */
  solver?: PolicySolver;
}

interface PlanTasksOptions extends PlanSources {
  clock: Clock;
  /** Default 100. */
  sampledLoads?: number;
  parts: BatteryParts;
  overrides: BatteryOverrides;
}

/** Collects what the plan of a site is computed from. */
export class PlanTasks {
  readonly #options: PlanTasksOptions;

  constructor(options: PlanTasksOptions) {
    this.#options = options;
  }

  /** For the next plan to publish. Ends an override whose time is over. Throws PlanInputError. */
  next(state: SiteState): PlanTask {
    const { clock, parts, overrides } = this.#options;
    const now = clock.now();
    if (overrides.end(state, { now, socPct: parts.soc(state, now)?.pct })) state.decide = true;
    return { ...this.of(state, {}), solver: state.solver };
  }

  /** Has no side effects. Throws PlanInputError. */
  of(state: SiteState, given: PlanOverrides): PlanTask {
    const { clock, parts, overrides, telemetry, sampledLoads = 100 } = this.#options;
    const now = clock.now();
    const { site, plan: current } = state;
    const soc = parts.soc(state, now);
    const facts = factsOf(site, this.#options, {
      now,
      soc,
      measured: state.netLoad.mean(now),
      ...(describesThisSite(given) && {
        override: overrides.inForce(state, { now, socPct: given.socPct ?? soc?.pct }),
      }),
    });
    const input = assemble(facts, given);
    const isOwn = current !== undefined && canReusePreviousPlan(current, given, now);
    const isExpected = isOwn && canReuseExpectation(state, current, now);
    const keepCommand =
      isExpected && !needsDecision(state, telemetry.live(site.id), now) && Object.keys(given).length === 0;
    return {
      input: { ...input, ...(isOwn && { previous: current }), keepCommand },
      ...(isExpected && { expectationFrom: current }),
      // A caller waits for the answer to a request with overrides.
      samples: isOwn ? sampledLoads : REQUEST_SAMPLES,
    };
  }

  /** The expected cost of the horizon, EUR; undefined while no plan can be computed. Has no side effects. */
  expectedCostEur(state: SiteState): number | undefined {
    try {
      const { input, samples } = this.of(state, {});
      return computePlan({ input, samples }).expectation.costEur;
    } catch (error) {
      if (error instanceof PlanInputError) return undefined;
      throw error;
    }
  }

  /** What an override would cost beside the plan, EUR; undefined without a plan; with a pause between both plans. Has no side effects. Throws PlanInputError. */
  async overrideCostEur(
    state: SiteState,
    request: BatteryOverrideRequest,
    pause: () => Promise<void>,
  ): Promise<number | undefined> {
    const { clock, parts } = this.#options;
    const now = clock.now();
    const { plant } = state.site;
    const override = batteryOverrideOf(request, { plant, socPct: parts.soc(state, now)?.pct, now });
    if (state.plan === undefined) return undefined;
    // The same sampled loads on both sides, few of them: a plan blocks the event loop.
    const taskOf = (of: BatteryOverride | undefined): PlanTask => ({
      ...this.of({ ...state, override: of, decide: true }, {}),
      samples: REQUEST_SAMPLES,
    });
    const overridden = taskOf(override);
    const { savingsEur } = computePlan(taskOf(undefined));
    await pause();
    return savingsEur - computePlan(overridden).savingsEur;
  }
}

export function computePlan({ input, ...options }: PlanTask): SitePlan {
  return planSite(input, { ...options, stopwatch: () => performance.now() });
}
