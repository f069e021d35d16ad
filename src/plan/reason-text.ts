import type { Language } from "../core/language.js";
import { withMinus } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import type { StepReason } from "./explain.js";

/** The sentence of a reason, with its figures. */
export function reasonText(reason: StepReason, language: Language): string {
  const { format, reasons } = textsOf(language);
  const figures = Object.fromEntries(
    Object.entries(reason.figures).map(([name, value]) => [
      name,
      withMinus(value.toFixed(2).replace(".", format.decimal)),
    ]),
  );
  return reasons[reason.code](figures);
}
