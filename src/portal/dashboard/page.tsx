import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import { Failed, NewKey } from "../ui/notices.js";
import { siteName } from "../ui/site-name.js";
import { Alerts } from "./alerts.js";
import { EnergyFlow } from "./energy-flow.js";
import { NextActions, Slots } from "./next-actions.js";
import { NextSteps } from "./next-steps.js";
import { Chart, Headline, PriceNow, SocGauge } from "./parts.js";
import { Savings } from "./savings-figures.js";
import { type DashboardView, missing } from "./view.js";

/** Selectable hours of the chart. */
const CHART_HOURS = [48, 168] as const;

export type ChartCount = (typeof CHART_HOURS)[number];

/** The parts of the page that are updated while it is open, by element id. */
export function dashboardParts(
  house: DashboardView,
  language: SignedInContext["language"],
  count: ChartCount,
) {
  const props = { house, format: formatOf(language, house.site.plant.timezone) };
  return {
    components: <Alerts {...props} />,
    flow: <EnergyFlow {...props} />,
    headline: <Headline {...props} />,
    steps: <NextSteps {...props} />,
    savings: <Savings {...props} />,
    soc: <SocGauge {...props} />,
    price: <PriceNow {...props} />,
    plot: <Chart {...props} count={count} />,
    actions: <NextActions {...props} />,
    slots: <Slots {...props} />,
  };
}

interface DashboardPageProps {
  context: SignedInContext;
  house: DashboardView;
  count: ChartCount;
  /** A new key, shown once. */
  apiKey: string | undefined;
  /** Why the last override was refused. */
  refused: string | undefined;
}

/** The page /dashboard: when the battery charges, why, and what it saves. */
export function DashboardPage({ context, house, count, apiKey, refused }: DashboardPageProps) {
  const texts = textsOf(context.language).dashboard;
  const parts = dashboardParts(house, context.language, count);
  const data = new URLSearchParams({ site: house.site.id, hours: String(count), parts: "only" });
  const scripts = ["client/dashboard.js"];
  return (
    <Layout
      context={context}
      title={`${texts.title}: ${siteName(house.site)}`}
      scripts={scripts}
      stylesheets={["dashboard.css"]}
    >
      <NewKey context={context} apiKey={apiKey} />
      <Failed text={refused} />
      <div
        id="live"
        data-url={`/portal/data?${data}`}
        data-events={`/portal/events?site=${encodeURIComponent(house.site.id)}`}
      >
        <div id="components">{parts.components}</div>
        <section class="card" id="headline" aria-live="polite">
          {parts.headline}
        </section>
        <div id="steps">{parts.steps}</div>
        <section class="card">
          <h2>{texts.flow.title}</h2>
          <div id="flow">{parts.flow}</div>
        </section>
        <div class="figures">
          <section class="card" id="savings">
            {parts.savings}
          </section>
          <section class="card" id="soc">
            {parts.soc}
          </section>
          <section class="card" id="price">
            {parts.price}
          </section>
        </div>
        <section class="card">
          <div class="chart-head">
            <h2>{texts.chart.title}</h2>
            <ul>
              {CHART_HOURS.map((hours) => (
                <li key={hours}>
                  <a href={`/dashboard?hours=${hours}`} aria-current={hours === count ? "true" : undefined}>
                    {texts.chart.hours(hours)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
          <div id="plot">{parts.plot}</div>
        </section>
        <div class="columns">
          <section class="card">
            <h2>{texts.actions.title}</h2>
            <div id="actions">{parts.actions}</div>
          </section>
          <section class="card">
            <h2>{texts.slots.title}</h2>
            <div id="slots">{parts.slots}</div>
          </section>
        </div>
        {missing(house) === undefined && <p class="muted">{texts.live}</p>}
        {/* Bookmarks of the sections that were here. */}
        <p class="muted" id="outputs">
          <a id="calibration" href="/developers/outputs">
            {texts.outputsPage.link}
          </a>
        </p>
      </div>
    </Layout>
  );
}
