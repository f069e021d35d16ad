import { type Facts, FILLING_FACTS } from "../../equipment/reading/facts-settings.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { Control } from "../../equipment/states.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { type FieldErrors, type FieldSpec, Form, FormFields, Notice } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { bullets, submitButton } from "../ui/parts.js";
import { Notes, readingsTable, unreadText } from "./device-parts.js";
import type { ChosenReads, DeviceDraft } from "./drafts.js";
import { ADD_PATH, CHECK_PATH, readingsLine } from "./labels.js";

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
  const { context, token, draft, template, view, refusal, offers, reads, given, controls, slots, errors } =
    props;
  const { language } = context;
  const { devicePages, actuators } = textsOf(language);
  const { add, page, roles } = devicePages;
  const { settings, replaces } = draft;
  const line = view === undefined ? "" : readingsLine(view.readings, language);
  const nameOf = (role: string) => roles[role] ?? role;
  const isRead = offers.length > 0;
  const [control = ""] = (settings.controls ?? "").split(" ");
  const held = new Map<string, unknown>([
    ["name", settings.name],
    ["slot", props.chosenSlot],
    ["controls", control],
    ["fallback", reads.isFallback],
    ...DEVICE_NUMBERS.map((name) => [name, settings[name]] as const),
    ...settings.reversed.map((role) => [`reversed.${role}`, true] as const),
    ...reads.reads.map((role) => [`reads.${role}`, true] as const),
  ]);
  const show = (fields: readonly FieldSpec[]) => (
    <FormFields fields={fields} textOf={(name) => String(held.get(name) ?? "")} errors={errors} />
  );
  const number = (name: (typeof DEVICE_NUMBERS)[number]): FieldSpec => {
    return { kind: "number", name, unit: UNITS[name], ...add.numbers[name] };
  };
  const options = [
    ...(isRead ? [{ value: "", label: add.onlyRead }] : []),
    ...controls.map((value) => ({
      value,
      label: value === "slot" ? roles.slot! : actuators.controls[value],
    })),
  ];
  const taken = offers.find((role) => role !== "pv" && reads.reads.includes(role) && given.has(role));
  return (
    <Layout
      {...{ context, errors }}
      title={replaces === undefined ? add.title : page.change}
      back={[connectionUrl(props), add.connection]}
    >
      <p class="lead">{[view?.name ?? template.name[language], view?.address].filter(Boolean).join(" · ")}</p>
      {isRead && (
        <section class="card" aria-live="polite">
          {line === "" ? (
            <Notice kind="warning">
              <p>
                <strong>{add.noAnswer}</strong>
              </p>
              <p>{add.noAnswerHint}</p>
              {unreadText(context, view, refusal)}
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
              {readingsTable(context, view.readings)}
            </details>
          )}
        </section>
      )}
      <Form context={context} action={CHECK_PATH} class="card" hidden={{ draft: token }}>
        {show(
          props.signed.map((role) => ({
            kind: "tick",
            name: `reversed.${role}`,
            label: add.reversed(nameOf(role)),
            hint: add.reversedHint[role as keyof typeof add.reversedHint] ?? add.reversedHint.other,
          })),
        )}
        {isRead && submitButton(add.checkAgain, { kind: "plain", name: "do", value: "read" })}
        {show([{ name: "name", label: add.name, hint: add.nameHint, maxLength: 60 }])}
        {slots !== undefined &&
          show([{ kind: "choice", name: "slot", label: add.slot, hint: add.slotHint, options: slots }])}
        {options.length > 1
          ? show([{ kind: "choice", name: "controls", label: add.controls, hint: add.controlsHint, options }])
          : errors.controls !== undefined && <p class="error">{errors.controls}</p>}
        {controls.length > 0 && (
          <details open={LIMITS.some((name) => errors[name] !== undefined)}>
            <summary>{add.limits}</summary>
            {show(LIMITS.map(number))}
          </details>
        )}
        <FactList {...props} />
        {isRead && reads.isFallback && taken !== undefined && (
          <p class="hint">{add.taken(nameOf(taken), given.get(taken)!)}</p>
        )}
        {isRead && (
          <details open={errors.reads !== undefined || errors.poll_s !== undefined}>
            <summary>{add.reading}</summary>
            <fieldset>
              <legend>{add.reads}</legend>
              {errors.reads !== undefined && <p class="error">{errors.reads}</p>}
              {show(
                offers.map((role) => ({
                  kind: "tick",
                  name: `reads.${role}`,
                  label: nameOf(role),
                  hint: given.has(role) && role !== "pv" ? add.takes(given.get(role)!) : undefined,
                })),
              )}
            </fieldset>
            {show([
              { kind: "tick", name: "fallback", label: add.fallback, hint: add.fallbackHint },
              number("poll_s"),
            ])}
          </details>
        )}
        {submitButton(replaces === undefined ? add.save : add.saveChanges, { name: "do", value: "save" })}
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

/** Limits of the commands of a device. */
const LIMITS = ["min_dwell_s", "max_writes_per_day", "external_minutes"] as const;
/** Numbers that every device has. */
export const DEVICE_NUMBERS = ["poll_s", ...LIMITS] as const;
const UNITS = { poll_s: "s", min_dwell_s: "s", max_writes_per_day: undefined, external_minutes: "min" };

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
      {bullets(shown)}
      <p class="hint">{add.factsHint}</p>
    </>
  );
}
