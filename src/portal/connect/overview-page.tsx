import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import { LINK_SCOPES } from "../../core/domain/link-scopes.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import {
  type FieldErrors,
  Form,
  FormButton,
  Notice,
  SelectField,
  SubmitButton,
  TextField,
} from "../ui/form.js";
import { dateText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card } from "../ui/parts.js";
import type { Connection } from "./connections.js";
import { CONNECT_PATH, type Kind, type KindId } from "./kinds.js";
import { isDisproved, lastText, lightLine, refusedFilters, type ShownConnection, testText } from "./light.js";

/** The form of a new link, as it was typed. */
export interface LinkForm {
  label: string;
  scope: string;
  errors: FieldErrors;
}

interface OverviewProps {
  context: PageContext;
  siteId: string;
  connections: readonly KindConnection[];
  links: readonly LinkView[];
  /** The full address of a link that was just made. */
  madeLink: string | undefined;
  typed: LinkForm;
}

/** The page /connect: every kind with its light, and the controller links. */
export function OverviewPage(props: OverviewProps) {
  const { context, siteId, connections } = props;
  const texts = textsOf(context.language);
  const query = new URLSearchParams({ site: siteId });
  return (
    <Layout context={context} title={texts.portal.frame.areas.connect} scripts={["client/dashboard.js"]}>
      <p class="lead">{texts.connect.intro}</p>
      <div
        id="live"
        data-url={`/portal/connect?${query}`}
        data-events={`/portal/events?${query}&about=connections`}
      >
        <div id="kinds">
          <Kinds context={context} connections={connections} />
        </div>
      </div>
      <ControllerLinks {...props} />
    </Layout>
  );
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
        <Card title={link(id)} key={id}>
          {lightLine(context, connection)}
        </Card>
      ))}
      {connected.length > 0 && (
        <Card title={states.connected}>
          <ul class="readings">
            {connected.map(({ id, connection }) => (
              <li key={id}>
                <span class="dot connected" aria-hidden="true" />
                {link(id)}
                {lastText(context, connection)}
                {connection.test !== undefined &&
                  !isDisproved(connection) &&
                  ` · ${testText(context, connection)}`}
                {refusedFilters(context, connection.contacts)}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {others.length > 0 && (
        <Card title={connections.length === others.length ? states.none : groups.others}>
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
        </Card>
      )}
    </>
  );
}

/** Links for controllers: what there is, a new one, and the address of a new one, shown once. */
function ControllerLinks({ context, links, madeLink, typed }: OverviewProps) {
  const texts = textsOf(context.language).connect.links;
  const scopes = LINK_SCOPES.map((value) => ({ value, label: texts.scopes[value] }));
  return (
    <section class="card" id="links" aria-labelledby="links-title">
      <h2 id="links-title">{texts.title}</h2>
      <p class="hint">{texts.intro}</p>
      {madeLink !== undefined && (
        <Notice kind="success">
          <p>{texts.shownOnce}</p>
          <code class="secret">{madeLink}</code>
        </Notice>
      )}
      {links.length > 0 && (
        <ul class="links">
          {links.map((one) => (
            <Credential
              key={one.id}
              {...{ context, one }}
              what="link"
              title={one.label === "" ? one.prefix : one.label}
              text={`${texts.scopes[one.scope]} · ${texts.start} ${one.prefix} · ${texts.made} ${dateText(one.createdAt, context)}`}
            />
          ))}
        </ul>
      )}
      <details open={Object.keys(typed.errors).length > 0}>
        <summary>{texts.create}</summary>
        <Form context={context} action={`${CONNECT_PATH}/links`} label={texts.create}>
          <div class="fields">
            <TextField
              scope="link"
              name="label"
              label={texts.label}
              maxLength={80}
              value={typed.label}
              error={typed.errors.label}
              autocomplete="off"
            />
            <SelectField
              scope="link"
              name="scope"
              label={texts.scope}
              value={typed.scope}
              options={scopes}
              error={typed.errors.scope}
            />
          </div>
          <SubmitButton>{texts.create}</SubmitButton>
        </Form>
      </details>
    </section>
  );
}

interface CredentialProps {
  context: PageContext;
  what: "key" | "link";
  one: KeyView | LinkView;
  title: string;
  text: string;
  /** The kind to whose page the form leads back. */
  kind?: Kind;
}

/** A key or link in a list, with a button that revokes it. */
export function Credential({ context, what, one, title, text, kind }: CredentialProps) {
  const { revoked, revoke } = textsOf(context.language).connect.links;
  const action = `${CONNECT_PATH}/${what}s/revoke`;
  return (
    <li>
      <strong>{title}</strong>
      {` · ${text}`}
      {one.revokedAt !== undefined ? (
        ` · ${revoked}`
      ) : (
        <FormButton
          {...{ context, action }}
          class="inline"
          hidden={{ id: one.id, kind: kind?.id }}
          kind="danger"
        >
          {revoke}
          <span class="visually-hidden">{` ${one.label}`}</span>
        </FormButton>
      )}
    </li>
  );
}
