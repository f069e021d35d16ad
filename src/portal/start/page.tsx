import type { ComponentChildren } from "preact";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { errorSummary, type FieldErrors, Form } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { submitButton } from "../ui/parts.js";
import { DefaultButton } from "../ui/unsaved.js";
import { STEPS, type StepId } from "./progress.js";

export const START_PATH = "/start";

/** Whether a step is done, was skipped, or is still open. */
export type StepState = "done" | "skipped" | "open";

interface StartPageProps {
  context: SignedInContext;
  step: StepId;
  states: Readonly<Record<StepId, StepState>>;
  refreshSeconds?: number | undefined;
  children: ComponentChildren;
}

/** The frame of all steps: the list of steps with their states, and the present one. */
export function StartPage(props: StartPageProps) {
  const { context, step, states, refreshSeconds, children } = props;
  const texts = textsOf(context.language).start;
  const number = [...STEPS, step].indexOf(step) + 1;
  return (
    <Layout
      {...{ context, refreshSeconds }}
      title={texts.title}
      scripts={["client/settings.js", "client/start.js"]}
    >
      <div class="wizard-steps">
        <ol aria-label={texts.stepsLabel}>
          {STEPS.map((one) => (
            <li key={one} class={states[one]} aria-current={one === step ? "step" : undefined}>
              <a href={`${START_PATH}?step=${one}`}>
                <span class="visually-hidden">
                  {`${texts.steps[one].name} (${texts.states[states[one]]})`}
                </span>
              </a>
            </li>
          ))}
        </ol>
        {number <= STEPS.length && texts.progress(number, STEPS.length)}
      </div>
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
  errors?: FieldErrors;
  children?: ComponentChildren;
}

/** The form of a step that sets nothing of the settings. */
export function StepForm({ context, step, errors = {}, children }: StepFormProps) {
  const { start } = textsOf(context.language);
  const isPassing = step === "find";
  return (
    <>
      {errorSummary(context, errors)}
      <Form context={context} action={START_PATH} label={start.steps[step].title} hidden={{ step }}>
        <DefaultButton />
        {children}
        <div class="buttons">
          {submitButton(isPassing ? start.goOn : start.next, { kind: isPassing ? "plain" : "primary" })}
          {stepButtons(context, step, !isPassing)}
        </div>
      </Form>
    </>
  );
}

/** Beside the button that saves a step: leaves it without saving. */
export function stepButtons(context: SignedInContext, step: StepId, isSkippable = true) {
  const { start } = textsOf(context.language);
  const previous = STEPS.find((_, index) => STEPS[index + 1] === step);
  return (
    <>
      {isSkippable && submitButton(start.skip, { kind: "plain", name: "skip", value: "true" })}
      {previous !== undefined && <a href={`${START_PATH}?step=${previous}`}>{start.back}</a>}
    </>
  );
}
