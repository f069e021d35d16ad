import type { PasswordSignInResult } from "../../accounts/sign-in.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageContext, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { localPath } from "../origin.js";
import { publicPage } from "../page.js";
import { type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Toast } from "../ui/notices.js";
import { formButton, linkLine } from "../ui/parts.js";
import { CodeField, EmailField, PasswordField } from "./account-fields.js";

const OVERVIEW = "/dashboard";

export interface LoginOptions extends Pick<PortalOptions, "signIn" | "landing" | "contact" | "shardUrl"> {
  /** Whether the gateway has one account, with which nobody has ever signed in: its page says where the first password is. */
  isUnused: () => boolean;
}

/** The sign-in. Neither its answer nor its duration reveals whether an e-mail has an account. */
export function loginPages({ signIn, landing, contact, isUnused, shardUrl }: LoginOptions): Page[] {
  const loginPage = (context: PageContext, props: Omit<LoginProps, "firstEmail">) =>
    signInPage(context, { ...props, firstEmail: isUnused() ? contact : undefined });
  const finish = async (
    context: PageContext,
    result: Extract<PasswordSignInResult, { outcome: "signed_in" }>,
    next: string | undefined,
  ): Promise<PageReply> => {
    await context.session.signIn(result.accountId);
    context.session.rememberDevice(result.device);
    if (next !== undefined && next !== OVERVIEW) return { redirect: next };
    return { redirect: (await landing?.(result.accountId)) ?? OVERVIEW };
  };

  const password = async (context: PageContext, form: FormBody): Promise<PageReply> => {
    const email = form.text("email");
    const next = localPath(form.text("next"));
    const { address } = context;
    const device = context.session.device;
    const result = await signIn.attempt({ email, password: form.raw("password"), address, device });
    switch (result.outcome) {
      case "wait":
        return { refuse: 429, retryAfterSeconds: result.retryAfterSeconds };
      case "code_needed":
        return { page: codePage(context, { ticket: result.ticket, next, errors: {} }) };
      case "moved":
        return { redirect: `${shardUrl?.(result.shard) ?? ""}/login` };
      case "wrong": {
        const errors = { email: context.texts.login.wrong };
        return { page: loginPage(context, { email, next, errors }), status: 422 };
      }
      default:
        return finish(context, result, next);
    }
  };

  const code = async (context: PageContext, form: FormBody): Promise<PageReply> => {
    const ticket = form.text("ticket");
    const next = localPath(form.text("next"));
    const result = await signIn.complete({ ticket, code: form.text("code"), address: context.address });
    if (result === undefined) return { redirect: "/login" };
    if (result.outcome === "signed_in") return finish(context, result, next);
    if (result.outcome === "wait") return { refuse: 429, retryAfterSeconds: result.retryAfterSeconds };
    const errors = { code: textsOf(context.language).security.code.wrong };
    return { page: codePage(context, { ticket, next, errors }), status: 422 };
  };

  return [
    publicPage.get("/login", (context) => {
      const next = localPath(context.query.get("next"));
      if (context.account !== undefined) return { redirect: next ?? OVERVIEW };
      return { page: loginPage(context, { email: "", next, errors: {} }) };
    }),
    publicPage.post("/login", {}, password),
    publicPage.post("/login/code", { of: "/login" }, code),
  ];
}

interface LoginProps {
  email: string;
  next: string | undefined;
  errors: FieldErrors;
  /** The e-mail of the first account while the gateway is new. */
  firstEmail: string | undefined;
}

function signInPage(context: PageContext, { email, next, errors, firstEmail }: LoginProps) {
  const { login, account, register } = context.texts;
  const { recover } = textsOf(context.language).security;
  return (
    <Layout {...{ context, errors }} title={login.title}>
      {context.query.has("reset") && <Toast>{recover.done}</Toast>}
      <Form context={context} action="/login" class="card narrow" hidden={{ next }}>
        <EmailField context={context} value={email} error={errors.email} autocomplete="username" />
        <PasswordField name="password" label={account.password} />
        <SubmitButton>{login.submit}</SubmitButton>
      </Form>
      {firstEmail !== undefined && (
        <details class="card narrow" open={next === undefined}>
          <summary>{login.first.title}</summary>
          <p>{login.first.email(firstEmail)}</p>
          <p>{login.first.password}</p>
          <p>
            {`${login.first.lost} `}
            <code>{`hourgate account reset-password ${firstEmail}`}</code>
          </p>
        </details>
      )}
      {linkLine("/recover", recover.link)}
      {context.isRegistrationOpen && (
        <p>
          {login.noAccount} <a href="/register">{register.title}</a>
        </p>
      )}
    </Layout>
  );
}

interface CodeProps {
  ticket: string;
  next: string | undefined;
  errors: FieldErrors;
}

function codePage(context: PageContext, { ticket, next, errors }: CodeProps) {
  const { code } = textsOf(context.language).security;
  return (
    <Layout {...{ context, errors }} title={code.title}>
      <p>{code.intro}</p>
      <Form context={context} action="/login/code" class="card narrow" hidden={{ ticket, next }}>
        <CodeField context={context} error={errors.code} />
        <SubmitButton>{code.submit}</SubmitButton>
      </Form>
    </Layout>
  );
}

/** Sign-out. GET only shows a form: any foreign page can make a browser fetch a URL. */
export function logoutPages(): Page[] {
  const path = "/logout";
  return [
    publicPage.get(path, (context) =>
      context.account === undefined ? { redirect: "/login" } : { page: logoutPage(context) },
    ),
    publicPage.post(path, {}, async (context) => {
      await context.session.signOut();
      return { redirect: "/login" };
    }),
  ];
}

function logoutPage(context: PageContext) {
  const { logout } = context.texts;
  return (
    <Layout context={context} title={logout.title}>
      <p>{logout.question}</p>
      {formButton(context, "/logout", logout.submit)}
    </Layout>
  );
}
