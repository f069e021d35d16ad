import { OUTPUT_NAMES } from "../../core/domain/plan-field-lists.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import { Scroll } from "../ui/scroll.js";
import { siteName } from "../ui/site-name.js";
import { DataTable } from "../ui/table.js";
import { OutputsTable } from "./outputs-table.js";
import { QuotaPanel } from "./parts.js";
import type { DashboardView, PartProps } from "./view.js";

/** The parts of the page that are updated while it is open, by element id. */
export function outputsParts(house: DashboardView, language: SignedInContext["language"]) {
  const props = { house, format: formatOf(language, house.site.plant.timezone) };
  return {
    outputs: <OutputsTable {...props} />,
    calibration: <CalibrationTable {...props} />,
    quota: <QuotaPanel {...props} />,
  };
}

/** The page /developers/outputs: values for controllers, accuracy of earlier plans, and the quota. */
export function OutputsPage({ context, house }: { context: SignedInContext; house: DashboardView }) {
  const texts = textsOf(context.language).dashboard;
  const parts = outputsParts(house, context.language);
  const site = encodeURIComponent(house.site.id);
  return (
    <Layout
      context={context}
      title={`${texts.outputsPage.title}: ${siteName(house.site)}`}
      scripts={["client/dashboard.js"]}
      stylesheets={["dashboard.css"]}
    >
      <p class="muted">{texts.outputsPage.lead}</p>
      <div
        id="live"
        data-url={`/portal/data?view=outputs&parts=only&site=${site}`}
        data-events={`/portal/events?site=${site}`}
      >
        <section class="card">
          <h2>{texts.outputs.title(OUTPUT_NAMES.at(-1)!)}</h2>
          <div id="outputs">{parts.outputs}</div>
        </section>
        <section class="card">
          <h2>{texts.calibration.title}</h2>
          <Scroll id="calibration">{parts.calibration}</Scroll>
        </section>
        {context.isShared && (
          <section class="card" id="quota">
            {parts.quota}
          </section>
        )}
      </div>
    </Layout>
  );
}

/** What the plan promised and what was saved, month by month, newest first. */
function CalibrationTable({ house: { calibration = [] }, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.calibration;
  if (calibration.length === 0) return <p class="muted">{texts.none}</p>;
  return (
    <>
      <DataTable
        caption={texts.caption}
        rows={calibration.toReversed()}
        columns={(col) => [
          col.head(texts.month, ({ month }) => month),
          col.number(texts.promised, ({ promisedEur }) => format.number(promisedEur)),
          col.number(texts.achieved, ({ achievedEur }) => format.number(achievedEur)),
          col.number(texts.days, ({ days }) => format.number(days, 0)),
          col.number(texts.notMeasured, (month) => format.number(month.daysWithoutTelemetry, 0)),
        ]}
      />
      <p class="muted">{texts.explanation}</p>
    </>
  );
}
