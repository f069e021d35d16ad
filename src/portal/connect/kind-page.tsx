import type { ComponentChildren } from "preact";
import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { ADD_PATH } from "../devices/labels.js";
import { Form, FormButton, Notice, SubmitButton } from "../ui/form.js";
import { ageText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { isLoopback } from "./address.js";
import { CONNECT_PATH, type Kind, type StepPart } from "./kinds.js";
import { ConnectionState, type ShownConnection } from "./light.js";
import { FLOW_NAMES } from "./node-red-files.js";
import { Credential } from "./overview-page.js";
import { type SnippetFacts, snippetsOf } from "./snippets.js";

interface KindPageProps {
  context: SignedInContext;
  kind: Kind;
  connection: ShownConnection;
  /** How a device that takes commands is called. */
  nameOf(status: ActuatorStatus): string;
  facts: SnippetFacts;
  /** The broker that the gateway joins instead of its own; null: its own, undefined: none. */
  externalBroker: string | null | undefined;
  /** Path of the embedded Node-RED; undefined without one. */
  nodeRedPath: string | undefined;
  /** The credentials that were just created, and what reading the new link gave. */
  created: { key: string | undefined; link: string | undefined; outcome: string | undefined };
  keys: readonly (KeyView & { usedAt: Date | undefined })[];
  links: readonly (LinkView & { usedAt: Date | undefined })[];
  refused: string | undefined;
}

/** The page of one kind: the light, the steps with texts to copy, and the credentials. */
export function KindPage(props: KindPageProps) {
  const { context, kind, connection, created, facts, refused } = props;
  const texts = textsOf(context.language).connect;
  const { name, summary, steps } = texts.kinds[kind.id];
  const query = new URLSearchParams({ site: facts.siteId });
  const copies = snippetsOf(kind.id, facts, texts.snippets);
  const data = `/portal/connect?${query}&kind=${kind.id}`;
  return (
    <Layout context={context} title={name} scripts={["client/dashboard.js", "client/copy.js"]}>
      <p>
        <a href={CONNECT_PATH}>{`← ${texts.all}`}</a>
      </p>
      <p class="lead">{summary}</p>
      {refused !== undefined && <Notice kind="error">{refused}</Notice>}
      <Created created={created} context={context} />
      <section class="card" aria-labelledby="light-title">
        <h2 id="light-title">{texts.light.title}</h2>
        <div id="live" data-url={data} data-events={`/portal/events?${query}&about=connections`}>
          <div id="connection">
            <ConnectionState
              context={context}
              kind={kind}
              connection={connection}
              isExternal={typeof props.externalBroker === "string"}
              nameOf={props.nameOf}
            />
          </div>
        </div>
      </section>
      {isLoopback(new URL(facts.url).hostname) && <Notice kind="info">{texts.loopback}</Notice>}
      {steps.map(({ title, text }, index) => (
        <section class="card" key={title} aria-labelledby={`step-${index + 1}`}>
          <h2 id={`step-${index + 1}`}>{`${index + 1}. ${title}`}</h2>
          <p>{withCode(text)}</p>
          {kind.steps[index]?.map((part) => (
            <Part key={JSON.stringify(part)} {...props} part={part} />
          ))}
          {Object.entries(copies[index] ?? {}).map(([name, copied], number) => (
            <Copied
              key={name}
              context={context}
              id={`copy-${index + 1}-${number + 1}`}
              title={name}
              text={copied}
            />
          ))}
        </section>
      ))}
      <Credentials {...props} />
      <p>
        <a href={`/help/${kind.help}`}>{texts.help}</a>
      </p>
    </Layout>
  );
}

function Created({ created, context }: { created: KindPageProps["created"]; context: SignedInContext }) {
  const { create } = textsOf(context.language).connect;
  const secrets = [created.key, created.link].filter((secret) => secret !== undefined);
  if (secrets.length === 0) return null;
  return (
    <Notice kind="success">
      <p>{create.shownOnce}</p>
      {secrets.map((secret) => (
        <code class="secret" key={secret}>
          {secret}
        </code>
      ))}
      {created.outcome !== undefined && <p>{created.outcome}</p>}
    </Notice>
  );
}

interface CopiedProps {
  context: SignedInContext;
  id: string;
  title: string;
  text: string;
}

/** A text with a button that copies it. */
function Copied({ context, id, title, text }: CopiedProps) {
  const texts = textsOf(context.language).connect;
  return (
    <div class="copied">
      <h3>{title}</h3>
      <pre id={id}>{text}</pre>
      <button
        type="button"
        class="button plain"
        hidden
        data-copies={id}
        data-done={texts.copied}
        aria-describedby={id}
      >
        <span aria-live="polite">{texts.copy}</span>
        <span class="visually-hidden">{` ${title}`}</span>
      </button>
    </div>
  );
}

/** What a step has beside its text. */
function Part(props: KindPageProps & { part: StepPart }) {
  const { context, facts, part } = props;
  const texts = textsOf(context.language).connect;
  if (typeof part === "object" && "file" in part)
    return (
      <FormButton
        context={context}
        action={`${CONNECT_PATH}/loxone`}
        hidden={{ kind: part.file }}
        kind="plain"
      >
        {texts.downloads.kinds[part.file]}
      </FormButton>
    );
  if (typeof part === "object") {
    const query = new URLSearchParams({ site: facts.siteId, template: part.template });
    return (
      <p>
        <a href={`${ADD_PATH}?${query}`}>{`${texts.actuator} (${part.template})`}</a>
      </p>
    );
  }
  switch (part) {
    case "key":
    case "password":
      return <CreateKey {...props} label={texts.create[part]} />;
    case "link":
      return <CreateForm {...props} what="links" label={texts.create.link} />;
    case "topics":
      return (
        <Form
          context={context}
          action={`${CONNECT_PATH}/topics`}
          label={texts.useTopics}
          hidden={shownValues(props)}
        >
          <SubmitButton>{texts.useTopics}</SubmitButton>
          <a href={`/settings/ems/telemetry?${new URLSearchParams({ site: facts.siteId })}`}>
            {texts.topicMap}
          </a>
        </Form>
      );
    case "optimizer":
      return (
        <p>
          <a href={`${CONNECT_PATH}#links`}>{texts.links.create}</a>
        </p>
      );
    case "editor":
      return (
        <p class="actions">
          {props.nodeRedPath !== undefined && context.account.administrator && (
            <a class="button" href={props.nodeRedPath} target="_blank" rel="noopener">
              {texts.editor}
            </a>
          )}
          <a class="button plain" href={`${CONNECT_PATH}/node-red/palette`}>
            {texts.palette}
          </a>
        </p>
      );
    case "flows":
      return (
        <p class="actions">
          {FLOW_NAMES.map((name) => (
            <a
              class="button plain"
              key={name}
              href={`${CONNECT_PATH}/node-red/flow?${new URLSearchParams({ site: facts.siteId, name })}`}
            >
              {`${texts.flows[name]} (JSON)`}
            </a>
          ))}
        </p>
      );
  }
}

/** The kind, and the credentials that the page shows now: the page after the form shows them again. */
function shownValues({ kind, created: { key, link } }: KindPageProps) {
  return { kind: kind.id, shown_key: key, shown_link: link };
}

function CreateKey(props: KindPageProps & { label: string }) {
  const { context, kind, externalBroker } = props;
  const texts = textsOf(context.language).connect;
  // An API key signs in to the gateway only; Node-RED and programs use it over HTTP as well.
  if (kind.id !== "node-red" && kind.id !== "http") {
    if (typeof externalBroker === "string")
      return <Notice kind="info">{texts.external(externalBroker)}</Notice>;
    if (externalBroker === undefined) return <Notice kind="warning">{texts.noBroker}</Notice>;
  }
  const { administrator } = context.account;
  return (
    <>
      {!administrator && kind.id === "home-assistant" && <Notice kind="warning">{texts.ownerOnly}</Notice>}
      {!administrator && kind.id === "evcc" && <Notice kind="warning">{texts.evccOwner}</Notice>}
      <CreateForm {...props} what="keys">
        {!administrator && <p class="hint">{texts.create.replaces}</p>}
      </CreateForm>
    </>
  );
}

/** Creates a key or link of the kind. */
function CreateForm(
  props: KindPageProps & { what: "keys" | "links"; label: string; children?: ComponentChildren },
) {
  const { context, what, label, children } = props;
  return (
    <Form context={context} action={`${CONNECT_PATH}/${what}`} label={label} hidden={shownValues(props)}>
      {children}
      <p>
        <SubmitButton>{label}</SubmitButton>
      </p>
    </Form>
  );
}

/** The keys and links of the kind with their last use. */
function Credentials({ context, kind, connection, keys, links }: KindPageProps) {
  const texts = textsOf(context.language).connect;
  const { credentials, light } = texts;
  if (keys.length + links.length === 0) return null;
  const usedText = (at: Date | undefined) =>
    at === undefined ? credentials.unused : credentials.used(ageText(at, connection.nowMs, context.language));
  const row = (one: KindPageProps["keys"][number] | KindPageProps["links"][number], what: "key" | "link") => (
    <Credential
      key={one.id}
      {...{ context, what, one, kind }}
      title={light[what](one.label === "" ? one.prefix : one.label)}
      text={`${texts.links.start} ${one.prefix} · ${usedText(one.usedAt)}`}
    />
  );
  return (
    <section class="card" aria-labelledby="credentials-title">
      <h2 id="credentials-title">{credentials.title}</h2>
      <ul class="links">
        {keys.map((key) => row(key, "key"))}
        {links.map((link) => row(link, "link"))}
      </ul>
    </section>
  );
}

/** A text with the names of readings, which are typed as they are, as code. */
function withCode(text: string) {
  return text
    .split(/\b([a-z0-9]+(?:_[a-z0-9]+)+)\b/)
    .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}
