import {
  type PlausibilityWarning,
  plausibilityText,
  plausibilityWarnings,
} from "../../config/plausibility.js";
import type { Language } from "../../language.js";
import { Notice } from "../ui/form.js";
import { fieldNamed } from "./form-errors.js";
import { FEE_PREFIX, type HeldSettings } from "./held-texts.js";
import { labelOf } from "./labels.js";
import { isList, type Subject, sectionOf, subjectOf } from "./sections.js";
import { rowTitle } from "./summary.js";

/** After a save: values of the subject that are valid but unlikely, such as a VAT of 0.2%. */
export function UnlikelyValues({
  held,
  subject,
  language,
}: {
  held: HeldSettings;
  subject: Subject;
  language: Language;
}) {
  const warnings = plausibilityWarnings(held.plant).filter(
    ({ path }) => subjectOf(sectionOf(path.join("."))) === subject,
  );
  if (warnings.length === 0) return null;
  return (
    <Notice kind="warning">
      <ul>
        {warnings.map((warning) => (
          <li key={warning.path.join(".")}>
            {`${placeOf(warning, held, language)}: ${plausibilityText(warning, language)}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** `Array 2, Peak power (kW)`. */
function placeOf({ path }: PlausibilityWarning, { plant }: HeldSettings, language: Language): string {
  const name = path.join(".");
  const section = sectionOf(name);
  const field = fieldNamed(name);
  const label = field && labelOf(name.startsWith(FEE_PREFIX) ? "fee" : section, field, language).label;
  if (!isList(section)) return label ?? name;
  const slot = plant.slots[Number(path[1])]?.slot;
  return `${rowTitle(section, String(section === "slots" ? slot : path[1]), language)}, ${label ?? name}`;
}
