import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent } from "../../equipment/status-component.js";
import { componentText, textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { deviceUrl } from "../devices/labels.js";
import { ageText, timeText } from "../ui/format.js";
import { formButton } from "../ui/parts.js";
import type { TestResult } from "./connection-tests.js";
import type { Connection, Contact } from "./connections.js";
import { CONNECT_PATH, type Kind } from "./kinds.js";

/** A connection with its last test, as read for a page. */
export interface ShownConnection extends Connection {
  test: { endsAt: Date } | TestResult | undefined;
  nowMs: number;
}

/** The state of a connection in one line: a coloured light and the same in words. */
export function lightLine(context: PageContext, connection: ShownConnection) {
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
export function isDisproved({ test, lastAt }: ShownConnection): boolean {
  return test !== undefined && "at" in test && test.outcome !== "passed" && (lastAt ?? 0) > test.at;
}

/** When the last message came; empty if none did. */
export function lastText({ language }: PageContext, { lastAt, nowMs }: ShownConnection): string {
  const { light } = textsOf(language).connect;
  return lastAt === undefined ? "" : ` · ${light.last(ageText(lastAt, nowMs, language))}`;
}

/** The subscriptions that the broker has refused to connected clients. */
export function refusedFilters(context: PageContext, contacts: readonly Contact[]) {
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
      {lightLine(context, connection)}
      {contacts.length + actuators.length > 0 && (
        <ul>
          {contacts.map((contact) => (
            <li key={`${contact.via} ${contact.name} ${contact.topic}`}>
              {contactText(contact, context)}
              {`, ${ageText(contact.at, nowMs, context.language)}`}
              {contact.isRefused === true && <p class="error">{light.refused(contact.topic ?? "")}</p>}
              {refusedFilters(context, [contact])}
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
        formButton(context, `${CONNECT_PATH}/test`, texts.start, {
          label: texts.start,
          hidden: { kind: kind.id },
          kind: "plain",
        })
      )}
    </>
  );
}

/** How the last test ended, or until when one runs. */
export function testText(context: PageContext, { test, nowMs }: ShownConnection): string {
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
