import { newTotpSecret } from "../../accounts/totp.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { accountPage } from "../page.js";
import { AttemptThrottle, isRefused } from "../throttle.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Done } from "../ui/notices.js";
import { DataTable } from "../ui/table.js";
import { accountErrors } from "./field-errors.js";

const PATH = "/settings/account";
/** Wrong passwords and codes in a window, for someone at another person's open browser. */
const FAILURES = 10;
const WINDOW_MS = 15 * 60 * 1000;

interface Shown {
  errors?: FieldErrors;
  /** Secret of a second factor that is being set up. */
  secret?: string;
}

/** Sessions, second factor and deletion of the account. */
export function accountPages(options: PortalOptions): Page[] {
  const { security, book, wallNowMs = Date.now } = options;
  const throttle = new AttemptThrottle({ limit: FAILURES, windowMs: WINDOW_MS, wallNowMs });
  const show = (context: SignedInContext, shown: Shown = {}): PageReply => ({
    page: page(context, options, shown),
    status: shown.errors === undefined ? 200 : 422,
  });

  /** Runs `change` if the form has the account's password. */
  const withPassword =
    (change: (context: SignedInContext, form: FormBody) => Promise<PageReply>) =>
    async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
      const attempt = throttle.begin([context.account.id]);
      if (isRefused(attempt)) return { refuse: 429, ...attempt };
      try {
        await security.checkCurrent(context.account.id, form.raw("current_password"));
        const reply = await change(context, form);
        attempt.end("free");
        return reply;
      } catch (error) {
        attempt.end("counted");
        const secret = form.text("secret");
        return show(context, {
          errors: accountErrors(error, context.texts),
          ...(secret !== "" && { secret }),
        });
      }
    };
  const post = (
    name: string,
    handle: (context: SignedInContext, form: FormBody) => PageReply | Promise<PageReply>,
  ): Page => accountPage.post(`${PATH}/${name}`, { of: PATH }, handle);

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
        await context.session.signIn(context.account.id);
        context.audit({ event: "account.totp_enabled" });
        context.session.flash("notice", textsOf(context.language).security.account.totpEnabled);
        return { redirect: PATH };
      }),
    ),
    post(
      "totp/disable",
      withPassword(async (context) => {
        await security.disableTotp(context.account.id);
        await context.session.signIn(context.account.id);
        context.audit({ event: "account.totp_disabled" });
        context.session.flash("notice", textsOf(context.language).security.account.totpDisabled);
        return { redirect: PATH };
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
    <TextField
      name="current_password"
      type="password"
      label={texts.password}
      error={errors.current_password}
      autocomplete="current-password"
      scope={scope}
      required
    />
  );
  return (
    <Layout context={context} title={texts.title}>
      <Done text={context.session.takeFlash("notice")} />
      <ErrorSummary context={context} errors={errors} scope={secret === undefined ? "delete" : "totp"} />
      <Sessions context={context} />
      <section class="card">
        <h2>{texts.totp}</h2>
        <p>{hasTotp ? texts.totpOn : texts.totpOff}</p>
        {!hasTotp && secret === undefined && (
          <Form context={context} action={`${PATH}/totp/start`}>
            <SubmitButton>{texts.totpStart}</SubmitButton>
          </Form>
        )}
        {!hasTotp && secret !== undefined && (
          <Form context={context} action={`${PATH}/totp/enable`}>
            <p>{texts.totpSecret}</p>
            <code class="secret">{secret}</code>
            <p>
              <a href={security.totpUri(account.id, secret)}>{texts.totpOpen}</a>
            </p>
            <input type="hidden" name="secret" value={secret} />
            <TextField
              name="code"
              label={textsOf(context.language).security.code.label}
              error={errors.code}
              inputMode="numeric"
              autocomplete="one-time-code"
              scope="totp"
              required
            />
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
      </section>
      <section class="card">
        <h2>{texts.audit}</h2>
        <p>
          <a href="/settings/audit">{texts.auditLink}</a>
        </p>
      </section>
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

function Sessions({ context }: { context: SignedInContext }) {
  const { account: texts } = textsOf(context.language).security;
  return (
    <section class="card">
      <h2>{texts.sessions}</h2>
      <DataTable
        rows={context.session.list()}
        columns={(col) => [
          col.text(texts.browser, ({ agent }) => browserName(agent, texts.on) ?? texts.unknown),
          col.text(texts.address, ({ address }) => address ?? texts.unknown),
          col.text(texts.since, ({ createdAt }) => dateTimeText(createdAt, context)),
          col.text(texts.seen, ({ seenAt }) => dateTimeText(seenAt, context)),
          col.text("", ({ isPresent, id }) =>
            isPresent ? (
              texts.present
            ) : (
              <Form context={context} action={`${PATH}/sessions/end`}>
                <input type="hidden" name="id" value={id} />
                <SubmitButton kind="plain">{texts.signOut}</SubmitButton>
              </Form>
            ),
          ),
        ]}
      />
      <Form context={context} action={`${PATH}/sessions/end`}>
        <SubmitButton kind="plain">{texts.signOutOthers}</SubmitButton>
      </Form>
    </section>
  );
}
