import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { Notice, SubmitButton } from "../ui/form.js";
import { bullets } from "../ui/parts.js";
import type { UnlikelyQuestion } from "./unlikely-values.js";

interface QuestionProps {
  /** Undefined: there is nothing to ask. */
  question: UnlikelyQuestion | undefined;
  language: Language;
}

/** In a form: which values are unlikely. */
export function UnlikelyNotice({ question, language }: QuestionProps) {
  if (question === undefined) return null;
  return (
    <Notice kind="warning">
      <p>
        <strong>{textsOf(language).plausibility.what}</strong>
      </p>
      {bullets(question.lines)}
    </Notice>
  );
}

/** Beside the button of the form: saves the unlikely values. */
export function ConfirmButton({ question, language }: QuestionProps) {
  if (question === undefined) return null;
  return (
    <SubmitButton kind="plain" name="confirmed" value={question.confirmation}>
      {textsOf(language).plausibility.confirm}
    </SubmitButton>
  );
}
