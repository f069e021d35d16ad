import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Notice } from "../ui/form.js";

/** What to enable on the device, and what to note. */
export function Notes({ context, template }: { context: SignedInContext; template: ActuatorTemplate }) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  const requirements = template.requirements?.[language] ?? [];
  const hazards = template.hazards?.[language] ?? [];
  return (
    <>
      {requirements.length > 0 && (
        <section class="card">
          <h2>{texts.wizard.requirements}</h2>
          <ul>
            {requirements.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
      {(hazards.length > 0 || template.experimental) && (
        <Notice kind="warning">
          <h2>{texts.wizard.hazards}</h2>
          <ul>
            {template.experimental && <li>{texts.experimentalNote}</li>}
            {hazards.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
