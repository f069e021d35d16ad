import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Notice } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Fields, type Shown } from "./field-row.js";
import { rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { type LastBillCheck, lastBillCard } from "./last-bill.js";
import type { HourPrice } from "./price-note.js";
import { questionsOf } from "./questions.js";
import { newTitle, RowForm, RowList, type TopicNews } from "./rows.js";
import { type LastChange, LastChangeCard, SavedNotice, type SaveOutcome } from "./saved-notice.js";
import {
  EMS_PATH,
  type Frame,
  HOME_FRAME,
  ResetLink,
  removeLink,
  SectionForm,
  type SectionProps,
} from "./section-form.js";
import { prefixOf, type Section } from "./sections.js";
import type { RefusedForm } from "./settings-forms.js";
import { rowName } from "./summary.js";
import { TariffForm } from "./tariff-form.js";
import type { View } from "./views.js";

/** What the forms of a site show beside its settings. */
export interface FormFacts {
  held: HeldSettings;
  resettable: ReadonlySet<Section>;
  news: TopicNews;
  /** The price of the present hour under the tariff of the form. */
  price: HourPrice | undefined;
}

interface FormsProps extends FormFacts {
  context: PageContext;
  frame: Frame;
  views: readonly View[];
  /** A form that was not saved. */
  refused: Omit<RefusedForm, "views"> | undefined;
}

/** The forms of the subjects of "My home", on their pages and in the wizard. */
export function SubjectForms({ context, frame, views, refused, ...facts }: FormsProps) {
  const held = heldTexts(facts.held);
  const typed = refused?.typed ?? new Map<string, string>();
  const shown: Shown = {
    language: context.language,
    texts: new Map([...held, ...typed]),
    held,
    typed,
    errors: refused?.errors ?? {},
    question: refused?.question,
  };
  return (
    <>
      {refused?.why !== undefined && <Notice kind="error">{refused.why}</Notice>}
      {views.map((view) => (
        <SubjectView
          key={`${view.subject} ${view.rows?.kind}`}
          {...facts}
          context={context}
          frame={frame}
          shown={shown}
          hasHeading={views.length > 1}
          view={view}
        />
      ))}
    </>
  );
}

export interface SubjectPageProps extends Omit<FormsProps, "frame"> {
  last: LastChange | undefined;
  outcome: SaveOutcome | undefined;
  bill: LastBillCheck | undefined;
}

/** The page of a subject of "My home", or of one of its rows. */
export function SubjectPage({ last, outcome, bill, ...props }: SubjectPageProps) {
  const { context, views, held, refused } = props;
  const { ems, home } = textsOf(context.language);
  const [view] = views;
  const single = views.length === 1 && view !== undefined ? view : undefined;
  const subject = single && ems.sections[single.subject].title;
  const row = single?.rows?.names.length === 1 ? rowOf(single.rows, held, context) : undefined;
  return (
    <Layout
      context={context}
      title={row ?? subject ?? home.title}
      scripts={["client/settings.js", "client/start.js"]}
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
      <SavedNotice context={context} held={held} last={last} outcome={outcome} />
      <SubjectForms {...props} frame={HOME_FRAME} />
      {single?.subject === "tariff" &&
        held.plant.tariff !== null &&
        lastBillCard(context, bill, held.plant.timezone)}
      {(outcome !== undefined || row === undefined) && refused === undefined && (
        <LastChangeCard context={context} held={held} last={last} outcome={outcome} />
      )}
    </Layout>
  );
}

function rowOf({ kind, names }: NonNullable<View["rows"]>, held: HeldSettings, context: PageContext): string {
  const [name = ""] = names;
  const texts = heldTexts(held);
  return rowsIn(texts, kind).includes(name)
    ? rowName(kind, texts, name, context.language)
    : newTitle(kind, context);
}

function SubjectView({
  view: { subject, rows },
  price,
  ...props
}: SectionProps & Pick<FormFacts, "held" | "news" | "price"> & { view: View }) {
  const { ems } = textsOf(props.shown.language);
  if (rows !== undefined) return <RowForm {...props} kind={rows.kind} rows={rows.names} />;
  const { battery, batteries } = props.held.plant;
  switch (subject) {
    case "battery":
      return (
        <>
          {batteries.length === 0 && <PlainForm {...props} section="battery" isAbsent={battery === null} />}
          {battery !== null && (
            <RowList
              {...props}
              kind="batteries"
              title={ems.sections.batteries.title}
              isFolded={batteries.length === 0}
            />
          )}
        </>
      );
    case "tariff":
      return <TariffForm {...props} price={price} />;
    case "place":
    case "load":
    case "grid":
      return <PlainForm {...props} section={subject} />;
    default:
      return <RowList {...props} kind={subject} />;
  }
}

/** A section of single values. */
function PlainForm({
  section,
  isAbsent = false,
  ...props
}: SectionProps & { section: "place" | "battery" | "load" | "grid"; isAbsent?: boolean }) {
  const texts = textsOf(props.shown.language).ems.battery;
  return (
    <SectionForm
      {...props}
      section={section}
      buttons={
        <>
          {section === "battery" &&
            !isAbsent &&
            props.frame.isHome &&
            removeLink("battery", "battery", texts.drop)}
          <ResetLink {...props} section={section} />
        </>
      }
    >
      {isAbsent && <p class="empty">{texts.none}</p>}
      <Fields
        shown={props.shown}
        section={section}
        questions={questionsOf(section)}
        prefix={prefixOf(section)}
      />
    </SectionForm>
  );
}
