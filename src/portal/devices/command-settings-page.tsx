import { actuatorSchema } from "../../config/schema/actuator.js";
import type { ActuatorSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { typedNumber } from "../../core/number-text.js";
import { commandedName } from "../../equipment/commanded-name.js";
import { type Control, parseControls } from "../../equipment/states.js";
import { type ActuatorTemplate, commandTransports } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import {
  CheckboxField,
  type FieldErrors,
  Form,
  fieldId,
  guardClass,
  Notice,
  NumberField,
  SelectField,
  SubmitButton,
  UnsavedMark,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { TemplateList } from "./add-pages.js";
import { Notes } from "./device-parts.js";
import { controlsText, DEVICES_PATH, deviceUrl, NEW_PATH } from "./labels.js";
import { ParameterFields, storedSecrets, transportName } from "./parameters.js";

/** What has been chosen so far; the last step has all three. */
export interface Chosen {
  controls: string | undefined;
  template: ActuatorTemplate | undefined;
  transport: string | undefined;
}

interface WizardProps {
  context: SiteContext;
  chosen: Chosen;
  templates: readonly ActuatorTemplate[];
  /** Typed or detected values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  errors: FieldErrors;
}

/** The page /devices/new: what is controlled, which device, its settings. */
export function WizardPage(props: WizardProps) {
  const { context, chosen, errors } = props;
  const texts = textsOf(context.language).actuators.wizard;
  const step = chosen.controls === undefined ? 0 : chosen.template === undefined ? 1 : 2;
  return (
    <Layout {...{ context, errors }} title={texts.title}>
      <ol class="steps">
        {texts.steps.map((name, index) => (
          <li key={name} aria-current={index === step ? "step" : undefined}>
            {`${index + 1}. ${name}`}
          </li>
        ))}
      </ol>
      {step === 0 && <ControlsStep {...props} />}
      {step === 1 && <TemplateStep {...props} />}
      {step === 2 && <ParametersStep {...props} />}
    </Layout>
  );
}

/** What an actuator of the site can control; of a template if one is chosen. */
export function controlChoices({ site }: SiteContext, template: ActuatorTemplate | undefined): string[] {
  const { plant } = site;
  const { slots } = plant;
  const all = [
    ...(plant.battery === null ? [] : ["battery"]),
    ...slots.map(({ slot }) => `slot ${slot}`),
    "feed_in",
    ...slots.filter(({ kind }) => kind === "heat_pump").map(({ slot }) => `sg_ready ${slot}`),
  ];
  return template === undefined
    ? all
    : all.filter((controls) => template.controls.includes(parseControls(controls)!.control));
}

function ControlsStep({ context, chosen, typed }: WizardProps) {
  const { language, site } = context;
  const texts = textsOf(language).actuators.wizard;
  return (
    <form method="get" action={NEW_PATH} class="card narrow">
      <input type="hidden" name="site" value={site.id} />
      {chosen.template !== undefined && <input type="hidden" name="template" value={chosen.template.id} />}
      {chosen.transport !== undefined && <input type="hidden" name="transport" value={chosen.transport} />}
      {[...typed].map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      <SelectField
        name="controls"
        label={texts.controls}
        hint={texts.noSlots}
        options={controlChoices(context, chosen.template).map((value) => ({
          value,
          label: controlsText(value, site, language),
        }))}
      />
      <SubmitButton>{texts.next}</SubmitButton>
    </form>
  );
}

function TemplateStep({ context, chosen: { controls }, templates }: WizardProps) {
  const texts = textsOf(context.language).actuators.wizard;
  const control = parseControls(controls ?? "")?.control;
  const fitting = templates
    .filter((template) => control !== undefined && template.controls.includes(control))
    .toSorted((a, b) => Number(a.experimental) - Number(b.experimental) || a.id.localeCompare(b.id));
  return (
    <section class="card">
      <h2>{texts.template}</h2>
      {fitting.length === 0 && <Notice kind="info">{texts.noTemplates}</Notice>}
      <TemplateList
        {...{ context, controls }}
        templates={fitting}
        transportsOf={commandTransports}
        path={NEW_PATH}
      />
    </section>
  );
}

function ParametersStep({ context, chosen, typed, errors }: WizardProps) {
  const texts = textsOf(context.language).actuators.wizard;
  const { template, controls = "", transport = "" } = chosen;
  const control = parseControls(controls)?.control;
  if (template === undefined || control === undefined) return null;
  return (
    <>
      <Lead context={context} of={{ controls, template, transport }} />
      <p>
        <a href={`${NEW_PATH}?${new URLSearchParams({ site: context.site.id, controls })}`}>{texts.change}</a>
      </p>
      <Notes context={context} template={template} />
      <Form
        context={context}
        action={NEW_PATH}
        class="card"
        hidden={{ controls, template: template.id, transport }}
      >
        <h2>{texts.parameters}</h2>
        <div class="fields">
          <ParameterFields {...{ context, typed, errors }} of={{ template, transport, control }} />
        </div>
        <p class="hint">{texts.saveNote}</p>
        <SubmitButton>{texts.save}</SubmitButton>
      </Form>
    </>
  );
}

/** What is commanded, of which device, and over what. */
function Lead({
  context,
  of: { controls, template, transport },
}: {
  context: SiteContext;
  of: { controls: string; template: ActuatorTemplate; transport: string };
}) {
  const { language, site } = context;
  const way = transportName(template, transport, language);
  return (
    <p class="lead" id={fieldId("id")}>
      {`${controlsText(controls, site, language)}: ${template.name[language]} (${way})`}
    </p>
  );
}

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
    const value = text === "" ? usual : (typedNumber(text) ?? Number.NaN);
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
  control: Control;
  /** Stored or typed values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  errors: FieldErrors;
}

/** The page /devices/edit: the settings of a device that takes commands. What it controls and its template stay. */
export function EditPage(props: EditProps) {
  const { context, settings, template, transport, control, typed, errors } = props;
  const { language, site } = context;
  const texts = textsOf(language).actuators;
  const name = commandedName(settings, { plant: site.plant, template: () => template, language });
  const isTyped = Object.keys(errors).length > 0;
  return (
    <Layout
      {...{ context, errors }}
      title={`${texts.edit.title}: ${name}`}
      scripts={["client/settings.js"]}
      back={[deviceUrl(site.id, settings.id), texts.open(name)]}
    >
      <Lead context={context} of={{ controls: settings.controls, template, transport }} />
      <Form
        context={context}
        action={`${DEVICES_PATH}/edit`}
        class={`card ${guardClass(isTyped)}`}
        hidden={{ id: settings.id }}
      >
        <div class="fields">
          <ParameterFields
            {...{ context, typed, errors }}
            of={{ template, transport, control }}
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
