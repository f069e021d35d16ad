import { serviceUrl } from "../../api/documents/format.js";
import { localDate } from "../../core/time/zone.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import { Failed, NewKey } from "../ui/notices.js";
import { siteName } from "../ui/site-name.js";
import { Alerts } from "./alerts.js";
import { EnergyFlow } from "./energy-flow.js";
import { NextActions, Slots } from "./next-actions.js";
import { SocForm } from "./override-forms.js";
import { Chart, Headline, PriceNow, SocGauge } from "./parts.js";
import { type DashboardView, missing, type PartProps } from "./view.js";

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

/** Setup steps with text to copy while there is no plan; empty with a plan. */
function NextSteps({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.steps;
  const waitsFor = missing(house);
  if (waitsFor === undefined) return null;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      {waitsFor === "battery" && (
        <>
          <p>{texts.noBattery}</p>
          <p>
            <a class="button" href="/settings/ems/battery">
              {texts.toBattery}
            </a>
          </p>
        </>
      )}
      <p>
        <a href="/start">{textsOf(format.language).start.link}</a>
      </p>
      {waitsFor === "prices" && <p>{texts.noPrices}</p>}
      {waitsFor === "soc" && (
        <>
          <p>{texts.noSoc}</p>
          <SocForm house={house} format={format} />
          <p>{texts.byHttp}</p>
          <pre>
            <code>{curlExample(house.baseUrl)}</code>
          </pre>
          <p>{texts.byMqtt}</p>
          <pre>
            <code>{mqttExample(house.baseUrl, house.socTopic)}</code>
          </pre>
          <p>
            <a href="/settings/ems/telemetry">{texts.toTopics}</a>
          </p>
          <p>
            <a href="/openapi.json">{texts.reference}</a>
          </p>
        </>
      )}
    </section>
  );
}

function curlExample(baseUrl: string): string {
  const url = serviceUrl(baseUrl, "/v1/plant/telemetry");
  return `curl ${url} \\\n  -H "X-API-Key: $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{ "soc_pct": 55 }'`;
}

function mqttExample(baseUrl: string, topic: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "localhost";
  return `mosquitto_pub -h ${host} -u any -P "$KEY" \\\n  -t ${topic} -m 55`;
}

/** Savings so far and expected, each against the uncontrolled home, the week first; how they are computed is one click away. */
export function Savings({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.savings;
  const { plan, savings } = house;
  const eur = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : `${format.number(value)} €`;
  // The first quarter-hours of a day have no amount, and until they are computed there is that of yesterday.
  const isToday = savings?.date === localDate(house.now, format.zone);
  const today = isToday ? savings.todayEur : undefined;
  return (
    <>
      <h2>{texts.title}</h2>
      <dl class="amounts">
        <div>
          <dt>{texts.week}</dt>
          <dd>{eur(savings?.weekEur)}</dd>
        </div>
        <div>
          <dt>{texts.today}</dt>
          <dd>{typeof today === "number" ? eur(today) : <span class="muted">{texts.notYet}</span>}</dd>
        </div>
        <div>
          <dt>{texts.month}</dt>
          <dd>{eur(savings?.monthEur)}</dd>
        </div>
        <div>
          <dt>{texts.total}</dt>
          <dd>{eur(savings?.totalEur)}</dd>
        </div>
      </dl>
      {plan === undefined ? (
        <p class="muted">{texts.none}</p>
      ) : (
        <p>
          {texts.expected} <strong>{texts.of(format.number(plan.savingsEur))}</strong>
        </p>
      )}
      <details id="savings-explained">
        <summary>{texts.explain}</summary>
        <p>{texts.explanation}</p>
        {plan !== undefined && (
          <>
            {Math.abs(plan.savingsStoredEur) >= 0.01 && (
              <p class="muted">
                {texts.stored(format.number(Math.abs(plan.savingsStoredEur)), plan.savingsStoredEur < 0)}
              </p>
            )}
            <p class="muted">
              {texts.cost(
                format.number(plan.expectation.costEur),
                format.number(plan.expectation.costP10Eur),
                format.number(plan.expectation.costP90Eur),
              )}
            </p>
            <p class="muted">
              {texts.bound(format.number(Math.max(0, plan.solver.objectiveEur - plan.solver.boundEur)))}
            </p>
          </>
        )}
      </details>
    </>
  );
}
