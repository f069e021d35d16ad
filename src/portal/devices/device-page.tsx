import type { ActuatorLogEntry } from "../../equipment/event-log.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { TrialState } from "../../equipment/trials.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { UndoableNotice } from "../ems/saved-notice.js";
import type { SiteContext } from "../page.js";
import {
  CheckboxField,
  ErrorSummary,
  type FieldErrors,
  Form,
  NumberField,
  SelectField,
  SubmitButton,
} from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { DataTable } from "../ui/table.js";
import { DEVICES_PATH, Status } from "./labels.js";
import { Notes } from "./notes.js";
import { ReaderFactsCard, ReaderNowCard } from "./reader-parts.js";
import type { ShownActuator } from "./shown-device.js";

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
  name: string;
  /** What is read of it; undefined: nothing. */
  view: DeviceView | undefined;
  actuator: ShownActuator;
  template: ActuatorTemplate | undefined;
  /** Power of the device in its settings, which a test begins with. */
  ratedKw: number;
  log: readonly ActuatorLogEntry[];
  trial: TrialState | undefined;
  errors: FieldErrors;
}

/** The page of one device that takes commands: state, test, switches, log. */
export function DevicePage({
  context,
  name,
  view,
  actuator,
  template,
  ratedKw,
  log,
  trial,
  errors,
}: DeviceProps) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  const { settings, status } = actuator;
  const query = new URLSearchParams({ site: context.site.id, id: settings.id });
  const hidden = <input type="hidden" name="id" value={settings.id} />;
  return (
    <Layout context={context} title={name} scripts={["client/dashboard.js"]}>
      <p>
        <a href={DEVICES_PATH}>{texts.back}</a>
      </p>
      <UndoableNotice context={context} back={DEVICES_PATH} />
      <Failed text={context.session.takeFlash("outcome")} />
      <ErrorSummary context={context} errors={errors} />
      <div id="live" data-url={`/portal/device?${query}`} data-events={`/portal/events?${query}`}>
        {view !== undefined && <ReaderNowCard context={context} view={view} />}
        <section class="card" id="status">
          <Status context={context} {...actuator} />
        </section>
        {settings.controls === "battery" && status?.states.includes("charge") === true && (
          <section class="card">
            <h2>{texts.trial.title}</h2>
            <p>{texts.trial.intro}</p>
            <div id="trial">
              <TrialOutcome context={context} trial={trial} />
            </div>
            <Form context={context} action={`${DEVICES_PATH}/trial`}>
              {hidden}
              <SubmitButton>{texts.trial.submit}</SubmitButton>
            </Form>
          </section>
        )}
        {view !== undefined && <ReaderFactsCard context={context} view={view} template={template} />}
        {view === undefined && template !== undefined && (
          <p>
            <a class="button" href={`${DEVICES_PATH}/edit?${query}`}>
              {texts.edit.title}
            </a>
          </p>
        )}
        {template !== undefined && <Notes context={context} template={template} />}
        <div class="columns">
          <section class="card">
            <h2>{texts.read.title}</h2>
            <Form context={context} action={`${DEVICES_PATH}/read`}>
              {hidden}
              <SubmitButton kind="plain">{texts.read.submit}</SubmitButton>
            </Form>
          </section>
          <section class="card">
            <h2>{texts.send.title}</h2>
            <p>{texts.send.intro}</p>
            <Form context={context} action={`${DEVICES_PATH}/send`}>
              {hidden}
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
            <h2>{texts.switches.title}</h2>
            <Form context={context} action={`${DEVICES_PATH}/switch`} class="actions">
              {hidden}
              {status?.dryRun !== false ? (
                <SubmitButton name="switch" value="live">
                  {texts.switches.goLive}
                </SubmitButton>
              ) : (
                <SubmitButton kind="plain" name="switch" value="dry_run">
                  {texts.switches.dryRun}
                </SubmitButton>
              )}
              {status !== undefined && status.externalUntil !== null && (
                <SubmitButton name="switch" value="take_over">
                  {texts.switches.takeOver}
                </SubmitButton>
              )}
              {status?.enabled === false ? (
                <SubmitButton name="switch" value="enable">
                  {texts.switches.enable}
                </SubmitButton>
              ) : (
                <SubmitButton kind="plain" name="switch" value="disable">
                  {texts.switches.disable}
                </SubmitButton>
              )}
            </Form>
            {status !== undefined && status.externalUntil !== null && (
              <p class="hint">{texts.switches.takeOverNote}</p>
            )}
            <p class="hint">{texts.switches.disableNote}</p>
          </section>
          {view === undefined && (
            <section class="card">
              <h2>{texts.remove.title}</h2>
              <p>{texts.remove.note}</p>
              <Form context={context} action={`${DEVICES_PATH}/remove`}>
                {hidden}
                <CheckboxField
                  name="remove_confirm"
                  label={texts.remove.confirm}
                  checked={false}
                  error={errors.remove_confirm}
                />
                <SubmitButton kind="danger">{texts.remove.submit}</SubmitButton>
              </Form>
            </section>
          )}
        </div>
        <section class="card">
          <h2>{texts.log.title}</h2>
          <div id="log">
            <CommandLog context={context} log={log} />
          </div>
        </section>
      </div>
    </Layout>
  );
}
