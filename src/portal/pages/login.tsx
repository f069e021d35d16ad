import { quotaAddress } from "../../accounts/quota-address.js";
import type { Page, PageContext, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { localPath } from "../origin.js";
import { isRefused, SignInThrottle } from "../throttle.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";

/** Failed attempts of an account or an address, after which it has to wait. */
const FAILURES = 10;
const WINDOW_MS = 15 * 60 * 1000;
/** Maximum length of an e-mail address; limits the memory of the throttle. */
const EMAIL_MAX = 254;

/** The sign-in; neither its answer nor its duration reveals whether an e-mail has an account. */
export function loginPages({ accounts, wallNowMs = Date.now }: PortalOptions): Page[] {
  const throttle = new SignInThrottle({ limit: FAILURES, windowMs: WINDOW_MS, wallNowMs });

  const signIn = async (context: PageContext, form: FormBody): Promise<PageReply> => {
    const email = form.text("email");
    const next = localPath(form.text("next"));
    const names = [
      `account ${email.toLowerCase().slice(0, EMAIL_MAX)}`,
      `address ${quotaAddress(context.address)}`,
    ];
    const attempt = throttle.begin(names);
    if (isRefused(attempt)) return { refuse: 429, ...attempt };
    let found: { accountId: string } | undefined;
    try {
      found = await accounts.signIn(email, form.raw("password"));
    } catch (error) {
      attempt.end("free");
      throw error;
    }
    attempt.end(found === undefined ? "counted" : "free");
    if (found === undefined) {
      const errors = { email: context.texts.login.wrong };
      return { page: loginPage(context, { email, next, errors }), status: 422 };
    }
    await context.session.signIn(found.accountId);
    return { redirect: next ?? "/dashboard" };
  };

  return [
    {
      method: "GET",
      path: "/login",
      access: "public",
      handle: (context) => {
        const next = localPath(context.query.get("next"));
        if (context.account !== undefined) return { redirect: next ?? "/dashboard" };
        return { page: loginPage(context, { email: "", next, errors: {} }) };
      },
    },
    { method: "POST", path: "/login", access: "public", handle: signIn },
  ];
}

interface LoginProps {
  email: string;
  next: string | undefined;
  errors: FieldErrors;
}

function loginPage(context: PageContext, { email, next, errors }: LoginProps) {
  const { login, account, register } = context.texts;
  return (
    <Layout context={context} title={login.title}>
      <ErrorSummary context={context} errors={errors} />
      <Form context={context} action="/login" class="card narrow">
        {next !== undefined && <input type="hidden" name="next" value={next} />}
        <TextField
          name="email"
          type="email"
          label={account.email}
          value={email}
          error={errors.email}
          autocomplete="username"
          required
        />
        <TextField
          name="password"
          type="password"
          label={account.password}
          autocomplete="current-password"
          required
        />
        <SubmitButton>{login.submit}</SubmitButton>
      </Form>
      <p>
        {login.noAccount} <a href="/register">{register.title}</a>
      </p>
    </Layout>
  );
}
