import type { ActuatorLogEntry } from "../../equipment/event-log.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { TrialState } from "../../equipment/trials.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { SiteContext } from "../page.js";
import {
  CheckboxField,
  type FieldErrors,
  Form,
  FormButton,
  NumberField,
  SelectField,
  SubmitButton,
} from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { DataTable } from "../ui/table.js";
import { type CommandProps, isAnswering, Notes, ReaderFacts, ReaderNow, Status } from "./device-parts.js";
import { ADD_PATH, DEVICES_PATH } from "./labels.js";

/** The states that are sent with a power. */
const WITH_POWER = /^(charge|cap|discharge|limit|on)$/;

/** The log of an actuator, newest first. */
export function CommandLog({ context, log }: { context: SignedInContext; log: readonly ActuatorLogEntry[] }) {
  const texts = textsOf(context.language).actuators;
  if (log.length === 0) return <p class="empty">{texts.log.none}</p>;
  const { time, event, state, text } = texts.log.column;
  return (
    <DataTable
      rows={log.toReversed()}
      columns={(col) => [
        col.text(time, (entry) => dateTimeText(entry.at, context)),
        col.text(event, (entry) => texts.log.events[entry.event]),
        col.text(state, (entry) => texts.states[entry.state] ?? entry.state),
        col.text(text, (entry) => <code>{entry.text}</code>),
      ]}
    />
  );
}

/** How the trial run of a device goes, or how it went. */
export function TrialOutcome({
  context,
  trial,
}: {
  context: SignedInContext;
  trial: TrialState | undefined;
}) {
  const { actuators, components, format } = textsOf(context.language);
  const texts = actuators.trial;
  if (trial === undefined) return <p class="empty">{texts.none}</p>;
  if ("since" in trial) return <p role="status">{texts.running}</p>;
  const { outcome, fault, measuredKw, wantedKw, isRestored, at } = trial.result;
  const kw = (value: number) => value.toFixed(1).replace(".", format.decimal);
  return (
    <>
      <p>
        <span class={`state ${outcome === "shown" ? "ok" : "degraded"}`}>
          {texts.outcomes[outcome](measuredKw === undefined ? "–" : kw(measuredKw), kw(wantedKw))}
        </span>
      </p>
      {fault !== undefined && <p>{components.actuatorFaults[fault]}</p>}
      <p class="hint">{`${dateTimeText(at, context)}. ${isRestored ? texts.restored : texts.notRestored}`}</p>
    </>
  );
}

interface DeviceProps {
  context: SiteContext;
  view: DeviceView;
  /** Undefined: it takes no commands. */
  commands: Commanded | undefined;
  template: ActuatorTemplate | undefined;
  errors: FieldErrors;
}

/** The page of one device: what is read of it, and what is commanded. */
export function DevicePage(props: DeviceProps) {
  const { context, view, commands, template, errors } = props;
  const { language, site } = context;
  const { devicePages, actuators } = textsOf(language);
  const { page } = devicePages;
  const { id } = view;
  const query = new URLSearchParams({ site: site.id, id });
  return (
    <Layout
      {...{ context, errors }}
      title={view.name}
      scripts={["client/dashboard.js"]}
      back={[DEVICES_PATH, devicePages.add.back]}
    >
      <div id="live" data-url={`/portal/device?${query}`} data-events={`/portal/events?${query}`}>
        {(view.reads.length > 0 || !isAnswering(view)) && (
          <section class="card">
            <h2>{page.now}</h2>
            <div id="reading">
              <ReaderNow {...{ context, view }} />
            </div>
          </section>
        )}
        {commands !== undefined && (
          <section class="card" id="status">
            <Status context={context} status={commands.status} />
          </section>
        )}
        {commands !== undefined && <Trial {...{ context }} {...commands} />}
        <section class="card">
          <h2>{page.technical}</h2>
          <ReaderFacts {...{ context, view }} templateName={template?.name[language] ?? view.template} />
        </section>
        <p>
          <a class="button" href={`${ADD_PATH}?${query}`}>
            {page.change}
          </a>
        </p>
        {template !== undefined && <Notes {...{ context, template }} />}
        {commands !== undefined && <Commands {...{ context, errors, id }} {...commands} />}
        <section class="card">
          <h2>{actuators.remove.title}</h2>
          <p>{actuators.remove.note}</p>
          <Form context={context} action={`${DEVICES_PATH}/remove`} hidden={{ id }}>
            <CheckboxField
              name="remove_confirm"
              label={actuators.remove.confirm}
              checked={false}
              error={errors.remove_confirm}
            />
            <SubmitButton kind="danger">{actuators.remove.submit}</SubmitButton>
          </Form>
        </section>
      </div>
    </Layout>
  );
}

interface Commanded {
  status: CommandProps["status"];
  /** Power of the device in its settings, which a test begins with. */
  ratedKw: number;
  log: readonly ActuatorLogEntry[];
  trial: TrialState | undefined;
}

/** The trial run of a battery that can be charged. */
function Trial({ context, status, trial }: Commanded & CommandProps) {
  const texts = textsOf(context.language).actuators.trial;
  if (status?.controls !== "battery" || !status.states.includes("charge")) return null;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      <p>{texts.intro}</p>
      <div id="trial">
        <TrialOutcome {...{ context, trial }} />
      </div>
      <FormButton context={context} action={`${DEVICES_PATH}/trial`} hidden={{ id: status.id }}>
        {texts.submit}
      </FormButton>
    </section>
  );
}

/** The forms of a device that takes commands: reading, testing, switches, removal; and its log. */
function Commands({
  context,
  id,
  status,
  ratedKw,
  log,
  errors,
}: Commanded & CommandProps & { id: string; errors: FieldErrors }) {
  const texts = textsOf(context.language).actuators;
  const { switches } = texts;
  const hidden = { id };
  const isExternal = status !== undefined && status.externalUntil !== null;
  const button = (value: string, text: string, kind?: "plain") => (
    <SubmitButton {...{ value, kind }} name="switch">
      {text}
    </SubmitButton>
  );
  return (
    <>
      <div class="columns">
        <section class="card">
          <h2>{texts.read.title}</h2>
          <FormButton {...{ context, hidden }} action={`${DEVICES_PATH}/read`} kind="plain">
            {texts.read.submit}
          </FormButton>
        </section>
        <section class="card">
          <h2>{texts.send.title}</h2>
          <p>{texts.send.intro}</p>
          <Form {...{ context, hidden }} action={`${DEVICES_PATH}/send`}>
            <SelectField
              name="state"
              label={texts.send.state}
              options={(status?.states ?? []).map((value) => ({
                value,
                label: texts.states[value] ?? value,
              }))}
            />
            {status?.states.some((state) => WITH_POWER.test(state)) === true && (
              <NumberField name="power_kw" label={texts.send.power} value={String(ratedKw)} unit="kW" />
            )}
            <CheckboxField
              name="send_confirm"
              label={texts.send.confirm}
              checked={false}
              error={errors.send_confirm}
            />
            <SubmitButton>{texts.send.submit}</SubmitButton>
          </Form>
        </section>
        <section class="card">
          <h2>{switches.title}</h2>
          <Form {...{ context, hidden }} action={`${DEVICES_PATH}/switch`} class="actions">
            {status?.dryRun !== false
              ? button("live", switches.goLive)
              : button("dry_run", switches.dryRun, "plain")}
            {isExternal && button("take_over", switches.takeOver)}
            {status?.enabled === false
              ? button("enable", switches.enable)
              : button("disable", switches.disable, "plain")}
          </Form>
          {isExternal && <p class="hint">{switches.takeOverNote}</p>}
          <p class="hint">{switches.disableNote}</p>
        </section>
      </div>
      <section class="card">
        <h2>{texts.log.title}</h2>
        <div id="log">
          <CommandLog {...{ context, log }} />
        </div>
      </section>
    </>
  );
}
