import type { ComponentChildren } from "preact";
import type { PageContext } from "../context.js";
import { fieldId } from "./field-id.js";

/** Reasons by field name; shown beside the field and in the summary above the form. */
export type FieldErrors = Readonly<Record<string, string>>;

interface FormProps {
  context: PageContext;
  /** Path of the page that takes the form. */
  action: string;
  /** Names the form to screen readers where a page has several of one kind. */
  label?: string;
  class?: string;
  children?: ComponentChildren;
}

/** A form that carries its token, and the site that it is about. */
export function Form({ context, action, label, class: className, children }: FormProps) {
  return (
    <form method="post" action={action} aria-label={label} class={className}>
      <input type="hidden" name="_csrf" value={context.csrfToken} />
      {context.site !== undefined && <input type="hidden" name="site" value={context.site.id} />}
      {children}
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  /** The reason why what was typed is refused. */
  error?: string | undefined;
  hint?: string | undefined;
  required?: boolean;
  /** Tells apart fields of one name in several forms of a page. */
  scope?: string | undefined;
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
  const {
    name,
    value,
    type = "text",
    inputMode,
    autocomplete,
    required,
    maxLength,
    unit,
    placeholder,
  } = props;
  return (
    <Field {...props}>
      {(aria) => (
        <span class="control">
          <input
            {...aria}
            name={name}
            // Preact's types describe each kind of input on its own; what follows is common to these.
            type={type as "text"}
            value={value ?? ""}
            inputMode={inputMode}
            autocomplete={autocomplete}
            required={required}
            maxLength={maxLength}
            placeholder={placeholder}
            // A phone must not begin an address or a password with a capital letter.
            autocapitalize={type === "text" ? undefined : "none"}
            spellcheck={false}
          />
          {unit !== undefined && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

/** A number, typed with comma or point: a number field of the browser would take only one of the two. */
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

/** Yes or no. A hidden companion says no where the box is not ticked: a form that lacks the field changes nothing. */
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

interface SubmitButtonProps {
  children: ComponentChildren;
  kind?: "primary" | "plain" | "danger";
  name?: string;
  value?: string;
}

/** Sends the form it stands in. */
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

/** Something that the reader should know before anything else; errors are read out at once. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

interface ErrorSummaryProps {
  context: PageContext;
  errors: FieldErrors;
  scope?: string | undefined;
}

/** All that is wrong with a form, each reason with a link to its field; nothing where nothing is wrong. */
export function ErrorSummary({ context, errors, scope }: ErrorSummaryProps) {
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

function Field({ name, label, error, hint, scope, children }: FieldFrameProps) {
  const id = fieldId(name, scope);
  return (
    <div class={error === undefined ? "field" : "field refused"}>
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
  hint?: string | undefined;
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
