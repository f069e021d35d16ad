import type { ComponentChildren } from "preact";
import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import type { LoxoneKind } from "../../core/domain/loxone-kinds.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { UndoableNotice } from "../ems/saved-notice.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { ageText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { isLoopback } from "./address.js";
import type { Kind } from "./kinds.js";
import { ConnectionState, newActuatorUrl, type ShownConnection } from "./light.js";
import { FLOW_NAMES } from "./node-red-files.js";
import { CONNECT_PATH } from "./path.js";
import { type Snippet, type SnippetFacts, snippetsOf } from "./snippets.js";

export interface KindPageProps {
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
  const data = `/portal/connect?${query}&kind=${kind.id}`;
  return (
    <Layout context={context} title={name} scripts={["client/dashboard.js", "client/copy.js"]}>
      <p>
        <a href={CONNECT_PATH}>{`← ${texts.all}`}</a>
      </p>
      <p class="lead">{summary}</p>
      {refused !== undefined && <Notice kind="error">{refused}</Notice>}
      <UndoableNotice context={context} back={context.path} />
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
          <StepExtras {...props} step={index} />
          {snippetsOf(kind.id, index, facts, texts.snippets).map((snippet) => (
            <Copied key={snippet.id} snippet={snippet} context={context} />
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

/** A text with a button that copies it. */
function Copied({ snippet: { id, title, text }, context }: { snippet: Snippet; context: SignedInContext }) {
  const texts = textsOf(context.language).connect;
  return (
    <div class="copied">
      <h3>{title}</h3>
      <pre id={`copy-${id}`}>{text}</pre>
      <button
        type="button"
        class="button plain"
        hidden
        data-copies={`copy-${id}`}
        data-done={texts.copied}
        aria-describedby={`copy-${id}`}
      >
        <span aria-live="polite">{texts.copy}</span>
        <span class="visually-hidden">{` ${title}`}</span>
      </button>
    </div>
  );
}

/** The buttons and links of a step. */
function StepExtras(props: KindPageProps & { step: number }) {
  const { context, kind, facts, step } = props;
  const texts = textsOf(context.language).connect;
  const { administrator } = context.account;
  switch (`${kind.id} ${step}`) {
    case "home-assistant 1":
      return (
        <CreateKey {...props} label={texts.create.password}>
          {!administrator && <Notice kind="warning">{texts.ownerOnly}</Notice>}
        </CreateKey>
      );
    case "iobroker 0":
    case "openhab 0":
    case "mqtt 0":
      return <CreateKey {...props} label={texts.create.password} />;
    case "evcc 2":
    case "shelly 0":
      return <CreateLink {...props} />;
    case "evcc 3":
      return (
        <>
          <CreateKey {...props} label={texts.create.key}>
            {!administrator && <Notice kind="warning">{texts.evccOwner}</Notice>}
          </CreateKey>
          <Form context={context} action={`${CONNECT_PATH}/topics`} label={texts.useTopics}>
            <KindFields {...props} />
            <SubmitButton>{texts.useTopics}</SubmitButton>
            <a href={`/settings/ems/telemetry?${new URLSearchParams({ site: facts.siteId })}`}>
              {texts.topicMap}
            </a>
          </Form>
        </>
      );
    case "evcc 4":
      return (
        <>
          <ActuatorLink {...props} template="evcc-battery" />
          <ActuatorLink {...props} template="evcc-loadpoint" />
        </>
      );
    case "evcc 5":
      return (
        <p>
          <a href={`${CONNECT_PATH}#links`}>{texts.links.create}</a>
        </p>
      );
    case "loxone 0":
      return <LoxoneDownload context={context} kind="http-input" />;
    case "loxone 1":
      return <LoxoneDownload context={context} kind="http-output" />;
    case "loxone 2":
      return <LoxoneDownload context={context} kind="mqtt" />;
    case "node-red 0":
      return (
        <p class="actions">
          {props.nodeRedPath !== undefined && administrator && (
            <a class="button" href={props.nodeRedPath} target="_blank" rel="noopener">
              {texts.editor}
            </a>
          )}
          <a class="button plain" href={`${CONNECT_PATH}/node-red/palette`}>
            {texts.palette}
          </a>
        </p>
      );
    case "node-red 1":
      return <CreateKey {...props} label={texts.create.key} />;
    case "node-red 2":
      return (
        <p class="actions">
          {FLOW_NAMES.map((name) => (
            <a class="button plain" key={name} href={flowUrl(facts.siteId, name)}>
              {`${texts.flows[name]} (JSON)`}
            </a>
          ))}
        </p>
      );
    case "shelly 1":
      return <ActuatorLink {...props} template="shelly-gen2" />;
    case "victron 2":
      return <ActuatorLink {...props} template="victron-gx" />;
    case "http 0":
      return (
        <>
          <CreateLink {...props} />
          <CreateKey {...props} label={texts.create.key} />
        </>
      );
    default:
      return null;
  }
}

function flowUrl(site: string, name: string): string {
  return `${CONNECT_PATH}/node-red/flow?${new URLSearchParams({ site, name })}`;
}

function ActuatorLink({ context, facts, template }: KindPageProps & { template: string }) {
  const text = textsOf(context.language).connect.actuator;
  return (
    <p>
      <a href={newActuatorUrl(facts.siteId, template)}>{`${text} (${template})`}</a>
    </p>
  );
}

/** The kind, and the credentials that the page shows now: the page after the form shows them again. */
function KindFields({ kind, created: { key, link } }: KindPageProps) {
  return (
    <>
      <input type="hidden" name="kind" value={kind.id} />
      {key !== undefined && <input type="hidden" name="shown_key" value={key} />}
      {link !== undefined && <input type="hidden" name="shown_link" value={link} />}
    </>
  );
}

function CreateKey(props: KindPageProps & { label: string; children?: ComponentChildren }) {
  const { context, kind, externalBroker, label, children } = props;
  const texts = textsOf(context.language).connect;
  // An API key signs in to the gateway only; Node-RED and programs use it over HTTP as well.
  if (kind.id !== "node-red" && kind.id !== "http") {
    if (typeof externalBroker === "string")
      return <Notice kind="info">{texts.external(externalBroker)}</Notice>;
    if (externalBroker === undefined) return <Notice kind="warning">{texts.noBroker}</Notice>;
  }
  return (
    <>
      {children}
      <Form context={context} action={`${CONNECT_PATH}/keys`} label={label}>
        <KindFields {...props} />
        {!context.account.administrator && <p class="hint">{texts.create.replaces}</p>}
        <p>
          <SubmitButton>{label}</SubmitButton>
        </p>
      </Form>
    </>
  );
}

function CreateLink(props: KindPageProps) {
  const { context } = props;
  const { create } = textsOf(context.language).connect;
  return (
    <Form context={context} action={`${CONNECT_PATH}/links`} label={create.link}>
      <KindFields {...props} />
      <p>
        <SubmitButton>{create.link}</SubmitButton>
      </p>
    </Form>
  );
}

/** Downloads a file for Loxone Config. */
export function LoxoneDownload({ context, kind }: { context: SignedInContext; kind: LoxoneKind }) {
  return (
    <Form context={context} action={`${CONNECT_PATH}/loxone`}>
      <input type="hidden" name="kind" value={kind} />
      <SubmitButton kind="plain">{textsOf(context.language).connect.downloads.kinds[kind]}</SubmitButton>
    </Form>
  );
}

/** The keys and links of the kind with their last use. */
function Credentials({ context, kind, connection, keys, links }: KindPageProps) {
  const texts = textsOf(context.language).connect;
  const { credentials, links: linkTexts, light } = texts;
  if (keys.length + links.length === 0) return null;
  const row = (one: KindPageProps["keys"][number] | KindPageProps["links"][number], what: "key" | "link") => (
    <li key={one.id}>
      <strong>{light[what](one.label === "" ? one.prefix : one.label)}</strong>
      {` · ${linkTexts.start} ${one.prefix} · `}
      {one.usedAt === undefined
        ? credentials.unused
        : credentials.used(ageText(one.usedAt, connection.nowMs, context.language))}
      {one.revokedAt !== undefined ? (
        ` · ${linkTexts.revoked}`
      ) : (
        <Form context={context} action={`${CONNECT_PATH}/${what}s/revoke`} class="inline">
          <input type="hidden" name="id" value={one.id} />
          <input type="hidden" name="kind" value={kind.id} />
          <SubmitButton kind="danger">
            {linkTexts.revoke}
            <span class="visually-hidden">{` ${one.label}`}</span>
          </SubmitButton>
        </Form>
      )}
    </li>
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
