import { outputsDocument } from "../../api/documents/hours-demand.js";
import {
  OUTPUT_FIELDS,
  OUTPUT_NAMES,
  type OutputName,
  planField,
} from "../../core/domain/plan-field-lists.js";
import { presentAction, presentRuns } from "../../plan/headline.js";
import { reasonText } from "../../plan/reason-text.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { siteName } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import type { DashboardView, PartProps } from "./view.js";

/** Displayed unit and decimals of a value. */
const FORMATS: Readonly<Record<string, readonly [unit: string, decimals: number]>> = {
  quartile: ["", 0],
  h: ["h", 2],
  kW: ["kW", 2],
  kWh: ["kWh", 2],
  "%": ["%", 0],
  "ct/kWh": ["ct/kWh", 2],
};

/** The outputs with names, values and reasons; empty without a plan. */
function OutputsTable({ house, format }: PartProps) {
  const { dashboard: texts, planFields } = textsOf(format.language);
  const { plan } = house;
  if (plan === undefined) return <p class="muted">{texts.outputs.noPlan}</p>;
  const values = outputsDocument(plan);
  const { current, next } = presentRuns(house.plan, house.now);
  const step = current ?? presentAction(plan, house.now);
  const why: Partial<Record<OutputName, string>> = {
    O1: step === undefined ? "" : reasonText(step.reason, format),
    ...(plan.scalars.chargeNow === 0 && {
      O6: next === undefined ? texts.headline.none : reasonText(next.reason, format),
    }),
    O7: texts.price.quartiles[plan.scalars.currentQuartile],
    O8: house.tariff === undefined ? texts.price.market : texts.price.allIn,
    O12: texts.cap[plan.scalars.dischargeReason],
    O14: texts.chargeCap[plan.scalars.chargeCapReason],
  };
  const shown = (name: OutputName) => {
    const value = values[name];
    const { kind } = planField(OUTPUT_FIELDS[name]);
    if (value === null) return texts.none;
    if (kind === "flag" || kind === "boolean") return value === 1 ? texts.yes : texts.no;
    if (kind === "min")
      return plan.scalars.chargeNow === 1
        ? texts.outputs.now
        : value === -1
          ? texts.none
          : format.minutes(value ?? 0);
    const [unit, decimals] = FORMATS[String(kind)] ?? ["", 2];
    return `${format.number(value, decimals)} ${unit}`.trim();
  };
  return (
    <>
      <BatteriesTable house={house} format={format} />
      <DataTable
        rows={OUTPUT_NAMES}
        columns={(col) => [
          col.head(texts.outputs.output, (name) => name),
          col.text(texts.outputs.meaning, (name) => (
            <>
              {planFields[OUTPUT_FIELDS[name]].portal}
              {why[name] !== undefined && <span class="why">{why[name]}</span>}
            </>
          )),
          col.number(texts.outputs.value, shown),
        ]}
      />
    </>
  );
}

/** The parts of several batteries; nothing for a single one. */
function BatteriesTable({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.batteries;
  const parts = house.plan?.batteries;
  if (parts === undefined) return null;
  const kw = (value: number) => `${format.number(value, 2)} kW`;
  return (
    <DataTable
      label={texts.title}
      rows={parts}
      columns={(col) => [
        col.head(texts.name, ({ label }) => label),
        col.number(texts.soc, ({ socPct, socStale }) => (
          <>
            {`${format.number(socPct, 0)} %`}
            {socStale && <span class="why">{texts.stale}</span>}
          </>
        )),
        col.number(texts.charging, ({ chargePowerKw }) => kw(chargePowerKw)),
        col.number(texts.dischargeCap, ({ dischargePowerKw }) => kw(dischargePowerKw)),
        col.number(texts.chargeCap, ({ chargeCapKw }) => kw(chargeCapKw)),
        col.text(texts.follows, ({ following }) => texts.states[following]),
      ]}
    />
  );
}

/** The parts of the page that are updated while it is open, by element id. */
export function outputsParts(house: DashboardView, language: SignedInContext["language"]) {
  const props = { house, format: formatOf(language, house.site.plant.timezone) };
  return {
    outputs: <OutputsTable {...props} />,
    quota: <QuotaPanel {...props} />,
  };
}

/** The page /developers/outputs: values for controllers, and the quota. */
export function outputsPage(context: SignedInContext, house: DashboardView) {
  const texts = textsOf(context.language).dashboard;
  const parts = outputsParts(house, context.language);
  const site = encodeURIComponent(house.site.id);
  return (
    <Layout
      context={context}
      title={`${texts.outputsPage.title}: ${siteName(house.site)}`}
      scripts={["client/dashboard.js"]}
    >
      <p class="muted">{texts.outputsPage.lead}</p>
      <div
        id="live"
        data-url={`/portal/data?view=outputs&parts=only&site=${site}`}
        data-events={`/portal/events?site=${site}`}
      >
        <Card title={texts.outputs.title(OUTPUT_NAMES.at(-1)!)}>
          <div id="outputs">{parts.outputs}</div>
        </Card>
        {context.isShared && (
          <section class="card" id="quota">
            {parts.quota}
          </section>
        )}
      </div>
    </Layout>
  );
}

/** Remaining calls of the key. */
function QuotaPanel({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.quota;
  const { quota } = house;
  return (
    <>
      <h2>{texts.title}</h2>
      {quota === undefined ? (
        <p class="muted">–</p>
      ) : (
        <>
          <p class="big">{texts.left(format.number(quota.remaining, 0), format.number(quota.limit, 0))}</p>
          <p class="muted">
            {quota.remaining < quota.limit
              ? `${texts.resets(format.moment(quota.resetAt, house.now))} · `
              : ""}
            <a href="/settings/plan">{texts.more}</a>
          </p>
        </>
      )}
    </>
  );
}
