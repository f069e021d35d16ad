import { createHash } from "node:crypto";
import { UNDO_HOURS } from "../../accounts/settings-history.js";
import { localDate } from "../../core/time/zone.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { linkButton } from "../ui/parts.js";
import { rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { EMS_PATH } from "./section-form.js";
import { prefixOf, SECTIONS, type Subject, subjectOf } from "./sections.js";
import { sentenceOf } from "./sentences.js";
import { rowName, rowSummary } from "./summary.js";
import { tariffMark, withoutPeriod } from "./tariff-fields.js";
import { energyWords } from "./tariff-words.js";
import { rowKindOf } from "./views.js";

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
  { query, language, now }: PageContext,
  subject: Subject,
  held: HeldSettings,
): Removal | undefined {
  const { ems, home } = textsOf(language);
  const today = localDate(now, held.plant.timezone);
  const lost = sentenceOf(subject, { held, language, today, ctKwh: undefined });
  const reset = SECTIONS.find((section) => section === query.get("reset") && subjectOf(section) === subject);
  if (reset !== undefined) {
    const title = home.remove.resetTitle(ems.sections[reset].title);
    return { field: "reset", value: reset, title, summary: lost };
  }
  const value = query.get("remove") ?? "";
  if ((value === "battery" || value === "tariff") && value === subject && held.plant[value] !== null) {
    const title = home.remove.title(ems.sections[value].title);
    return { field: "remove", value, title, summary: lost };
  }
  const [, date] = /^tariff\.(\d{4}-\d{2}-\d{2})$/.exec(value) ?? [];
  if (date !== undefined && subject === "tariff") {
    const period = ownPeriods(held.plant.tariff ?? {}).find(({ valid_from }) => valid_from === date);
    if (period === undefined || withoutPeriod(held.plant.tariff, date) === undefined) return undefined;
    const shown = formatOf(language, held.plant.timezone).date(date);
    return {
      field: "remove",
      value,
      title: home.remove.title(ems.tariff.from(shown)),
      summary: energyWords(period, language),
    };
  }
  const texts = heldTexts(held);
  const kind = rowKindOf(subject);
  const row = kind && rowsIn(texts, kind).find((one) => value === prefixOf(kind) + one);
  if (kind === undefined || row === undefined) return undefined;
  return {
    field: "remove",
    value,
    title: home.remove.title(rowName(kind, texts, row, language)),
    summary: rowSummary(kind, texts, `${value}.`, language),
  };
}

/** Identifies the values of a list or section, so that a row is not removed by a number that has shifted. */
export function fingerprint(held: HeldSettings, value: string): string {
  const [head = ""] = value.split(".");
  if (head === "tariff") return tariffMark(held.plant.tariff);
  const prefix = head === "mqtt" ? prefixOf("telemetry") : `${head}.`;
  const texts = [...heldTexts(held)].filter(([name]) => name.startsWith(prefix));
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);
}

/** Asks before something is removed. */
export function confirmPage(context: PageContext, held: HeldSettings, removal: Removal, subject: Subject) {
  const { ems, home } = textsOf(context.language);
  const { field, value, title, summary } = removal;
  return (
    <Layout context={context} title={title}>
      <Notice kind="warning">
        <p>
          <strong>{summary}</strong>
        </p>
        {field === "reset" && <p>{home.remove.resetText}</p>}
        <p>{home.remove.undo(UNDO_HOURS)}</p>
      </Notice>
      <Form
        context={context}
        action={EMS_PATH}
        class="actions"
        hidden={{ [field]: value, seen: fingerprint(held, value) }}
      >
        <SubmitButton kind="danger">{field === "reset" ? ems.reset : ems.remove}</SubmitButton>
        {linkButton(`${EMS_PATH}/${subject}`, home.remove.cancel, "button plain")}
      </Form>
    </Layout>
  );
}
