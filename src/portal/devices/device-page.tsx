import type { ActuatorLogEntry } from "../../equipment/event-log.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { TrialState } from "../../equipment/trials.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { SiteContext } from "../page.js";
import { CheckboxField, type FieldErrors, Form, NumberField, SelectField, SubmitButton } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card, formButton, linkLine, submitButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { type CommandProps, isAnswering, Notes, ReaderFacts, ReaderNow, Status } from "./device-parts.js";
import { ADD_PATH, DEVICES_PATH } from "./labels.js";

/** The states that are sent with a power. */
const WITH_POWER = /^(charge|cap|discharge|limit|on)$/;

/** The log of an actuator, newest first. */
export function commandLog(context: SignedInContext, log: readonly ActuatorLogEntry[]) {
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
export function trialOutcome(context: SignedInContext, trial: TrialState | undefined) {
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
          <Card title={page.now}>
            <div id="reading">
              <ReaderNow {...{ context, view }} />
            </div>
          </Card>
        )}
        {commands !== undefined && (
          <section class="card" id="status">
            <Status context={context} status={commands.status} />
          </section>
        )}
        {commands !== undefined && <Trial {...{ context }} {...commands} />}
        <Card title={page.technical}>
          <ReaderFacts {...{ context, view }} templateName={template?.name[language] ?? view.template} />
        </Card>
        {linkLine(`${ADD_PATH}?${query}`, page.change, "button")}
        {template !== undefined && <Notes {...{ context, template }} />}
        {commands !== undefined && <Commands {...{ context, errors, id }} {...commands} />}
        <Card title={actuators.remove.title}>
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
        </Card>
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
    <Card title={texts.title}>
      <p>{texts.intro}</p>
      <div id="trial">{trialOutcome(context, trial)}</div>
      {formButton(context, `${DEVICES_PATH}/trial`, texts.submit, { hidden: { id: status.id } })}
    </Card>
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
  const button = (value: string, text: string, kind?: "plain") =>
    submitButton(text, { value, kind, name: "switch" });
  return (
    <>
      <div class="columns">
        <Card title={texts.read.title}>
          {formButton(context, `${DEVICES_PATH}/read`, texts.read.submit, { hidden, kind: "plain" })}
        </Card>
        <Card title={texts.send.title}>
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
        </Card>
        <Card title={switches.title}>
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
        </Card>
      </div>
      <Card title={texts.log.title}>
        <div id="log">{commandLog(context, log)}</div>
      </Card>
    </>
  );
}
