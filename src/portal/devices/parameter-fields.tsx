import { type Control, STATES } from "../../equipment/states.js";
import type { ActuatorTemplate, TemplateParameter } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { CheckboxField, type FieldErrors, NumberField, SelectField, TextField } from "../ui/form.js";
import { CONNECTION_PARAMETERS, clearFieldOf, fieldOf, parametersFor } from "./parameters.js";

interface ParametersProps {
  context: SignedInContext;
  of: { template: ActuatorTemplate; transport: string; control: Control | undefined };
  /** Typed, detected or stored values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  errors: FieldErrors;
  /** Names of secrets that are stored, and stay so while their field is empty. */
  stored?: ReadonlySet<string>;
}

/** The fields of the parameters that a transport of a template uses. */
export function ParameterFields(props: ParametersProps) {
  const { template, transport, control } = props.of;
  const shown = parametersFor(template, transport, { isReadOnly: control === undefined });
  const isUsual = ([name, { default: usual }]: (typeof shown)[number]) =>
    usual !== undefined && CONNECTION_PARAMETERS.includes(name);
  const fields = (some: typeof shown) =>
    some.map(([name, parameter]) => (
      <ParameterField key={name} {...props} name={name} parameter={parameter} />
    ));
  const usual = shown.filter(isUsual);
  return (
    <>
      {fields(shown.filter((one) => !isUsual(one)))}
      {usual.length > 0 && (
        <details open={usual.some(([name]) => props.errors[fieldOf(name)] !== undefined)}>
          <summary>{textsOf(props.context.language).devicePages.add.more}</summary>
          {fields(usual)}
        </details>
      )}
    </>
  );
}

interface ParameterProps extends ParametersProps {
  name: string;
  parameter: TemplateParameter;
}

/** The field of a parameter by its type; a map has one field for each state. */
function ParameterField({ context, of, name, parameter, typed, errors, stored }: ParameterProps) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  const { type, secret, enum: choices, default: preset } = parameter;
  const field = fieldOf(name);
  const label = parameter.title[language];
  const hint = parameter.hint?.[language];
  if (type === "map")
    return (
      <fieldset>
        <legend>{label}</legend>
        {hint !== undefined && <p class="hint">{hint}</p>}
        {(of.control === undefined ? [] : STATES[of.control]).map((state) => (
          <TextField
            key={state}
            name={fieldOf(name, state)}
            label={texts.wizard.forState(texts.states[state] ?? state)}
            value={typed.get(fieldOf(name, state))}
            error={errors[fieldOf(name, state)]}
            autocomplete="off"
          />
        ))}
      </fieldset>
    );
  const presetText = typeof preset === "object" || preset === undefined ? "" : String(preset);
  const common = { name: field, label, hint, error: errors[field], value: typed.get(field) ?? presetText };
  if (type === "boolean")
    return (
      <CheckboxField
        name={field}
        label={label}
        hint={hint}
        error={errors[field]}
        checked={common.value === "true"}
      />
    );
  if (choices !== undefined)
    return (
      <SelectField
        {...common}
        options={choices.map((value) => ({
          value: String(value),
          label: value === "" ? texts.wizard.standard : (texts.states[String(value)] ?? String(value)),
        }))}
      />
    );
  if (type !== "string") return <NumberField {...common} />;
  if (secret === true) {
    const isStored = stored?.has(name) === true;
    return (
      <>
        <TextField
          {...common}
          value=""
          type="password"
          hint={[hint, isStored ? texts.edit.secretKept : texts.secretHint].filter(Boolean).join(" ")}
          autocomplete="new-password"
        />
        {isStored && (
          <CheckboxField name={clearFieldOf(name)} label={texts.edit.clear(label)} checked={false} />
        )}
      </>
    );
  }
  return <TextField {...common} autocomplete="off" />;
}
