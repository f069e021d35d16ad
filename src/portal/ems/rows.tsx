import type { TelemetryMapEntry } from "../../config/settings.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import { textsOf } from "../../texts/index.js";
import { Notice } from "../ui/form.js";
import { linkButton } from "../ui/parts.js";
import { Fields, type Shown } from "./field-row.js";
import type { Field } from "./field-text.js";
import { rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { type LastPayload, preview } from "./payload-preview.js";
import { type Question, questionsOf } from "./questions.js";
import { ResetLink, removeLink, SectionForm, type SectionProps } from "./section-form.js";
import { prefixOf, type RowKind, subjectOf } from "./sections.js";
import { rowName, rowSummary, rowTitle } from "./summary.js";

/** What the gateway knows of an entry of the topic map. */
export interface TopicNews {
  /** Whether an entry is ignored until the administrator approves its topic. */
  isWaiting(entry: TelemetryMapEntry): boolean;
  /** The last messages on topics that an entry matches. */
  payloadsOf(entry: TelemetryMapEntry): readonly LastPayload[];
}

interface RowsProps extends SectionProps {
  kind: RowKind;
  held: HeldSettings;
  news: TopicNews;
}

/** The rows of a list in a line each; every row has a page of its own. */
export function RowList(props: RowsProps & { title?: string; isFolded?: boolean }) {
  const { kind, held, shown, title, isFolded = false } = props;
  const { ems, home } = textsOf(shown.language);
  const texts = heldTexts(held);
  const rows = rowsIn(texts, kind);
  const addressOf = (row: string) => props.frame.addressOf(subjectOf(kind), row);
  const name = title ?? ems.sections[kind].title;
  const list = (
    <>
      <p>{ems.sections[kind].intro}</p>
      {rows.length === 0 && <p class="empty">{home.rows.none}</p>}
      <ul class="subjects">
        {rows.map((row) => (
          <li key={row}>
            <a href={addressOf(row)}>{rowName(kind, texts, row, shown.language)}</a>
            <span class="hint">{rowSummary(kind, texts, `${prefixOf(kind)}${row}.`, shown.language)}</span>
            <EntryState {...props} row={row} />
          </li>
        ))}
      </ul>
      <div class="buttons">
        {nextRow(kind, held) !== undefined &&
          linkButton(addressOf("new"), newTitle(kind, shown), "button plain")}
        <ResetLink {...props} section={kind} />
      </div>
    </>
  );
  if (isFolded)
    return (
      <details class="card" id={kind}>
        <summary>{name}</summary>
        {list}
      </details>
    );
  return (
    <section class="card" id={kind} aria-label={name}>
      {(title !== undefined || props.hasHeading) && <h2>{name}</h2>}
      {list}
    </section>
  );
}

/** The form of one row, or of all rows of a refused form. */
export function RowForm(props: RowsProps & { rows: readonly string[] }) {
  const { kind, rows, held, shown } = props;
  const { ems } = textsOf(shown.language);
  const isHeld = (row: string) => rowsIn(heldTexts(held), kind).includes(row);
  const single = rows.length === 1 ? rows[0] : undefined;
  const isNew = single !== undefined && !isHeld(single);
  return (
    <SectionForm
      {...props}
      section={kind}
      isRow
      {...(isNew && { submit: ems.add })}
      buttons={
        single !== undefined &&
        !isNew && (
          <>
            {kind === "slots" &&
              shown.held.get(`slots.${single}.vehicle.capacity_kwh`) !== undefined &&
              linkButton(`/car?slot=${single}`, ems.toCar, "button plain")}
            {removeLink(
              kind,
              prefixOf(kind) + single,
              ems.remove,
              rowName(kind, heldTexts(held), single, shown.language),
            )}
          </>
        )
      }
    >
      {single !== undefined ? (
        <RowFields {...props} row={single} />
      ) : (
        rows.map((row) => (
          <fieldset key={row}>
            <legend>{rowTitle(kind, row, shown.language)}</legend>
            <RowFields {...props} row={row} />
          </fieldset>
        ))
      )}
    </SectionForm>
  );
}

function RowFields({ kind, row, shown, context, held, news }: RowsProps & { row: string }) {
  const prefix = `${prefixOf(kind)}${row}.`;
  const entry = kind === "telemetry" ? held.telemetry[Number(row)] : undefined;
  return (
    <>
      <Fields shown={shown} section={kind} questions={rowQuestions(kind, row, shown)} prefix={prefix} />
      {entry !== undefined && news.isWaiting(entry) && (
        <Notice kind="warning">{textsOf(shown.language).ems.waiting}</Notice>
      )}
      {entry !== undefined &&
        !news.isWaiting(entry) &&
        preview(context, entry, news.payloadsOf(entry), held.plant.timezone)}
    </>
  );
}

/** The kind of device that has a part, such as a vehicle, or a field. */
const KIND_OF: Readonly<Record<string, string>> = {
  vehicle: "wallbox",
  battery_to_ev_pct: "wallbox",
  store: "boiler",
  sg_ready: "heat_pump",
};

/** The questions of a row: a new one is asked what it is, and a device only what its kind has. */
function rowQuestions(kind: RowKind, row: string, { held, texts, errors }: Shown): Question[] {
  const prefix = `${prefixOf(kind)}${row}.`;
  const isNew = !rowsIn(held, kind).includes(row);
  const type = isNew ? undefined : texts.get(`${prefix}kind`);
  const isAsked = (field: Field) => {
    const key = field.path.join(".");
    const name = prefix + key;
    if (key === "id" || errors[name] !== undefined) return errors[name] !== undefined;
    const ofKind = KIND_OF[field.part ?? key];
    if (ofKind !== undefined) return type === ofKind || texts.get(name) !== held.get(name);
    if (key === "kind" && kind === "slots") return !isNew;
    return field.filler?.isForNew !== true || isNew;
  };
  return questionsOf(kind)
    .map(({ id, fields }) => ({ id, fields: fields.filter(isAsked) }))
    .filter(({ fields }) => fields.length > 0);
}

/** In the list of topics: an entry that is not used yet. */
function EntryState({ kind, row, held, news, shown }: RowsProps & { row: string }) {
  const entry = kind === "telemetry" ? held.telemetry[Number(row)] : undefined;
  if (entry === undefined || !news.isWaiting(entry)) return null;
  return <p class="error">{textsOf(shown.language).ems.waiting}</p>;
}

/** Title of a row that does not exist yet. */
export function newTitle(kind: RowKind, { language }: Pick<Shown, "language">): string {
  const { newBattery, newArray, newDevice, newEntry } = textsOf(language).ems;
  return { batteries: newBattery, pv: newArray, slots: newDevice, telemetry: newEntry }[kind];
}

/** The row that a page is asked for, `new` for the next one; undefined if there is none. */
export function askedRow(kind: RowKind, asked: string | null, held: HeldSettings): string | undefined {
  if (asked === "new") return nextRow(kind, held);
  const rows = kind === "slots" ? SLOT_NUMBERS.map(String) : rowsIn(heldTexts(held), kind);
  return rows.find((row) => row === asked);
}

/** The name of the next row; undefined where the list is full. */
function nextRow(kind: RowKind, held: HeldSettings): string | undefined {
  const rows = rowsIn(heldTexts(held), kind);
  if (kind === "slots") return SLOT_NUMBERS.map(String).find((row) => !rows.includes(row));
  return String(Math.max(-1, ...rows.map(Number)) + 1);
}
