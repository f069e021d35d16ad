import { parseControls } from "../../equipment/states.js";
import { type ActuatorTemplate, commandTransports } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { type FieldErrors, Form, fieldId, Notice, SelectField, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { TemplateList } from "./add-pages.js";
import { Notes } from "./device-parts.js";
import { controlsText, NEW_PATH } from "./labels.js";
import { ParameterFields } from "./parameter-fields.js";
import { transportName } from "./parameters.js";

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
  const { language, site } = context;
  const texts = textsOf(language).actuators.wizard;
  const { template, controls = "", transport = "" } = chosen;
  const control = parseControls(controls)?.control;
  if (template === undefined || control === undefined) return null;
  return (
    <>
      <p class="lead" id={fieldId("id")}>
        {`${controlsText(controls, site, language)}: ${template.name[language]} (${transportName(template, transport, language)})`}
      </p>
      <p>
        <a href={`${NEW_PATH}?${new URLSearchParams({ site: site.id, controls })}`}>{texts.change}</a>
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
          <ParameterFields
            context={context}
            of={{ template, transport, control }}
            typed={typed}
            errors={errors}
          />
        </div>
        <p class="hint">{texts.saveNote}</p>
        <SubmitButton>{texts.save}</SubmitButton>
      </Form>
    </>
  );
}
