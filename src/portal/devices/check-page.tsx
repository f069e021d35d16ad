import { type Facts, FILLING_FACTS } from "../../equipment/reading/facts-settings.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { Control } from "../../equipment/states.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import {
  CheckboxField,
  type FieldErrors,
  Form,
  Notice,
  NumberField,
  SelectField,
  SubmitButton,
  TextField,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { FaultText, Notes, ReadingsTable } from "./device-parts.js";
import type { ChosenReads, DeviceDraft } from "./drafts.js";
import { ADD_PATH, CHECK_PATH } from "./labels.js";
import { readingsLine } from "./reading-text.js";

/** Kinds of flexible devices that a found device can become. */
export const NEW_SLOT_KINDS = ["wallbox", "boiler", "heat_pump", "other"] as const;

interface CheckProps {
  context: SiteContext;
  token: string;
  draft: DeviceDraft;
  template: ActuatorTemplate;
  /** What the device says now; undefined: it could not be asked, for the reason in `refusal`. */
  view: DeviceView | undefined;
  refusal: string | undefined;
  /** Roles whose sign can be turned. */
  signed: readonly string[];
  /** The facts that fill settings. */
  facts: Facts;
  /** What can be read of it, and what is. */
  offers: readonly string[];
  reads: ChosenReads;
  /** The device that gives each role already, by its name. */
  given: ReadonlyMap<string, string>;
  controls: readonly Control[];
  /** Whether it is a flexible device, and what can be chosen for that. */
  slots: readonly { value: string; label: string }[] | undefined;
  chosenSlot: string;
  errors: FieldErrors;
}

/** The page /devices/check: what a device says before it is saved. */
export function CheckPage(props: CheckProps) {
  const { context, token, draft, template, view, refusal, offers, errors } = props;
  const { language } = context;
  const texts = textsOf(language);
  const { add, page } = texts.devicePages;
  const { settings } = draft;
  const line = view === undefined ? "" : readingsLine(view.readings, language);
  return (
    <Layout
      {...{ context, errors }}
      title={draft.replaces === undefined ? add.title : page.change}
      back={[connectionUrl(props), add.connection]}
    >
      <p class="lead">{[view?.name ?? template.name[language], view?.address].filter(Boolean).join(" · ")}</p>
      {offers.length > 0 && (
        <section class="card" aria-live="polite">
          {line === "" ? (
            <Notice kind="warning">
              <p>
                <strong>{add.noAnswer}</strong>
              </p>
              <p>{add.noAnswerHint}</p>
              <FaultText context={context} view={view} refusal={refusal} />
            </Notice>
          ) : (
            <>
              <p class="big">{`${line}: ${add.fits}`}</p>
              <p class="hint">{add.fitsHint}</p>
            </>
          )}
          {view !== undefined && Object.keys(view.readings).length > 0 && (
            <details>
              <summary>{page.now}</summary>
              <ReadingsTable context={context} readings={view.readings} />
            </details>
          )}
        </section>
      )}
      <Form context={context} action={CHECK_PATH} class="card" hidden={{ draft: token }}>
        {props.signed.map((role) => (
          <CheckboxField
            key={role}
            name={`reversed.${role}`}
            label={add.reversed(texts.devicePages.roles[role] ?? role)}
            hint={add.reversedHint[role as keyof typeof add.reversedHint] ?? add.reversedHint.other}
            checked={settings.reversed.some((one) => one === role)}
          />
        ))}
        {offers.length > 0 && (
          <SubmitButton kind="plain" name="do" value="read">
            {add.checkAgain}
          </SubmitButton>
        )}
        <TextField
          name="name"
          label={add.name}
          hint={add.nameHint}
          value={settings.name ?? ""}
          maxLength={60}
        />
        <ControlFields {...props} />
        <FactList {...props} />
        <ReadFields {...props} />
        <SubmitButton name="do" value="save">
          {draft.replaces === undefined ? add.save : add.saveChanges}
        </SubmitButton>
      </Form>
      <Notes context={context} template={template} />
    </Layout>
  );
}

/** The form of the connection, with what was typed but its passwords. */
function connectionUrl({ context, draft, template }: CheckProps): string {
  const { transport, ...given } = draft.settings.with;
  const query = new URLSearchParams({ site: context.site.id, template: template.id });
  if (typeof transport === "string") query.set("transport", transport);
  if (draft.replaces !== undefined) query.set("id", draft.replaces);
  for (const [name, value] of Object.entries(given))
    if (template.parameters[name]?.secret !== true && typeof value !== "object")
      query.set(`p.${name}`, String(value));
  return `${ADD_PATH}?${query}`;
}

/** What is controlled, and which flexible device it is. */
function ControlFields({ context, draft, offers, controls, slots, chosenSlot, errors }: CheckProps) {
  const { devicePages, actuators } = textsOf(context.language);
  const { add } = devicePages;
  const [control = ""] = (draft.settings.controls ?? "").split(" ");
  const options = [
    ...(offers.length > 0 ? [{ value: "", label: add.onlyRead }] : []),
    ...controls.map((value) => ({
      value,
      label: value === "slot" ? devicePages.roles.slot! : actuators.controls[value],
    })),
  ];
  return (
    <>
      {slots !== undefined && (
        <SelectField
          name="slot"
          label={add.slot}
          hint={add.slotHint}
          options={slots}
          value={chosenSlot}
          error={errors.slot}
        />
      )}
      {options.length > 1 ? (
        <SelectField
          {...{ options }}
          name="controls"
          label={add.controls}
          hint={add.controlsHint}
          value={control}
          error={errors.controls}
        />
      ) : (
        errors.controls !== undefined && <p class="error">{errors.controls}</p>
      )}
      {controls.length > 0 && (
        <details open={LIMITS.some((name) => errors[name] !== undefined)}>
          <summary>{add.limits}</summary>
          <NumberFields {...{ draft, errors }} names={LIMITS} texts={add.numbers} />
        </details>
      )}
    </>
  );
}

/** What is read of the device, how often, and whether only while another one has no values. */
function ReadFields({ context, draft, offers, reads, given, errors }: CheckProps) {
  const { add, roles } = textsOf(context.language).devicePages;
  if (offers.length === 0) return null;
  const nameOf = (role: string) => roles[role] ?? role;
  const taken = offers.find((role) => role !== "pv" && reads.reads.includes(role) && given.has(role));
  const isOpen = errors.reads !== undefined || errors.poll_s !== undefined;
  return (
    <>
      {reads.isFallback && taken !== undefined && (
        <p class="hint">{add.taken(nameOf(taken), given.get(taken)!)}</p>
      )}
      <details open={isOpen}>
        <summary>{add.reading}</summary>
        <fieldset>
          <legend>{add.reads}</legend>
          {errors.reads !== undefined && <p class="error">{errors.reads}</p>}
          {offers.map((role) => (
            <CheckboxField
              key={role}
              name={`reads.${role}`}
              label={nameOf(role)}
              hint={given.has(role) && role !== "pv" ? add.takes(given.get(role)!) : undefined}
              checked={reads.reads.includes(role)}
            />
          ))}
        </fieldset>
        <CheckboxField
          name="fallback"
          label={add.fallback}
          hint={add.fallbackHint}
          checked={reads.isFallback}
        />
        <NumberFields {...{ draft, errors }} names={["poll_s"]} texts={add.numbers} />
      </details>
    </>
  );
}

/** Limits of the commands of a device. */
const LIMITS = ["min_dwell_s", "max_writes_per_day", "external_minutes"] as const;
/** Numbers that every device has. */
export const DEVICE_NUMBERS = ["poll_s", ...LIMITS] as const;
type NumberName = (typeof DEVICE_NUMBERS)[number];
const UNITS = { poll_s: "s", min_dwell_s: "s", max_writes_per_day: undefined, external_minutes: "min" };

function NumberFields({
  draft,
  names,
  texts,
  errors,
}: Pick<CheckProps, "draft" | "errors"> & {
  names: readonly NumberName[];
  texts: Readonly<Record<NumberName, { label: string; hint: string }>>;
}) {
  return (
    <>
      {names.map((name) => (
        <NumberField
          key={name}
          {...texts[name]}
          name={name}
          unit={UNITS[name]}
          value={draft.settings[name] ?? ""}
          error={errors[name]}
        />
      ))}
    </>
  );
}

function FactList({ context, facts }: CheckProps) {
  const { add } = textsOf(context.language).devicePages;
  const { number } = formatOf(context.language, context.site.plant.timezone);
  const shown = FILLING_FACTS.flatMap((name) =>
    facts[name] === undefined ? [] : [add.fact[name](number(facts[name], 1))],
  );
  if (shown.length === 0) return null;
  return (
    <>
      <h2>{add.facts}</h2>
      <ul>
        {shown.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p class="hint">{add.factsHint}</p>
    </>
  );
}
