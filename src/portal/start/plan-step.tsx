import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Chart, Headline } from "../dashboard/parts.js";
import { type DashboardView, missing } from "../dashboard/view.js";
import type { StepId } from "./progress.js";

/** Hours of the chart. */
const HOURS = 48;

/** The first plan: one sentence, what it saves, and the chart. */
export function FirstPlan({ context, view }: { context: SignedInContext; view: DashboardView }) {
  const texts = textsOf(context.language).start.plan;
  const format = formatOf(context.language, view.site.plant.timezone);
  const props = { house: view, format };
  const { plan } = view;
  const step = stepThatIsMissing(view);
  return (
    <>
      <div id="first-plan">
        <Headline {...props} />
      </div>
      {step !== undefined && (
        <p>
          <a class="button" href={`/start?step=${step}`}>
            {texts.toStep[step]}
          </a>
        </p>
      )}
      {isComputing(view) && <p role="status">{texts.computing}</p>}
      {plan !== undefined && (
        <p>{texts.saves(format.number(plan.expectation.costEur), format.number(plan.savingsEur))}</p>
      )}
      <div id="plot">{view.hours !== undefined && <Chart {...props} count={HOURS} />}</div>
      <p>
        <a class="button" href="/dashboard">
          {texts.toOverview}
        </a>
      </p>
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
