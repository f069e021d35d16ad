import type { Language } from "../../core/language.js";
import { typedNumber } from "../../core/number-text.js";
import { readsOf } from "../../equipment/reading/create-device.js";
import type { SettingsFault } from "../../equipment/settings-check.js";
import { type Control, STATES } from "../../equipment/states.js";
import {
  type ActuatorTemplate,
  commandTransports,
  kindOf,
  type TemplateParameter,
} from "../../equipment/template.js";
import { type Texts, textsOf } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import { type FieldErrors, type FieldSpec, FormFields } from "../ui/form.js";

/** Name of the form field of a parameter, and of one state of a map. */
export function fieldOf(name: string, state?: string): string {
  return state === undefined ? `p.${name}` : `p.${name}.${state}`;
}

/** Name of the checkbox that deletes a stored secret. */
function clearFieldOf(name: string): string {
  return `clear.${name}`;
}

/** Parameters of every Modbus connection; those after `host` have usual values. */
const CONNECTION_PARAMETERS = ["host", "port", "unit", "framing", "baud", "parity"];

/** The parameters that a transport of a template uses, in their order; `isReadOnly`: for a device that takes no commands. */
function parametersFor(
  template: ActuatorTemplate,
  transport: string,
  { isReadOnly = false } = {},
): [name: string, parameter: TemplateParameter][] {
  const { parameters, transports, requirements, hazards, detect, name: _, ...rest } = template;
  const { [transport]: own } = transports;
  const used = JSON.stringify([own, rest]);
  const isModbus = own !== undefined && kindOf(transport, own) === "modbus";
  return Object.entries(parameters).filter(
    ([name, { commands_only, keys }]) =>
      // Sources of readings have a page of their own.
      keys === undefined &&
      !(isReadOnly && commands_only === true) &&
      ((isModbus && CONNECTION_PARAMETERS.includes(name)) || new RegExp(`\\b${name}\\b`).test(used)),
  );
}

/** Whether a template gives readings over a transport. */
export function isRead(template: ActuatorTemplate, transport: string): boolean {
  return Object.keys(readsOf(template, transport).readings ?? {}).length > 0;
}

/** Whether a transport has parameters of commands, or only commands: what is controlled has to be known for them. */
export function needsControl(template: ActuatorTemplate, transport: string): boolean {
  if (!commandTransports(template).includes(transport)) return false;
  return (
    !isRead(template, transport) ||
    parametersFor(template, transport).some(
      ([, { type, commands_only }]) => type === "map" || commands_only === true,
    )
  );
}

/** The name of a transport in a list. */
export function transportName(template: ActuatorTemplate, transport: string, language: Language): string {
  const settings = template.transports[transport]!;
  return settings.name?.[language] ?? kindOf(transport, settings).toUpperCase();
}

interface TypedOf {
  template: ActuatorTemplate;
  transport: string;
  /** Undefined: the device takes no commands. */
  control: Control | undefined;
  language: Language;
  /** Parameters that are changed: secrets that are not typed and values without a field stay. */
  held?: Readonly<Record<string, unknown>>;
}

/** The parameters of a submitted form, without those that have their default; `kept`: stored secrets that were not typed. */
export function typedParameters(
  form: FormBody,
  { template, transport, control, language, held = {} }: TypedOf,
): { values: Record<string, unknown>; kept: string[]; errors: Record<string, string> } {
  const texts = textsOf(language).actuators.fault;
  const shown = parametersFor(template, transport, { isReadOnly: control === undefined });
  const hasField = (name: string) => shown.some(([one]) => one === name);
  const values = Object.fromEntries(Object.entries(held).filter(([name]) => !hasField(name)));
  values.transport = transport;
  const kept: string[] = [];
  const errors: Record<string, string> = {};
  for (const [name, parameter] of shown) {
    const value =
      parameter.type === "map" ? mapIn(form, name, control) : valueIn(form, fieldOf(name), parameter);
    const secrets = [name, `${name}_file`].filter((one) => parameter.secret === true && isSet(held[one]));
    if (secrets.length > 0 && value === undefined && !form.isTicked(clearFieldOf(name))) {
      for (const one of secrets) values[one] = held[one];
      kept.push(name);
      continue;
    }
    for (const one of secrets) delete values[one];
    if (value === undefined) {
      if (parameter.default === undefined)
        errors[
          parameter.type === "map" && control !== undefined
            ? fieldOf(name, STATES[control][0])
            : fieldOf(name)
        ] = texts.required;
      continue;
    }
    if (typeof value === "number" && Number.isNaN(value)) errors[fieldOf(name)] = texts.number;
    else if (value !== parameter.default) values[name] = value;
  }
  return { values, kept, errors };
}

/** The names of the secrets of a template that are stored, in the settings or in a file. */
export function storedSecrets(
  { parameters }: ActuatorTemplate,
  held: Readonly<Record<string, unknown>>,
): Set<string> {
  const names = Object.keys(parameters).filter((name) => parameters[name]?.secret === true);
  return new Set(names.filter((name) => isSet(held[name]) || isSet(held[`${name}_file`])));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** The texts of the fields of stored parameters, without secrets. */
export function storedTexts(
  { parameters }: ActuatorTemplate,
  held: Readonly<Record<string, unknown>>,
): [field: string, text: string][] {
  return Object.entries(held).flatMap(([name, value]): [string, string][] => {
    const parameter = parameters[name];
    if (parameter === undefined || parameter.secret === true || value === null) return [];
    if (typeof value !== "object") return [[fieldOf(name), String(value)]];
    return Object.entries(value).map(([state, text]) => [fieldOf(name, state), String(text)]);
  });
}

/** The typed texts of a refused form that are shown again: those of the parameters without secrets. */
export function typedTexts(form: FormBody, { parameters }: ActuatorTemplate): Map<string, string> {
  const isSecret = (name: string) => parameters[name.replace(/^p\./, "")]?.secret === true;
  const shown = form.names().filter((name) => name.startsWith("p.") && !isSecret(name));
  return new Map(shown.map((name) => [name, form.text(name)]));
}

function mapIn(
  form: FormBody,
  name: string,
  control: Control | undefined,
): Record<string, string> | undefined {
  const entries = (control === undefined ? [] : STATES[control])
    .map((state) => [state, form.text(fieldOf(name, state))] as const)
    .filter(([, text]) => text !== "");
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function valueIn(
  form: FormBody,
  field: string,
  { type, secret, enum: choices }: TemplateParameter,
): string | number | boolean | undefined {
  if (type === "boolean") return form.has(field) ? form.isTicked(field) : undefined;
  const text = secret === true ? form.raw(field) : form.text(field);
  if (text === "" && choices?.includes("") !== true) return undefined;
  if (choices !== undefined) return choices.find((one) => String(one) === text) ?? text;
  return type === "string" ? text : (typedNumber(text) ?? Number.NaN);
}

/** The faults of settings by form field, in the language of the page. */
export function fieldErrors(
  faults: readonly SettingsFault[],
  template: ActuatorTemplate,
  language: Language,
): FieldErrors {
  const texts = textsOf(language).actuators.fault;
  const reason = ({ code, name }: SettingsFault): string => {
    if (code === "parameter") return parameterReason(template.parameters[name], texts);
    const text = texts[code];
    return typeof text === "string" ? text : text(name);
  };
  return Object.fromEntries(
    faults.map((fault) => [
      Object.hasOwn(template.parameters, fault.name) ? fieldOf(fault.name) : "id",
      reason(fault),
    ]),
  );
}

function parameterReason(
  parameter: TemplateParameter | undefined,
  texts: ReturnType<typeof textsOf>["actuators"]["fault"],
): string {
  if (parameter === undefined) return texts.controls;
  const { type, enum: choices, minimum, maximum, pattern, expression } = parameter;
  if (expression === true) return texts.expression;
  if (choices !== undefined) return texts.choice;
  if (minimum !== undefined && maximum !== undefined) return texts.range(minimum, maximum);
  if (pattern !== undefined) return texts.pattern;
  return type === "integer" ? texts.integer : type === "number" ? texts.number : texts.required;
}

interface ParametersProps {
  context: SiteContext;
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
    usual !== undefined && usual !== "" && CONNECTION_PARAMETERS.includes(name);
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
  const label = parameter.title[language];
  const hint = parameter.hint?.[language];
  const show = (fields: readonly FieldSpec[], preset = "") => (
    <FormFields
      {...{ fields, errors }}
      textOf={(field) => (parameter.secret === true ? "" : (typed.get(field) ?? preset))}
    />
  );
  if (parameter.type !== "map") {
    const { default: preset } = parameter;
    const fields = fieldsOf(name, parameter, { texts, label, hint, isStored: stored?.has(name) === true });
    return show(fields, typeof preset === "object" || preset === undefined ? "" : String(preset));
  }
  const states = of.control === undefined ? [] : STATES[of.control];
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {show(
        states.map((state) => ({
          name: fieldOf(name, state),
          label: texts.parameters.forState(texts.states[state] ?? state),
        })),
      )}
    </fieldset>
  );
}

/** A parameter that is no map as fields: a stored secret can be deleted, too. */
function fieldsOf(
  name: string,
  { type, secret, enum: choices }: TemplateParameter,
  {
    texts,
    isStored,
    ...said
  }: { texts: Texts["actuators"]; label: string; hint: string | undefined; isStored: boolean },
): FieldSpec[] {
  const { parameters, states } = texts;
  const field = { name: fieldOf(name), ...said };
  if (type === "boolean") return [{ ...field, kind: "tick" }];
  if (choices !== undefined) {
    const labelOf = (value: string) => (value === "" ? parameters.standard : (states[value] ?? value));
    const options = choices.map((value) => ({ value: String(value), label: labelOf(String(value)) }));
    return [{ ...field, kind: "choice", options }];
  }
  if (type !== "string") return [{ ...field, kind: "number" }];
  if (secret !== true) return [field];
  const hint = [said.hint, isStored ? parameters.secretKept : texts.secretHint].filter(Boolean).join(" ");
  return [
    { ...field, hint, type: "password", autocomplete: "new-password" },
    ...(isStored
      ? [{ kind: "tick" as const, name: clearFieldOf(name), label: parameters.clear(said.label) }]
      : []),
  ];
}
