import type { ComponentChildren } from "preact";
import type { Site } from "../../config/site.js";
import type { PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";

/** Reasons by field name; shown beside the field and in the summary above the form. */
export type FieldErrors = Readonly<Record<string, string>>;

type HiddenValues = Readonly<Record<string, string | number | undefined>>;

export interface FormProps {
  /** Without a token nothing is shown: its reader may not send it. */
  context: { csrfToken?: string | undefined; site?: Pick<Site, "id"> | undefined };
  /** Path that the form is posted to. */
  action: string;
  /** Names the form to screen readers where a page has several of one kind. */
  label?: string;
  class?: string | undefined;
  id?: string;
  /** The form has files. */
  hasFiles?: boolean;
  /** Fields that are sent as they are. */
  hidden?: HiddenValues | undefined;
  children?: ComponentChildren;
}

/** A form with the CSRF token and the selected site. */
export function Form({
  context,
  action,
  label,
  class: className,
  id,
  hasFiles,
  hidden,
  children,
}: FormProps) {
  if (context.csrfToken === undefined) return null;
  return (
    <form
      method="post"
      action={action}
      aria-label={label}
      class={className}
      id={id}
      enctype={hasFiles === true ? "multipart/form-data" : undefined}
    >
      {hiddenFields({ _csrf: context.csrfToken, site: context.site?.id, ...hidden })}
      {children}
    </form>
  );
}

/** Fields that are sent as they are; one without a value is left out. */
export function hiddenFields(values: HiddenValues) {
  return (
    <>
      {Object.entries(values).map(
        ([name, value]) =>
          value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  );
}

/** A form that is one button. */
export function FormButton({
  kind,
  children,
  ...form
}: FormProps & Pick<SubmitButtonProps, "kind" | "children">) {
  return (
    <Form {...form}>
      <SubmitButton kind={kind}>{children}</SubmitButton>
    </Form>
  );
}

/** Name, value and error of each field of a form: what was typed where the form comes back refused, else `held`. */
export function boundFields(errors: FieldErrors, typed?: Pick<FormBody, "text">) {
  return (name: string, held?: string | number) => ({
    name,
    value: typed?.text(name) ?? held,
    error: errors[name],
  });
}

interface FieldProps {
  name: string;
  label: string;
  /** Error text of the value. */
  error?: string | undefined;
  hint?: ComponentChildren;
  required?: boolean;
  /** Distinguishes fields with the same name in several forms of a page. */
  scope?: string | undefined;
  /** A class by which style sheets know when the field is shown. */
  class?: string;
}

interface TextFieldProps extends FieldProps {
  value?: string | number | undefined;
  type?: "text" | "email" | "password" | "url" | "datetime-local" | "date";
  inputMode?: "text" | "decimal" | "numeric" | "email" | "url";
  autocomplete?: string;
  maxLength?: number;
  /** Shown behind the field, such as `kWh`. */
  unit?: string | undefined;
  placeholder?: string;
}

/** One line of text with its label, hint and error. */
export function TextField(props: TextFieldProps) {
  const { name, value, type = "text", unit } = props;
  return (
    <Field {...props}>
      {(aria) => (
        <span class="control">
          <input
            {...aria}
            name={name}
            // Preact has separate types for each kind of input; these attributes are common to all.
            type={type as "text"}
            value={value ?? ""}
            inputMode={props.inputMode}
            autocomplete={props.autocomplete}
            required={props.required}
            maxLength={props.maxLength}
            placeholder={props.placeholder}
            // Phones must not capitalize an address or a password.
            autocapitalize={type === "text" ? undefined : "none"}
            spellcheck={false}
          />
          {unit !== undefined && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

/** A number with decimal comma or point: a number input of the browser accepts only one of them. */
export function NumberField(props: Omit<TextFieldProps, "type" | "inputMode">) {
  return <TextField {...props} type="text" inputMode="decimal" autocomplete="off" />;
}

interface SelectFieldProps extends FieldProps {
  value?: string | number | undefined;
  options: readonly { value: string | number; label: string }[];
}

/** One of several values. */
export function SelectField(props: SelectFieldProps) {
  const { name, value, options, required } = props;
  return (
    <Field {...props}>
      {(aria) => (
        <select {...aria} name={name} required={required}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={String(option.value) === String(value)}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxFieldProps extends FieldProps {
  checked: boolean;
}

/** A checkbox with a hidden field for `false`: a missing field means unchanged. */
export function CheckboxField({ name, label, checked, error, hint, scope }: CheckboxFieldProps) {
  const id = fieldId(name, scope);
  return (
    <div class="field checkbox">
      <input type="hidden" name={name} value="false" />
      <input
        id={id}
        name={name}
        type="checkbox"
        value="true"
        checked={checked}
        aria-describedby={describedBy(id, { error, hint })}
        aria-invalid={error === undefined ? undefined : "true"}
      />
      <label for={id}>{label}</label>
      <HintAndError id={id} error={error} hint={hint} />
    </div>
  );
}

/** A field as data: a form with many fields lists them. */
export interface FieldSpec extends Omit<TextFieldProps, "value" | "error"> {
  /** Left out: a line of text. */
  kind?: "text" | "number" | "choice" | "tick";
  /** Of a choice. */
  options?: SelectFieldProps["options"];
}

/** Fields with their texts, `true` where one is ticked, and errors. */
export function FormFields({
  fields,
  textOf,
  errors,
}: {
  fields: readonly FieldSpec[];
  textOf(name: string): string;
  errors: FieldErrors;
}) {
  return (
    <>
      {fields.map((spec) => (
        <SpecField key={spec.name} {...spec} value={textOf(spec.name)} error={errors[spec.name]} />
      ))}
    </>
  );
}

function SpecField({
  kind,
  options = [],
  ...props
}: FieldSpec & { value: string; error: string | undefined }) {
  switch (kind) {
    case "tick":
      return <CheckboxField {...props} checked={props.value === "true"} />;
    case "choice":
      return <SelectField {...props} options={options} />;
    case "number":
      return <NumberField {...props} />;
    default:
      return <TextField autocomplete="off" {...props} />;
  }
}

export interface SubmitButtonProps {
  children: ComponentChildren;
  kind?: "primary" | "plain" | "danger" | undefined;
  name?: string;
  value?: string;
}

/** Submits its form. */
export function SubmitButton({ children, kind = "primary", name, value }: SubmitButtonProps) {
  return (
    <button type="submit" class={`button ${kind}`} name={name} value={value}>
      {children}
    </button>
  );
}

interface NoticeProps {
  kind: "info" | "success" | "warning" | "error";
  children: ComponentChildren;
}

/** An important message, in paragraphs or as one text; screen readers announce errors immediately. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {typeof children === "string" ? <p>{children}</p> : children}
    </div>
  );
}

/** All errors of a form with links to their fields; empty without errors. */
export function errorSummary(context: PageContext, errors: FieldErrors, scope?: string | undefined) {
  const entries = Object.entries(errors);
  if (entries.length === 0) return null;
  return (
    <Notice kind="error">
      <p>{context.texts.form.refused}</p>
      <ul>
        {entries.map(([name, reason]) => (
          <li key={name}>
            <a href={`#${fieldId(name, scope)}`}>{reason}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface FieldFrameProps extends FieldProps {
  children: (aria: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": "true" | undefined;
  }) => ComponentChildren;
}

function Field({ name, label, error, hint, scope, class: own = "", children }: FieldFrameProps) {
  const id = fieldId(name, scope);
  return (
    <div class={`field ${error === undefined ? "" : "refused"} ${own}`.trim()}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy(id, { error, hint }),
        "aria-invalid": error === undefined ? undefined : "true",
      })}
      <HintAndError id={id} error={error} hint={hint} />
    </div>
  );
}

interface Said {
  error?: string | undefined;
  hint?: ComponentChildren;
}

function HintAndError({ id, error, hint }: Said & { id: string }) {
  return (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, { error, hint }: Said): string | undefined {
  const ids = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`];
  return ids.filter((one) => one !== "").join(" ") || undefined;
}

/** Id of the element of a field; `scope` distinguishes fields with the same name in several forms of a page. */
export function fieldId(name: string, scope?: string): string {
  return ["field", ...(scope === undefined ? [] : [scope]), name].join("-").replace(/[^\w-]/g, "_");
}
