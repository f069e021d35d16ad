import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent } from "../../equipment/status-component.js";
import { componentText, textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { DEVICES_PATH, deviceUrl } from "../devices/labels.js";
import { Form, SubmitButton } from "../ui/form.js";
import { ageText, timeText } from "../ui/format.js";
import type { TestResult } from "./connection-tests.js";
import type { Connection, Contact } from "./connections.js";
import type { Kind, KindId } from "./kinds.js";
import { CONNECT_PATH } from "./path.js";

/** A connection with its last test, as read for a page. */
export interface ShownConnection extends Connection {
  test: { endsAt: Date } | TestResult | undefined;
  nowMs: number;
}

/** The state of a connection in one line: a coloured light and the same in words. */
function Light({ context, connection }: { context: PageContext; connection: ShownConnection }) {
  const { states } = textsOf(context.language).connect;
  const { state } = connection;
  return (
    <p class="light">
      <span class={`dot ${state}`} aria-hidden="true" />
      <strong>{states[state]}</strong>
      {lastText(context, connection)}
      {isDisproved(connection) ? "" : ` · ${testText(context, connection)}`}
    </p>
  );
}

/** A message has come since a test that saw none. */
function isDisproved({ test, lastAt }: ShownConnection): boolean {
  return test !== undefined && "at" in test && test.outcome !== "passed" && (lastAt ?? 0) > test.at;
}

function lastText({ language }: PageContext, { lastAt, nowMs }: ShownConnection): string {
  const { light } = textsOf(language).connect;
  return lastAt === undefined ? "" : ` · ${light.last(ageText(lastAt, nowMs, language))}`;
}

/** A connection of the overview. */
export interface KindConnection {
  id: KindId;
  connection: ShownConnection;
}

/** All kinds: what is disturbed first, then one line for each that works, then what can be connected. */
export function Kinds({
  context,
  connections,
}: {
  context: PageContext;
  connections: readonly KindConnection[];
}) {
  const { kinds, groups, states } = textsOf(context.language).connect;
  const of = (...wanted: Connection["state"][]) =>
    connections.filter(({ connection }) => wanted.includes(connection.state));
  const link = (id: KindId) => <a href={`${CONNECT_PATH}/${id}`}>{kinds[id].name}</a>;
  const [disturbed, connected, others] = [of("failed", "silent"), of("connected"), of("none")];
  return (
    <>
      {disturbed.map(({ id, connection }) => (
        <section class="card" key={id}>
          <h2>{link(id)}</h2>
          <Light context={context} connection={connection} />
        </section>
      ))}
      {connected.length > 0 && (
        <section class="card">
          <h2>{states.connected}</h2>
          <ul class="readings">
            {connected.map(({ id, connection }) => (
              <li key={id}>
                <span class="dot connected" aria-hidden="true" />
                {link(id)}
                {lastText(context, connection)}
                {connection.test !== undefined &&
                  !isDisproved(connection) &&
                  ` · ${testText(context, connection)}`}
                <RefusedFilters context={context} contacts={connection.contacts} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <section class="card">
          <h2>{connections.length === others.length ? states.none : groups.others}</h2>
          <ul class="kinds">
            {others.map(({ id, connection }) => (
              <li key={id}>
                {link(id)}
                <span class="hint">
                  {kinds[id].summary}
                  {connection.test !== undefined && ` ${testText(context, connection)}.`}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The subscriptions that the broker has refused to connected clients. */
function RefusedFilters({ context, contacts }: { context: PageContext; contacts: readonly Contact[] }) {
  const { light } = textsOf(context.language).connect;
  return contacts.flatMap(({ name, refusedFilter }) =>
    refusedFilter === undefined
      ? []
      : [
          <p key={name} class="error">
            {light.refusedFilter(refusedFilter)}
          </p>,
        ],
  );
}

/** The state of a connection with all that was seen of it, and the test. */
export function ConnectionState({
  context,
  kind,
  connection,
  isExternal,
  nameOf,
}: {
  context: PageContext;
  kind: Kind;
  connection: ShownConnection;
  isExternal: boolean;
  nameOf(status: ActuatorStatus): string;
}) {
  const { light, test: texts } = textsOf(context.language).connect;
  const { contacts, actuators, nowMs, test } = connection;
  const isRunning = test !== undefined && "endsAt" in test;
  return (
    <>
      <Light context={context} connection={connection} />
      {contacts.length + actuators.length > 0 && (
        <ul>
          {contacts.map((contact) => (
            <li key={`${contact.via} ${contact.name} ${contact.topic}`}>
              {contactText(contact, context)}
              {`, ${ageText(contact.at, nowMs, context.language)}`}
              {contact.isRefused === true && <p class="error">{light.refused(contact.topic ?? "")}</p>}
              <RefusedFilters context={context} contacts={[contact]} />
              {contact.refusedLevel !== undefined && <p class="error">{light.refusedProtocol}</p>}
            </li>
          ))}
          {actuators.map((status) => (
            <li key={status.id}>
              <a href={deviceUrl(status.siteId, status.id)}>{light.actuator(nameOf(status))}</a>
              {` · ${componentText(actuatorComponent(status).detail, context.language)}`}
            </li>
          ))}
        </ul>
      )}
      {isExternal && <p class="hint">{light.external}</p>}
      {isRunning ? (
        <p role="status">{texts.running(timeText(test.endsAt, context))}</p>
      ) : (
        <Form context={context} action={`${CONNECT_PATH}/test`} label={texts.start}>
          <input type="hidden" name="kind" value={kind.id} />
          <SubmitButton kind="plain">{texts.start}</SubmitButton>
        </Form>
      )}
    </>
  );
}

function testText(context: PageContext, { test, nowMs }: ShownConnection): string {
  const texts = textsOf(context.language).connect.test;
  if (test === undefined) return texts.never;
  if ("endsAt" in test) return texts.running(timeText(test.endsAt, context));
  return texts[test.outcome](ageText(test.at, nowMs, context.language));
}

function contactText({ via, name, isConnected, topic }: Contact, { language }: PageContext): string {
  const { light } = textsOf(language).connect;
  if (via !== "client") return light[via](name);
  const sent = topic === undefined ? "" : `, ${light.sent(topic)}`;
  return `${light.client(name)}: ${isConnected ? light.online : light.offline}${sent}`;
}

/** Address of the form that sets up an actuator with a template. */
export function newActuatorUrl(siteId: string, template: string): string {
  return `${DEVICES_PATH}/new?${new URLSearchParams({ site: siteId, template })}`;
}
