import type { ComponentChildren } from "preact";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { errorSummary } from "../ui/form.js";
import { linkButton } from "../ui/parts.js";
import { GuardedForm } from "../ui/unsaved.js";
import type { Shown } from "./field-row.js";
import { fieldNamed } from "./fields.js";
import { labelOf } from "./labels.js";
import { HELD_FIELD, sectionTexts } from "./requested-change.js";
import { type Section, type Subject, sectionOf, subjectOf } from "./sections.js";
import { ConfirmButton, UnlikelyNotice } from "./unlikely-values.js";

/** Path of the page and of all its forms. */
export const EMS_PATH = "/settings/ems";

/** The page around a form: that of "My home", or a step of the wizard. */
export interface Frame {
  isHome: boolean;
  /** Where its forms are sent to. */
  action: string;
  /** Fields that say which page it is. */
  hidden?: Readonly<Record<string, string>>;
  /** Text of the button; left out: "Save". */
  submit?: string;
  /** Links and buttons beside it. */
  buttons?: ComponentChildren;
  /** Address of a row of a list, or of a new one. */
  addressOf(subject: Subject, row: string): string;
}

/** The frame of the pages of "My home". */
export const HOME_FRAME: Frame = {
  isHome: true,
  action: EMS_PATH,
  addressOf: (subject, row) => `${EMS_PATH}/${subject}?row=${row}`,
};

/** What the forms of a page have in common. */
export interface SectionProps {
  context: PageContext;
  frame: Frame;
  shown: Shown;
  /** The page has forms of several subjects: each needs its heading. */
  hasHeading: boolean;
  /** Sections that the portal overrides in a plant of the configuration file. */
  resettable: ReadonlySet<Section>;
}

interface SectionFormProps extends SectionProps {
  section: Section;
  /** The form of a row: the page of the section has introduced it. */
  isRow?: boolean;
  /** Text of the button; left out: "Save". */
  submit?: string;
  /** Links beside the button. */
  buttons?: ComponentChildren;
  children: ComponentChildren;
}

/** The form of a section, with its errors and a mark while it is not saved. */
export function SectionForm(props: SectionFormProps) {
  const { context, frame, shown, section, submit, buttons, children } = props;
  const { ems } = textsOf(shown.language);
  return (
    <SectionCard {...props}>
      {errorSummary(context, summary(shown, section))}
      <GuardedForm
        context={context}
        action={frame.action}
        label={ems.sections[section].title}
        hidden={{ ...frame.hidden, [HELD_FIELD]: sectionTexts(shown.held, section) }}
        isTyped={shown.typed.size > 0}
        submit={frame.submit ?? submit ?? ems.save}
        buttons={
          <>
            <ConfirmButton question={shown.question} language={shown.language} />
            {buttons}
            {frame.buttons}
          </>
        }
      >
        <UnlikelyNotice question={shown.question} language={shown.language} />
        {children}
      </GuardedForm>
    </SectionCard>
  );
}

/** A section without or around its form. */
export function SectionCard({
  shown,
  section,
  hasHeading,
  isRow = false,
  frame,
  children,
}: Pick<SectionFormProps, "shown" | "section" | "hasHeading" | "isRow" | "frame" | "children">) {
  const { title, intro } = textsOf(shown.language).ems.sections[section];
  return (
    <section class={frame.isHome ? "card" : undefined} id={section} aria-label={title}>
      {hasHeading && <h2>{title}</h2>}
      {!isRow && frame.isHome && <p>{intro}</p>}
      {children}
    </section>
  );
}

/** The errors of a section with the labels of their fields. */
export function summary(
  { errors, language }: Pick<Shown, "errors" | "language">,
  section: Section,
): Record<string, string> {
  const own = Object.entries(errors).filter(([name]) => sectionOf(name) === section);
  return Object.fromEntries(
    own.map(([name, reason]) => {
      const field = fieldNamed(name);
      return [name, field === undefined ? reason : `${labelOf(section, field, language).label}: ${reason}`];
    }),
  );
}

/** Address of the page that asks before something is removed or reset. */
function confirmationOf(section: Section, query: Record<string, string>): string {
  return `${EMS_PATH}/${subjectOf(section)}?${new URLSearchParams(query)}`;
}

/** Leads to the confirmation of a removal; `value` is a row or an optional section, `what` names it to screen readers. */
export function removeLink(section: Section, value: string, text: string, what: string = "") {
  return (
    <a class="button danger" href={confirmationOf(section, { remove: value })}>
      {text}
      {what !== "" && <span class="visually-hidden">{` ${what}`}</span>}
    </a>
  );
}

/** Leads to the confirmation of a reset to the configuration file, where the portal overrides the section. */
export function ResetLink({ section, shown, frame, resettable }: { section: Section } & SectionProps) {
  if (!resettable.has(section) || !frame.isHome) return null;
  return linkButton(
    confirmationOf(section, { reset: section }),
    textsOf(shown.language).ems.reset,
    "button plain",
  );
}
