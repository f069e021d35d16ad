import type { ComponentChildren } from "preact";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { ErrorSummary, Form, SubmitButton } from "../ui/form.js";
import type { Shown } from "./field-row.js";
import { fieldNamed } from "./form-errors.js";
import { FEE_PREFIX } from "./held-texts.js";
import { labelOf } from "./labels.js";
import { isOptional, type Section } from "./sections.js";

/** Path of the page and of all its forms. */
export const EMS_PATH = "/settings/ems";

interface SectionFormProps {
  context: PageContext;
  shown: Shown;
  section: Section;
  /** Whether the portal overrides the section of the configuration file. */
  canReset: boolean;
  /** Buttons beside "save". */
  buttons?: ComponentChildren;
  children: ComponentChildren;
}

/** A section of the page with its form, buttons and errors. */
export function SectionForm({ context, shown, section, canReset, buttons, children }: SectionFormProps) {
  const texts = textsOf(shown.language).ems;
  return (
    <section class="card" id={section} aria-labelledby={`${section}-title`}>
      <h2 id={`${section}-title`}>{texts.sections[section].title}</h2>
      <p>{texts.sections[section].intro}</p>
      <ErrorSummary context={context} errors={summary(shown, section)} />
      <Form context={context} action={`${EMS_PATH}#${section}`} label={texts.sections[section].title}>
        <DefaultButton />
        {children}
        <div class="buttons">
          <SubmitButton>{texts.save}</SubmitButton>
          {buttons}
          {canReset && (
            <SubmitButton kind="plain" name="reset" value={section}>
              {texts.reset}
            </SubmitButton>
          )}
        </div>
      </Form>
    </section>
  );
}

/** The errors of a section with the labels of their fields. */
export function summary({ errors, language }: Shown, section: Section): Record<string, string> {
  const own = Object.entries(errors).filter(([name]) => sectionOf(name) === section);
  return Object.fromEntries(
    own.map(([name, reason]) => {
      const field = fieldNamed(name);
      const labelled = name.startsWith(FEE_PREFIX) ? "fee" : section;
      return [name, field === undefined ? reason : `${labelOf(labelled, field, language).label}: ${reason}`];
    }),
  );
}

/** Section of a field. */
export function sectionOf(name: string): Section {
  if (name.startsWith("mqtt.telemetry")) return "telemetry";
  const [head = ""] = name.split(".");
  const named = (["battery", "batteries", "pv", "load", "grid", "tariff", "slots"] as const).find(
    (one) => one === head,
  );
  return named ?? "place";
}

/** The enter key presses the first button of a form; it must save, not remove. */
export function DefaultButton() {
  return <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />;
}

/** The empty row for a new entry. */
export function NewRow({
  shown,
  title,
  open = false,
  children,
}: {
  shown: Shown;
  title: string;
  open?: boolean;
  children: ComponentChildren;
}) {
  const texts = textsOf(shown.language).ems;
  return (
    <details class="row" open={open}>
      <summary>{title}</summary>
      {children}
      <SubmitButton kind="plain" name="add" value="row">
        {texts.add}
      </SubmitButton>
    </details>
  );
}

/** Removes a row; `what` names it to screen readers. */
export function RemoveButton({ name, shown, what }: { name: string; shown: Shown; what: string }) {
  return (
    <SubmitButton kind="danger" name="remove" value={name}>
      {textsOf(shown.language).ems.remove}
      <span class="visually-hidden">{` ${what}`}</span>
    </SubmitButton>
  );
}

/** Button that removes an optional section. */
export function DropButton({ section, text }: { section: Section; text: string }) {
  return isOptional(section) ? (
    <SubmitButton kind="danger" name="remove" value={section}>
      {text}
    </SubmitButton>
  ) : null;
}
