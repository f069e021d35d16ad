import type { ComponentChildren } from "preact";
import { type PlausibilityWarning, plausibilityText } from "../../config/plausibility.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { UndoableNotice } from "../ems/saved-notice.js";
import { ConfirmButton, UnlikelyNotice } from "../ems/unlikely-question.js";
import { confirmationOf, type UnlikelyQuestion } from "../ems/unlikely-values.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { NewKey } from "../ui/notices.js";
import { STEPS, type StepId } from "./progress.js";

export const START_PATH = "/start";

/** Whether a step is done, was skipped, or is still open. */
export type StepState = "done" | "skipped" | "open";

interface StartPageProps {
  context: SignedInContext;
  step: StepId;
  states: Readonly<Record<StepId, StepState>>;
  apiKey: string | undefined;
  refreshSeconds?: number | undefined;
  children: ComponentChildren;
}

/** The frame of all steps: the list of steps with their states, and the present one. */
export function StartPage(props: StartPageProps) {
  const { context, step, states, apiKey, refreshSeconds, children } = props;
  const texts = textsOf(context.language).start;
  return (
    <Layout
      context={context}
      title={texts.title}
      stylesheets={["dashboard.css"]}
      scripts={["client/start.js"]}
      refreshSeconds={refreshSeconds}
    >
      <NewKey context={context} apiKey={apiKey} />
      <UndoableNotice context={context} back={`${START_PATH}?step=${step}`} />
      <p>{texts.intro}</p>
      <nav class="wizard-steps" aria-label={texts.stepsLabel}>
        <ol>
          {STEPS.map((one) => (
            <li key={one}>
              <a
                href={`${START_PATH}?step=${one}`}
                class={states[one]}
                aria-current={one === step ? "step" : undefined}
              >
                {texts.steps[one].name}
                {states[one] !== "open" && (
                  <span class="visually-hidden">{` (${texts.states[states[one]]})`}</span>
                )}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <section class="card" aria-labelledby="step-title">
        <h2 id="step-title">{texts.steps[step].title}</h2>
        <p>{texts.steps[step].intro}</p>
        {children}
      </section>
    </Layout>
  );
}

interface StepFormProps {
  context: SignedInContext;
  step: StepId;
  errors: FieldErrors;
  /** Unlikely values; the form then has a button that confirms them. */
  warnings?: readonly PlausibilityWarning[];
  /** Buttons before "skip". */
  buttons?: ComponentChildren;
  children: ComponentChildren;
}

/** The form of a step: its fields, and the buttons that save or skip it. */
export function StepForm({ context, step, errors, warnings = [], buttons, children }: StepFormProps) {
  const { language } = context;
  const { start } = textsOf(language);
  const previous = STEPS[STEPS.indexOf(step) - 1];
  const question: UnlikelyQuestion | undefined =
    warnings.length === 0
      ? undefined
      : {
          lines: warnings.map((warning) => plausibilityText(warning, language)),
          confirmation: confirmationOf(warnings),
        };
  return (
    <>
      <ErrorSummary context={context} errors={errors} />
      <Form context={context} action={START_PATH} label={start.steps[step].title} class="wizard">
        <input type="hidden" name="step" value={step} />
        {/* The enter key presses the first button. */}
        <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />
        <UnlikelyNotice question={question} language={language} />
        {children}
        <div class="actions">
          <SubmitButton kind={step === "find" ? "plain" : "primary"}>
            {step === "connection" ? start.toPlan : step === "find" ? start.goOn : start.next}
          </SubmitButton>
          <ConfirmButton question={question} language={language} />
          {buttons}
          {step !== "connection" && step !== "find" && (
            <SubmitButton kind="plain" name="skip" value="true">
              {start.skip}
            </SubmitButton>
          )}
          {previous !== undefined && <a href={`${START_PATH}?step=${previous}`}>{start.back}</a>}
        </div>
      </Form>
    </>
  );
}
