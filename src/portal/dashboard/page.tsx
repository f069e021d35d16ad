import type { VNode } from "preact";
import { serviceUrl } from "../../api/documents/format.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { siteName } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { LivePart } from "../ui/live-part.js";
import { Card, linkLine } from "../ui/parts.js";
import { Alerts } from "./alerts.js";
import { Chart } from "./chart.js";
import type { ChartCount } from "./chart-periods.js";
import { OverviewCards } from "./device-card.js";
import { EnergyFlow } from "./energy-flow.js";
import { SocForm } from "./override-forms.js";
import { Saved, Summary } from "./summary.js";
import { type DashboardView, missing, type PartProps } from "./view.js";

/** The parts of the page that are updated while it is open, by element id. */
export function dashboardParts(
  house: DashboardView,
  language: SignedInContext["language"],
  count: ChartCount,
) {
  const props = { house, format: formatOf(language, house.site.plant.timezone) };
  return {
    components: <Alerts {...props} />,
    saved: <Saved {...props} />,
    flow: <EnergyFlow {...props} />,
    headline: <Summary {...props} />,
    steps: <NextSteps {...props} />,
    plot: <Chart {...props} count={count} />,
    slots: <OverviewCards {...props} />,
  } satisfies Record<string, VNode>;
}

/** The page /dashboard: what was saved, what flows, what happens now and next; below that prices, plan and devices. */
export function dashboardPage(context: SignedInContext, house: DashboardView, count: ChartCount) {
  const texts = textsOf(context.language).dashboard;
  const parts = dashboardParts(house, context.language, count);
  const data = new URLSearchParams({ site: house.site.id, hours: String(count), parts: "only" });
  const name = siteName(house.site);
  return (
    <Layout context={context} title={name} scripts={["client/dashboard.js"]} stylesheets={["overview.css"]}>
      <div
        id="live"
        class="overview"
        data-url={`/portal/data?${data}`}
        data-events={`/portal/events?site=${encodeURIComponent(house.site.id)}`}
      >
        <LivePart id="components">{parts.components}</LivePart>
        <LivePart id="saved">{parts.saved}</LivePart>
        <LivePart id="flow" class="card" label={texts.flow.title}>
          {parts.flow}
        </LivePart>
        <LivePart id="headline" class="card" isSpoken>
          {parts.headline}
        </LivePart>
        <LivePart id="steps">{parts.steps}</LivePart>
        <LivePart id="plot" class="card">
          {parts.plot}
        </LivePart>
        <section class="devices">
          <h2>{texts.slots.title}</h2>
          <LivePart id="slots">{parts.slots}</LivePart>
        </section>
      </div>
    </Layout>
  );
}

/** Setup steps with text to copy while there is no plan; empty with a plan. */
function NextSteps({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.steps;
  const waitsFor = missing(house);
  // Devices are planned without a battery.
  if (waitsFor === undefined || (waitsFor === "battery" && house.slots.length > 0)) return null;
  return (
    <Card title={texts.title}>
      {waitsFor === "battery" && (
        <>
          <p>{texts.noBattery}</p>
          {linkLine("/settings/ems/battery", texts.toBattery, "button")}
        </>
      )}
      {linkLine("/start", textsOf(format.language).start.link)}
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
          {linkLine("/settings/ems/telemetry", texts.toTopics)}
          {linkLine("/openapi.json", texts.reference)}
        </>
      )}
    </Card>
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
