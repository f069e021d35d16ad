import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";

/** Class of a form that client/settings.js marks while it is not saved; `isTyped`: it comes back as it was typed. */
export const guardClass = (isTyped: boolean): string => (isTyped ? "guard typed" : "guard");

/** The mark of a form that is not saved. */
export function UnsavedMark({ language, isTyped }: { language: Language; isTyped: boolean }) {
  return (
    <span class="unsaved" role="status" hidden={!isTyped}>
      {textsOf(language).home.unsaved}
    </span>
  );
}
