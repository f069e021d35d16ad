import type { ComponentChildren } from "preact";
import type { TelemetryMapEntry } from "../../config/settings.js";
import { textsOf } from "../../texts/index.js";
import { Notice } from "../ui/form.js";
import { FROM_FIELD, FromDateField } from "../ui/from-date.js";
import { Fields, type Shown } from "./field-row.js";
import { fieldsOf, type RowKind, rowFieldsOf, rowPrefix, rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { type LastPayload, Preview } from "./payload-preview.js";
import { EMS_PATH, RemoveLink, ResetLink, SectionForm, type SectionProps } from "./section-form.js";
import { type Section, subjectOf } from "./sections.js";
import { rowSummary, rowTitle } from "./summary.js";

/** Numbers of the devices. */
const SLOTS = ["1", "2", "3", "4", "5", "6", "7", "8"];

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

/** The section that the rows of a list belong to. */
export const sectionOfRows = (kind: RowKind): Section => (kind === "fee" ? "tariff" : kind);

/** The rows of a list in a line each; every row has a page of its own. */
export function RowList(props: RowsProps & { title?: string; isFolded?: boolean }) {
  const { kind, held, shown, title, isFolded = false } = props;
  const { ems, home } = textsOf(shown.language);
  const texts = heldTexts(held);
  const rows = rowsIn(texts, kind);
  const section = sectionOfRows(kind);
  const addressOf = (row: string) => `${EMS_PATH}/${subjectOf(section)}?row=${row}`;
  const name = title ?? ems.sections[section].title;
  const list = (
    <>
      {kind !== "fee" && <p>{ems.sections[section].intro}</p>}
      {rows.length === 0 && kind !== "slots" && <p class="empty">{home.rows.none}</p>}
      <ul class="subjects">
        {(kind === "slots" ? SLOTS : rows).map((row) => (
          <li key={row}>
            <a href={addressOf(row)}>{rowTitle(kind, row, shown.language)}</a>
            <span class="hint">
              {rows.includes(row)
                ? rowSummary(kind, texts, `${rowPrefix(kind)}${row}.`, shown.language)
                : ems.newSlot}
            </span>
            <EntryState {...props} row={row} />
          </li>
        ))}
      </ul>
      <div class="buttons">
        {kind !== "slots" && (
          <a class="button plain" href={addressOf("new")}>
            {newTitle(kind, shown)}
          </a>
        )}
        {kind !== "fee" && <ResetLink {...props} section={section} />}
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
      section={sectionOfRows(kind)}
      isRow
      {...(isNew && { submit: ems.add })}
      buttons={
        single !== undefined &&
        !isNew && (
          <RemoveLink
            section={sectionOfRows(kind)}
            value={rowPrefix(kind) + single}
            text={ems.remove}
            what={rowTitle(kind, single, shown.language)}
          />
        )
      }
    >
      {rows.map((row) => (
        <RowFrame key={row} title={single === undefined ? rowTitle(kind, row, shown.language) : undefined}>
          <RowFields {...props} row={row} />
        </RowFrame>
      ))}
      {kind === "fee" && held.plant.tariff !== null && (
        <FromDateField context={props.context} value={shown.typed.get(FROM_FIELD)} />
      )}
    </SectionForm>
  );
}

function RowFrame({ title, children }: { title: string | undefined; children: ComponentChildren }) {
  if (title === undefined) return <>{children}</>;
  return (
    <fieldset>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function RowFields({ kind, row, shown, context, held, news }: RowsProps & { row: string }) {
  const prefix = `${rowPrefix(kind)}${row}.`;
  if (kind === "fee")
    return <Fields shown={shown} section="fee" fields={rowFieldsOf("fee")} prefix={prefix} />;
  const fields = fieldsOf(kind);
  const entry = kind === "telemetry" ? held.telemetry[Number(row)] : undefined;
  return (
    <>
      <Fields
        shown={shown}
        section={kind}
        fields={kind === "slots" ? fields.filter(({ part }) => part === undefined) : fields}
        prefix={prefix}
      />
      {kind === "slots" &&
        (["vehicle", "store", "sg_ready"] as const).map((part) => (
          <SlotPart key={part} shown={shown} part={part} prefix={prefix} />
        ))}
      {entry !== undefined && news.isWaiting(entry) && (
        <Notice kind="warning">{textsOf(shown.language).ems.waiting}</Notice>
      )}
      {entry !== undefined && !news.isWaiting(entry) && (
        <Preview
          context={context}
          entry={entry}
          payloads={news.payloadsOf(entry)}
          zone={held.plant.timezone}
        />
      )}
    </>
  );
}

/** In the list of topics: an entry that is not used yet. */
function EntryState({ kind, row, held, news, shown }: RowsProps & { row: string }) {
  const entry = kind === "telemetry" ? held.telemetry[Number(row)] : undefined;
  if (entry === undefined || !news.isWaiting(entry)) return null;
  return <p class="error">{textsOf(shown.language).ems.waiting}</p>;
}

/** An optional section of a device; its required field is empty where the device has none. */
function SlotPart({
  shown,
  part,
  prefix,
}: {
  shown: Shown;
  part: "vehicle" | "store" | "sg_ready";
  prefix: string;
}) {
  const fields = fieldsOf("slots").filter((field) => field.part === part);
  const isUsed = fields.some((field) => field.required && shown.texts.get(prefix + field.path.join(".")));
  const hasErrors = Object.keys(shown.errors).some((name) => name.startsWith(`${prefix}${part}`));
  return (
    <details class="row" open={isUsed || hasErrors}>
      <summary>{textsOf(shown.language).ems.slotParts[part]}</summary>
      <Fields shown={shown} section="slots" fields={fields} prefix={prefix} />
    </details>
  );
}

/** Title of a row that does not exist yet. */
export function newTitle(kind: Exclude<RowKind, "slots">, { language }: Pick<Shown, "language">): string {
  const { ems } = textsOf(language);
  switch (kind) {
    case "batteries":
      return ems.newBattery;
    case "pv":
      return ems.newArray;
    case "telemetry":
      return ems.newEntry;
    default:
      return ems.tariff.newWindow;
  }
}

/** The row that a page is asked for, `new` for the next one; undefined if there is none. */
export function askedRow(kind: RowKind, asked: string | null, held: HeldSettings): string | undefined {
  const rows = kind === "slots" ? SLOTS : rowsIn(heldTexts(held), kind);
  if (asked === "new" && kind !== "slots") return nextRow(kind, held);
  return rows.find((row) => row === asked);
}

function nextRow(kind: RowKind, held: HeldSettings): string {
  return String(Math.max(-1, ...rowsIn(heldTexts(held), kind).map(Number)) + 1);
}
