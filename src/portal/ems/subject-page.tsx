import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { type FieldErrors, Notice } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { DatedPrices, type RefusedPrices } from "./dated-prices.js";
import type { FieldTexts } from "./field-text.js";
import { rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { newTitle, RowForm, RowList, type TopicNews } from "./rows.js";
import { type LastChange, LastChangeCard, SavedNotice, type SaveOutcome } from "./saved-notice.js";
import { EMS_PATH, type SectionProps } from "./section-form.js";
import { BatterySection, PlainSection, TariffSection } from "./section-forms.js";
import type { Section } from "./sections.js";
import { rowTitle } from "./summary.js";
import type { UnlikelyQuestion } from "./unlikely-values.js";
import { rowKindsOf, type View } from "./views.js";

export interface SubjectPageProps {
  context: PageContext;
  /** One subject, or those of a refused form. */
  views: readonly View[];
  held: HeldSettings;
  resettable: ReadonlySet<Section>;
  /** A refused form: what was typed, and why it is refused. */
  typed: FieldTexts;
  errors: FieldErrors;
  question: UnlikelyQuestion | undefined;
  /** Why nothing was done. */
  refused: string | undefined;
  last: LastChange | undefined;
  outcome: SaveOutcome | undefined;
  news: TopicNews;
  /** A form of prices with dates that was not saved. */
  prices?: RefusedPrices | undefined;
}

/** The page of a subject of "My home", or of one of its rows. */
export function SubjectPage(props: SubjectPageProps) {
  const { context, views, held, typed, errors, last, outcome } = props;
  const { language } = context;
  const { ems, home } = textsOf(language);
  const [view] = views;
  const single = views.length === 1 && view !== undefined ? view : undefined;
  const subject = single && ems.sections[single.subject].title;
  const row = single?.rows?.names.length === 1 ? rowOf(single.rows, held, context) : undefined;
  const texts = heldTexts(held);
  const shown = {
    language,
    texts: new Map([...texts, ...typed]),
    held: texts,
    typed,
    errors,
    question: props.question,
  };
  const common = { context, shown, resettable: props.resettable, hasHeading: single === undefined };
  return (
    <Layout
      context={context}
      title={row ?? subject ?? home.title}
      scripts={["client/settings.js"]}
      stylesheets={["dashboard.css"]}
    >
      <p class="back">
        {"‹ "}
        <a href={EMS_PATH}>{home.title}</a>
        {row !== undefined && (
          <>
            {" › "}
            <a href={`${EMS_PATH}/${single!.subject}`}>{subject}</a>
          </>
        )}
      </p>
      {props.refused !== undefined && <Notice kind="error">{props.refused}</Notice>}
      <SavedNotice context={context} held={held} last={last} outcome={outcome} />
      {views.map((one) => (
        <SubjectView
          key={`${one.subject} ${one.rows?.kind}`}
          {...common}
          view={one}
          held={held}
          news={props.news}
          prices={props.prices}
        />
      ))}
      {(outcome !== undefined || row === undefined) && (
        <LastChangeCard context={context} held={held} last={last} outcome={outcome} />
      )}
    </Layout>
  );
}

function rowOf({ kind, names }: NonNullable<View["rows"]>, held: HeldSettings, context: PageContext): string {
  const [name = ""] = names;
  const isNew = kind !== "slots" && !rowsIn(heldTexts(held), kind).includes(name);
  return isNew ? newTitle(kind, context) : rowTitle(kind, name, context.language);
}

function SubjectView({
  view: { subject, rows },
  held,
  news,
  prices,
  ...common
}: SectionProps & Pick<SubjectPageProps, "held" | "news" | "prices"> & { view: View }) {
  const texts = textsOf(common.shown.language).ems;
  const list = { ...common, held, news };
  if (rows !== undefined) return <RowForm {...list} kind={rows.kind} rows={rows.names} />;
  const { battery, batteries, tariff } = held.plant;
  switch (subject) {
    case "battery":
      return (
        <>
          {batteries.length === 0 && <BatterySection {...common} present={battery !== null} />}
          {battery !== null && (
            <RowList
              {...list}
              kind="batteries"
              title={texts.sections.batteries.title}
              isFolded={batteries.length === 0}
            />
          )}
        </>
      );
    case "tariff":
      return (
        <>
          {Array.isArray(tariff) ? (
            <DatedPrices {...common} tariff={tariff} refused={prices} />
          ) : (
            <TariffSection {...common} present={tariff !== null} />
          )}
          {!Array.isArray(tariff) && (
            <RowList
              {...list}
              kind="fee"
              title={texts.tariff.windows}
              isFolded={rowsIn(common.shown.texts, "fee").length === 0}
            />
          )}
        </>
      );
    case "pv":
    case "slots":
    case "telemetry":
      return <RowList {...list} kind={rowKindsOf(subject)[0]!} />;
    default:
      return <PlainSection {...common} section={subject} />;
  }
}
