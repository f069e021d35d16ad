import { createHash } from "node:crypto";
import { UNDO_HOURS } from "../../accounts/settings-history.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { rowPrefix, rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { EMS_PATH } from "./section-form.js";
import { prefixOf, SECTIONS, type Subject, subjectOf } from "./sections.js";
import { rowSummary, rowTitle, subjectSummary } from "./summary.js";
import { rowKindsOf } from "./views.js";

/** What a page asks to confirm: `remove` is a row or an optional section, `reset` a section. */
export interface Removal {
  field: "remove" | "reset";
  /** Value of the field, such as `pv.1` or `battery`. */
  value: string;
  title: string;
  /** What is lost. */
  summary: string;
}

/** The removal that the query of a page asks for; undefined for none, and for what does not exist. */
export function askedRemoval(
  { query, language }: PageContext,
  subject: Subject,
  held: HeldSettings,
): Removal | undefined {
  const { ems, home } = textsOf(language);
  const reset = SECTIONS.find((section) => section === query.get("reset") && subjectOf(section) === subject);
  if (reset !== undefined) {
    const title = home.remove.resetTitle(ems.sections[reset].title);
    return { field: "reset", value: reset, title, summary: subjectSummary(subject, held, language) };
  }
  const value = query.get("remove") ?? "";
  if ((value === "battery" || value === "tariff") && value === subject && held.plant[value] !== null) {
    const title = home.remove.title(ems.sections[value].title);
    return { field: "remove", value, title, summary: subjectSummary(subject, held, language) };
  }
  const texts = heldTexts(held);
  const kind = rowKindsOf(subject).find((one) => value.startsWith(rowPrefix(one)));
  const row = kind === undefined ? "" : value.slice(rowPrefix(kind).length);
  if (kind === undefined || !rowsIn(texts, kind).includes(row)) return undefined;
  return {
    field: "remove",
    value,
    title: home.remove.title(rowTitle(kind, row, language)),
    summary: rowSummary(kind, texts, `${value}.`, language),
  };
}

/** Identifies the values of a list or section, so that a row is not removed by a number that has shifted. */
export function fingerprint(held: HeldSettings, value: string): string {
  const [head = ""] = value.split(".");
  const prefix = head === "mqtt" ? prefixOf("telemetry") : `${head}.`;
  const texts = [...heldTexts(held)].filter(([name]) => name.startsWith(prefix));
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);
}

/** Asks before something is removed. */
export function ConfirmPage({
  context,
  held,
  removal,
  subject,
}: {
  context: PageContext;
  held: HeldSettings;
  removal: Removal;
  subject: Subject;
}) {
  const { ems, home } = textsOf(context.language);
  const { field, value, title, summary } = removal;
  return (
    <Layout context={context} title={title} stylesheets={["dashboard.css"]}>
      <Notice kind="warning">
        <p>
          <strong>{summary}</strong>
        </p>
        {field === "reset" && <p>{home.remove.resetText}</p>}
        <p>{home.remove.undo(UNDO_HOURS)}</p>
      </Notice>
      <Form context={context} action={EMS_PATH} class="actions">
        <input type="hidden" name={field} value={value} />
        <input type="hidden" name="seen" value={fingerprint(held, value)} />
        <SubmitButton kind="danger">{field === "reset" ? ems.reset : ems.remove}</SubmitButton>
        <a class="button plain" href={`${EMS_PATH}/${subject}`}>
          {home.remove.cancel}
        </a>
      </Form>
    </Layout>
  );
}
