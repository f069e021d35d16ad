import { presentAndNext, presentText } from "../../plan/now-and-next.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { PlanChart } from "../dashboard/chart.js";
import { type DashboardView, missing } from "../dashboard/view.js";
import { linkLine } from "../ui/parts.js";
import type { StepState } from "./page.js";
import type { StepId } from "./progress.js";

/** What a plan is made of, in the order of its weight. */
const NEEDED = ["place", "find", "tariff", "battery", "soc", "pv", "load", "devices"] as const;

/** The first plan: one sentence, what it saves, the chart, and what is missing for what. */
export function firstPlan(
  context: SignedInContext,
  view: DashboardView,
  states: Readonly<Record<StepId, StepState>>,
) {
  const texts = textsOf(context.language).start.plan;
  const format = formatOf(context.language, view.site.plant.timezone);
  const props = { house: view, format };
  const { plan } = view;
  const step = stepThatIsMissing(view);
  const open = NEEDED.filter(
    (one) => states[one] !== "done" && !(one === "soc" && view.site.plant.battery === null),
  );
  return (
    <>
      <div id="first-plan">
        <p class="headline">{presentText(presentAndNext(view, format))}</p>
      </div>
      {step !== undefined && linkLine(`/start?step=${step}`, texts.toStep[step], "button")}
      {isComputing(view) && <p role="status">{texts.computing}</p>}
      {plan !== undefined && (
        <p>{texts.saves(format.number(plan.expectation.costEur), format.number(plan.savingsEur))}</p>
      )}
      {open.length > 0 && (
        <>
          <h3>{texts.missing}</h3>
          <ul class="subjects sentences">
            {open.map((one) => (
              <li key={one}>
                <a href={`/start?step=${one}`}>
                  <strong>{textsOf(context.language).start.steps[one].name}</strong>
                  <span>{texts.neededFor[one]}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <div id="plot">{view.hours !== undefined && <PlanChart {...props} count={48} />}</div>
      {linkLine("/dashboard", texts.toOverview, "button")}
    </>
  );
}

/** Nothing more is needed from the owner: the page reloads until the plan is there. */
export function isComputing(view: DashboardView): boolean {
  return missing(view) !== undefined && stepThatIsMissing(view) === undefined;
}

function stepThatIsMissing(view: DashboardView): Extract<StepId, "battery" | "soc"> | undefined {
  const waitsFor = missing(view);
  if (waitsFor === "battery") return "battery";
  return waitsFor === "soc" && view.live.soc_pct === undefined ? "soc" : undefined;
}
