import { newTotpSecret } from "../../accounts/totp.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { accountPage } from "../page.js";
import { errorSummary, type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card, formButton, linkLine } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { CodeField, PasswordField, passwordForms } from "./account-fields.js";

const PATH = "/settings/account";
interface Shown {
  errors?: FieldErrors;
  /** Secret of a second factor that is being set up. */
  secret?: string;
}

/** Sessions, second factor and deletion of the account. */
export function accountPages(options: PortalOptions): Page[] {
  const { security, book } = options;
  const show = (context: SignedInContext, shown: Shown = {}): PageReply => ({
    page: page(context, options, shown),
    status: shown.errors === undefined ? 200 : 422,
  });

  const confirmed = passwordForms(options, (context, errors, form) => {
    const secret = form.text("secret");
    return show(context, { errors, ...(secret !== "" && { secret }) });
  });
  /** Runs `change` if the form has the account's password, and says what was done. */
  const withPassword = (change: (context: SignedInContext, form: FormBody) => Promise<PageReply>) =>
    confirmed(async (context, form) => {
      await security.checkCurrent(context.account.id, form.raw("current_password"));
      return change(context, form);
    });
  const post = (
    name: string,
    handle: (context: SignedInContext, form: FormBody) => PageReply | Promise<PageReply>,
  ): Page => accountPage.post(`${PATH}/${name}`, { of: PATH }, handle);

  /** The change has ended all sessions; this browser gets a new one. */
  const secondFactor = async (
    context: SignedInContext,
    done: "totpEnabled" | "totpDisabled",
    event: string,
  ): Promise<PageReply> => {
    await context.session.signIn(context.account.id);
    context.audit({ event });
    context.session.flash("notice", textsOf(context.language).security.account[done]);
    return { redirect: PATH };
  };

  return [
    accountPage.get(PATH, (context) => show(context)),
    post("sessions/end", async (context, form) => {
      const id = form.text("id");
      if (id === "") await context.session.endOthers();
      else await context.session.end(id);
      context.audit({ event: "session.ended" });
      context.session.flash("notice", textsOf(context.language).security.account.signedOut);
      return { redirect: PATH };
    }),
    post("totp/start", (context) => show(context, { secret: newTotpSecret() })),
    post(
      "totp/enable",
      withPassword(async (context, form) => {
        await security.enableTotp(context.account.id, form.text("secret"), form.text("code"));
        return secondFactor(context, "totpEnabled", "account.totp_enabled");
      }),
    ),
    post(
      "totp/disable",
      withPassword(async (context) => {
        await security.disableTotp(context.account.id);
        return secondFactor(context, "totpDisabled", "account.totp_disabled");
      }),
    ),
    post(
      "delete",
      withPassword(async (context) => {
        await book.remove(context.account.id);
        context.audit({ event: "account.deleted" });
        await context.session.signOut();
        return { redirect: "/login" };
      }),
    ),
  ];
}

function page(context: SignedInContext, { security }: PortalOptions, { errors = {}, secret }: Shown) {
  const { account: texts } = textsOf(context.language).security;
  const { account } = context;
  const hasTotp = security.hasTotp(account.id);
  const password = (scope: string) => (
    <PasswordField
      name="current_password"
      label={texts.password}
      error={errors.current_password}
      scope={scope}
    />
  );
  return (
    <Layout context={context} title={texts.title}>
      {errorSummary(context, errors, secret === undefined ? "delete" : "totp")}
      {sessions(context)}
      <Card title={texts.totp}>
        <p>{hasTotp ? texts.totpOn : texts.totpOff}</p>
        {!hasTotp && secret === undefined && formButton(context, `${PATH}/totp/start`, texts.totpStart)}
        {!hasTotp && secret !== undefined && (
          <Form context={context} action={`${PATH}/totp/enable`} hidden={{ secret }}>
            <p>{texts.totpSecret}</p>
            <code class="secret">{secret}</code>
            {linkLine(security.totpUri(account.id, secret), texts.totpOpen)}
            <CodeField context={context} error={errors.code} scope="totp" />
            {password("totp")}
            <SubmitButton>{texts.totpConfirm}</SubmitButton>
          </Form>
        )}
        {hasTotp && (
          <Form context={context} action={`${PATH}/totp/disable`}>
            {password("totp")}
            <SubmitButton kind="danger">{texts.totpRemove}</SubmitButton>
          </Form>
        )}
      </Card>
      <Card title={texts.audit}>{linkLine("/settings/audit", texts.auditLink)}</Card>
      <section class="card narrow">
        <h2>{texts.remove}</h2>
        {account.administrator ? (
          <p>{texts.notDeletable}</p>
        ) : (
          <Form context={context} action={`${PATH}/delete`}>
            <p>{texts.removeNote}</p>
            {password("delete")}
            <SubmitButton kind="danger">{texts.removeConfirm}</SubmitButton>
          </Form>
        )}
      </section>
    </Layout>
  );
}

/** Browsers and systems by what they call themselves; the first that fits counts: Edge also says "Chrome", Chrome "Safari". */
const BROWSERS = { "Edg/": "Edge", "OPR/": "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const SYSTEMS = {
  Android: "Android",
  iPhone: "iPhone",
  iPad: "iPad",
  Windows: "Windows",
  "Mac OS X": "macOS",
  Linux: "Linux",
};

/** Such as "Chrome on Linux"; an unknown program is called as it calls itself. */
export function browserName(
  agent: string | undefined,
  on: (browser: string, system: string) => string,
): string | undefined {
  if (agent === undefined) return undefined;
  const named = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).find(([part]) => agent.includes(part))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  return browser === undefined || system === undefined ? agent : on(browser, system);
}

function sessions(context: SignedInContext) {
  const { account: texts } = textsOf(context.language).security;
  return (
    <Card title={texts.sessions}>
      <DataTable
        rows={context.session.list()}
        columns={(col) => [
          col.text(texts.browser, ({ agent }) => browserName(agent, texts.on) ?? texts.unknown),
          col.text(texts.address, ({ address }) => address ?? texts.unknown),
          col.text(texts.since, ({ createdAt }) => dateTimeText(createdAt, context)),
          col.text(texts.seen, ({ seenAt }) => dateTimeText(seenAt, context)),
          col.text("", ({ isPresent, id }) =>
            isPresent
              ? texts.present
              : formButton(context, `${PATH}/sessions/end`, texts.signOut, { hidden: { id }, kind: "plain" }),
          ),
        ]}
      />
      {formButton(context, `${PATH}/sessions/end`, texts.signOutOthers, { kind: "plain" })}
    </Card>
  );
}
