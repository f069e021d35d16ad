import type { ComponentChildren } from "preact";
import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import type { Site } from "../../config/site.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { ADD_PATH } from "../devices/labels.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { ageText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { formButton, linkButton, linkLine } from "../ui/parts.js";
import { CONNECT_PATH, isOf, type Kind, type StepPart } from "./kinds.js";
import { ConnectionState } from "./light.js";
import { FLOW_NAMES } from "./node-red-files.js";
import { addressFor, brokerOf, type ConnectOptions, isLoopback, shownConnection } from "./options.js";
import { Credential } from "./overview-page.js";
import { type SnippetFacts, snippetsOf } from "./snippets.js";

interface KindPageProps {
  context: SignedInContext;
  site: Site;
  kind: Kind;
  options: ConnectOptions;
  refused: string | undefined;
}

/** The credentials that were just created, and what reading the new link gave. */
interface Created {
  key: string | undefined;
  link: string | undefined;
  outcome: string | undefined;
}

type PartProps = KindPageProps & { facts: SnippetFacts; created: Created };

/** The page of one kind: the light, the steps with texts to copy, and the credentials. */
export function KindPage(page: KindPageProps) {
  const { context, site, kind, options, refused } = page;
  const { session, language } = context;
  const texts = textsOf(language).connect;
  const { name, summary, steps } = texts.kinds[kind.id];
  const query = new URLSearchParams({ site: site.id });
  const created = {
    key: session.takeFlash("key"),
    link: session.takeFlash("link"),
    outcome: session.takeFlash("outcome"),
  };
  const url = addressFor(context, options);
  const broker = options.broker(site.id);
  const facts = {
    url,
    broker: brokerOf(url, broker),
    prefix: broker.prefix,
    siteId: site.id,
    slots: site.plant.slots.map((slot) => ({ slot: slot.slot, label: deviceLabel(slot, language) })),
    user: kind.user,
    key: created.key ?? "hg_live_…",
    link: created.link?.replace(/\/line$/, "") ?? `${url}/c/TOKEN`,
  };
  const props: PartProps = { ...page, facts, created };
  const copies = snippetsOf(kind.id, facts, texts.snippets);
  const data = `/portal/connect?${query}&kind=${kind.id}`;
  return (
    <Layout context={context} title={name} scripts={["client/dashboard.js", "client/copy.js"]}>
      {linkLine(CONNECT_PATH, `← ${texts.all}`)}
      <p class="lead">{summary}</p>
      {refused !== undefined && <Notice kind="error">{refused}</Notice>}
      {newSecrets(context, created)}
      <section class="card" aria-labelledby="light-title">
        <h2 id="light-title">{texts.light.title}</h2>
        <div id="live" data-url={data} data-events={`/portal/events?${query}&about=connections`}>
          <div id="connection">
            <ConnectionState
              {...{ context, kind }}
              connection={shownConnection(site, kind, options)}
              isExternal={broker.url !== null}
              nameOf={(status) => options.nameOf(site, status, language)}
            />
          </div>
        </div>
      </section>
      {isLoopback(new URL(url).hostname) && <Notice kind="info">{texts.loopback}</Notice>}
      {steps.map(({ title, text }, index) => (
        <section class="card" key={title} aria-labelledby={`step-${index + 1}`}>
          <h2 id={`step-${index + 1}`}>{`${index + 1}. ${title}`}</h2>
          <p>{withCode(text)}</p>
          {kind.steps[index]?.map((part) => (
            <Part key={JSON.stringify(part)} {...props} part={part} />
          ))}
          {Object.entries(copies[index] ?? {}).map(([name, copied], number) =>
            copiedText(context, `copy-${index + 1}-${number + 1}`, name, copied),
          )}
        </section>
      ))}
      <Credentials {...props} />
      {linkLine(`/help/${kind.help}`, texts.help)}
    </Layout>
  );
}

function newSecrets(context: SignedInContext, created: Created) {
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
function copiedText(context: SignedInContext, id: string, title: string, text: string) {
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
function Part(props: PartProps & { part: StepPart }) {
  const { context, facts, part } = props;
  const { nodeRedPath } = props.options;
  const texts = textsOf(context.language).connect;
  if (typeof part === "object" && "file" in part)
    return formButton(context, `${CONNECT_PATH}/loxone`, texts.downloads.kinds[part.file], {
      hidden: { kind: part.file },
      kind: "plain",
    });
  if (typeof part === "object") {
    const query = new URLSearchParams({ site: facts.siteId, template: part.template });
    return linkLine(`${ADD_PATH}?${query}`, `${texts.actuator} (${part.template})`);
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
      return linkLine(`${CONNECT_PATH}#links`, texts.links.create);
    case "editor":
      return (
        <p class="actions">
          {nodeRedPath !== undefined && context.account.administrator && (
            <a class="button" href={nodeRedPath} target="_blank" rel="noopener">
              {texts.editor}
            </a>
          )}
          {linkButton(`${CONNECT_PATH}/node-red/palette`, texts.palette, "button plain")}
        </p>
      );
    case "flows":
      return (
        <p class="actions">
          {FLOW_NAMES.map((name) =>
            linkButton(
              `${CONNECT_PATH}/node-red/flow?${new URLSearchParams({ site: facts.siteId, name })}`,
              `${texts.flows[name]} (JSON)`,
              "button plain",
            ),
          )}
        </p>
      );
  }
}

/** The kind, and the credentials that the page shows now: the page after the form shows them again. */
function shownValues({ kind, created: { key, link } }: PartProps) {
  return { kind: kind.id, shown_key: key, shown_link: link };
}

function CreateKey(props: PartProps & { label: string }) {
  const { context, kind, site, options } = props;
  const { url, port } = options.broker(site.id);
  const texts = textsOf(context.language).connect;
  // An API key signs in to the gateway only; Node-RED and programs use it over HTTP as well.
  if (kind.id !== "node-red" && kind.id !== "http") {
    if (url !== null) return <Notice kind="info">{texts.external(url)}</Notice>;
    if (port === null) return <Notice kind="warning">{texts.noBroker}</Notice>;
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
  props: PartProps & { what: "keys" | "links"; label: string; children?: ComponentChildren },
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
function Credentials({ context, site, kind, options }: KindPageProps) {
  const texts = textsOf(context.language).connect;
  const { credentials, light } = texts;
  const keys = options.keys.list(site.id).filter(({ label }) => isOf(kind, label));
  const links = options.links.list(site.id).filter(({ label }) => isOf(kind, label));
  if (keys.length + links.length === 0) return null;
  const row = (one: KeyView | LinkView, what: "key" | "link", useId: string) => {
    const at = options.uses.of(useId);
    const used =
      at === undefined
        ? credentials.unused
        : credentials.used(ageText(at, options.nowMs(), context.language));
    return (
      <Credential
        key={one.id}
        {...{ context, what, one, kind }}
        title={light[what](one.label === "" ? one.prefix : one.label)}
        text={`${texts.links.start} ${one.prefix} · ${used}`}
      />
    );
  };
  return (
    <section class="card" aria-labelledby="credentials-title">
      <h2 id="credentials-title">{credentials.title}</h2>
      <ul class="links">
        {keys.map((key) => row(key, "key", key.accessId))}
        {links.map((link) => row(link, "link", link.id))}
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
