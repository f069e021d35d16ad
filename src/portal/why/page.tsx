import type { ComponentChildren } from "preact";
import { type WhyDocument, whyDocument } from "../../api/documents/why.js";
import type { Site } from "../../config/site.js";
import { floorTo, HOUR_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, instantOf, localDate, localTime, parseTime } from "../../core/time/zone.js";
import type { WhyService } from "../../money/why/why-service.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { Page } from "../context.js";
import { type SiteContext, titledPage } from "../page.js";
import { choicesRow } from "../ui/choices.js";
import { Notice } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { historyLink, WHY_PATH, whyLink } from "../ui/links.js";
import { Card, linkLine } from "../ui/parts.js";

interface WhyPageProps {
  context: SiteContext;
  at: Date;
  /** Undefined for an hour that is not over. */
  document: WhyDocument | undefined;
  /** Local date of the first reading; links do not lead before it. */
  first: string;
}

/** The page "Why": a past hour in one card, and the hours and days around it. */
export function WhyPage({ context, at, document, first }: WhyPageProps) {
  const texts = textsOf(context.language).why;
  const { site } = context;
  const format = formatOf(context.language, site.plant.timezone);
  const date = localDate(at, format.zone);
  return (
    <Layout context={context} title={texts.title}>
      <Steps context={context} site={site} at={at} first={first} format={format} />
      <Card
        title={`${format.date(date)}, ${format.time(at)}–${format.time(new Date(at.getTime() + HOUR_MS))}`}
      >
        {document === undefined ? (
          <p class="empty">{texts.future}</p>
        ) : (
          <>
            <p class="lead">{document.sentence}</p>
            {!document.recorded && <Notice kind="info">{texts.notRecorded}</Notice>}
            <Known document={document} site={site} format={format} />
            <Outcome document={document} site={site} format={format} />
          </>
        )}
        {linkLine(historyLink(site, "day", date), texts.toDay)}
      </Card>
    </Layout>
  );
}

/** Links to the hour and the day before and after, as far as there are readings. */
function Steps({
  context,
  site,
  at,
  first,
  format,
}: {
  context: SiteContext;
  site: Site;
  at: Date;
  first: string;
  format: Format;
}) {
  const texts = textsOf(format.language).why;
  const firstMs = dayInterval(first, format.zone).start.getTime();
  const date = localDate(at, format.zone);
  const { hour } = localTime(at, format.zone);
  const day = (by: number) => instantOf(addDays(date, by), hour, format.zone);
  const steps: [label: string, to: Date][] = [
    [`« ${texts.dayBefore}`, day(-1)],
    [`‹ ${texts.hourBefore}`, new Date(at.getTime() - HOUR_MS)],
    [`${texts.hourAfter} ›`, new Date(at.getTime() + HOUR_MS)],
    [`${texts.dayAfter} »`, day(1)],
  ];
  const isPast = (to: Date) => to.getTime() >= firstMs && to.getTime() + HOUR_MS <= context.now.getTime();
  return choicesRow(
    texts.steps,
    steps.filter(([, to]) => isPast(to)).map(([text, to]) => ({ href: whyLink(site, to), text })),
  );
}

interface PartProps {
  document: WhyDocument;
  site: Site;
  format: Format;
}

type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about parts that the plant has. */
const onlyIf = (isThere: boolean, facts: readonly Fact[]) => (isThere ? facts : []);
const isSome = (kwh: number | null) => kwh !== null && kwh > 0;

function factList(facts: readonly Fact[]) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Known({ document: { known, decided }, site, format }: PartProps) {
  const texts = textsOf(format.language).why;
  if (known === undefined || decided === undefined) return null;
  const ct = (value: number | null) => `${format.number(value, 1)} ct/kWh`;
  const origin = known.price_published ? texts.published : texts.forecast;
  return (
    <>
      <h3>{texts.known}</h3>
      {factList([
        [texts.price, `${ct(known.price_ct_kwh)} (${origin})`],
        ...(known.later_at === null
          ? []
          : [[texts.later(format.time(new Date(known.later_at))), ct(known.later_ct_kwh)] as const]),
        [texts.soc, `${format.number(known.soc_pct, 0)} %`],
        ...onlyIf(site.plant.pv.length > 0 || isSome(known.pv_kwh), [
          [texts.pv, `${format.number(known.pv_kwh)} kWh`],
        ]),
        [texts.load, `${format.number(known.load_kwh)} kWh`],
      ])}
      <h3>{texts.decided}</h3>
      <p>{decided.reason}</p>
    </>
  );
}

function Outcome({ document: { known, outcome }, site: { plant }, format }: PartProps) {
  const texts = textsOf(format.language).why;
  if (outcome === undefined)
    return (
      <>
        <h3>{texts.outcome}</h3>
        <p class="empty">{texts.notMeasured}</p>
      </>
    );
  const kwh = (value: number | null) => `${format.number(value)} kWh`;
  const beside = (expected: number | null | undefined, value: number | null) =>
    expected === undefined ? kwh(value) : texts.expectedAnd(format.number(expected), kwh(value));
  const later = known?.later_at ?? null;
  const hasPv = plant.pv.length > 0 || isSome(outcome.pv_kwh);
  const hasBattery = plant.battery !== null || isSome(outcome.charge_kwh) || isSome(outcome.discharge_kwh);
  return (
    <>
      <h3>{texts.outcome}</h3>
      {factList([
        [texts.load, beside(known?.load_kwh, outcome.load_kwh)],
        ...onlyIf(hasPv, [[texts.pv, beside(known?.pv_kwh, outcome.pv_kwh)]]),
        [texts.import, kwh(outcome.import_kwh)],
        ...onlyIf(hasPv || hasBattery, [[texts.export, kwh(outcome.export_kwh)]]),
        ...onlyIf(hasBattery, [
          [texts.charge, kwh(outcome.charge_kwh)],
          [texts.discharge, kwh(outcome.discharge_kwh)],
        ]),
        ...(later === null || outcome.later_ct_kwh === null
          ? []
          : [
              [
                texts.later(format.time(new Date(later))),
                `${format.number(outcome.later_ct_kwh, 1)} ct/kWh`,
              ] as const,
            ]),
        [texts.cost, `${format.number(outcome.cost_eur)} €`],
        ...(outcome.saved_eur === null
          ? []
          : [[texts.saved, `${format.number(outcome.saved_eur)} €`] as const]),
      ])}
      {outcome.saved_eur !== null && <p class="muted">{texts.savedNote}</p>}
    </>
  );
}

/** A past hour: what was known, what was decided, and what came of it. */
export function whyPages({ why }: { why: Pick<WhyService, "at"> }): Page[] {
  return [
    titledPage(({ why: { title } }) => title).get(WHY_PATH, async (context, site) => {
      const { query, now } = context;
      const zone = site.plant.timezone;
      const asked = parseTime(query.get("at") ?? "", zone) ?? new Date(now.getTime() - HOUR_MS);
      const at = new Date(floorTo(asked.getTime(), HOUR_MS));
      const found = await why.at(site, at);
      const document = found && whyDocument(site.id, found, { zone, language: context.language });
      const first = found?.firstDate ?? localDate(now, zone);
      return { page: <WhyPage {...{ context, at, document, first }} /> };
    }),
  ];
}
