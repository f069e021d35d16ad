import { actuatorSchema } from "../../config/schema/actuator.js";
import type { ActuatorSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { numberFromText } from "../../core/number-text.js";
import { commandedName } from "../../equipment/commanded-name.js";
import { parseControls } from "../../equipment/states.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import {
  CheckboxField,
  type FieldErrors,
  Form,
  fieldId,
  guardClass,
  NumberField,
  SubmitButton,
  UnsavedMark,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { controlsText, DEVICES_PATH, deviceUrl } from "./labels.js";
import { ParameterFields } from "./parameter-fields.js";
import { storedSecrets, transportName } from "./parameters.js";

const UNITS = { min_dwell_s: "s", max_writes_per_day: undefined, external_minutes: "min" };
/** Settings that all templates have, beside their parameters. */
export const LIMITS = ["min_dwell_s", "max_writes_per_day", "external_minutes"] as const;

type Limits = Pick<ActuatorSettings, (typeof LIMITS)[number]>;

/** The limits of a submitted form; an empty one is that of the template or the usual one. */
export function typedLimits(
  form: FormBody,
  held: Limits,
  language: Language,
): { limits: Limits; errors: FieldErrors } {
  const { fault } = textsOf(language).actuators;
  const limits: Limits = { ...held };
  const errors: Record<string, string> = {};
  for (const name of LIMITS.filter((one) => form.has(one))) {
    const { minimum, maximum, default: usual } = actuatorSchema.properties[name];
    const text = form.text(name);
    const value = text === "" ? usual : (numberFromText(text) ?? Number.NaN);
    if (value !== null && !(value >= minimum && value <= maximum))
      errors[name] = fault.range(minimum, maximum);
    else if (value !== null && name === "max_writes_per_day" && !Number.isInteger(value))
      errors[name] = fault.integer;
    else Object.assign(limits, { [name]: value });
  }
  return { limits, errors };
}

interface EditProps {
  context: SiteContext;
  settings: ActuatorSettings;
  template: ActuatorTemplate;
  transport: string;
  /** Stored or typed values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  errors: FieldErrors;
}

/** The page /devices/edit: the settings of a device that takes commands. What it controls and its template stay. */
export function EditPage({ context, settings, template, transport, typed, errors }: EditProps) {
  const { language, site } = context;
  const texts = textsOf(language).actuators;
  const control = parseControls(settings.controls)?.control;
  if (control === undefined) return null;
  const name = commandedName(settings, { plant: site.plant, template: () => template, language });
  const isTyped = Object.keys(errors).length > 0;
  return (
    <Layout
      {...{ context, errors }}
      title={`${texts.edit.title}: ${name}`}
      scripts={["client/settings.js"]}
      back={[deviceUrl(site.id, settings.id), texts.open(name)]}
    >
      <p class="lead" id={fieldId("id")}>
        {`${controlsText(settings.controls, site, language)}: ${template.name[language]} (${transportName(template, transport, language)})`}
      </p>
      <Form
        context={context}
        action={`${DEVICES_PATH}/edit`}
        class={`card ${guardClass(isTyped)}`}
        hidden={{ id: settings.id }}
      >
        <div class="fields">
          <ParameterFields
            context={context}
            of={{ template, transport, control }}
            typed={typed}
            errors={errors}
            stored={storedSecrets(template, settings.with)}
          />
        </div>
        <details open={LIMITS.some((name) => errors[name] !== undefined)}>
          <summary>{texts.edit.limitsTitle}</summary>
          {LIMITS.map((name) => (
            <NumberField
              key={name}
              name={name}
              label={texts.edit.limits[name]}
              unit={UNITS[name]}
              hint={texts.edit.limitHints[name]}
              value={typed.get(name)}
              error={errors[name]}
            />
          ))}
        </details>
        <CheckboxField
          name="dry_run"
          label={texts.badge.dryRun}
          hint={texts.edit.dryRunHint}
          checked={typed.get("dry_run") === "true"}
        />
        <p class="hint">{texts.edit.note}</p>
        <SubmitButton>{texts.edit.save}</SubmitButton>
        <UnsavedMark language={language} isTyped={isTyped} />
      </Form>
    </Layout>
  );
}
