import { quotaAddress } from "../../accounts/quota-address.js";
import type { Page, PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { isRefused, SignInThrottle } from "../throttle.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { accountErrors } from "./field-errors.js";

const HOUR_MS = 60 * 60 * 1000;
/** Maximum registrations per hour from one address, and mails per hour to one mailbox. */
const PER_ADDRESS = 30;
const PER_EMAIL = 5;
/** Maximum length of an e-mail address; limits the memory of the throttle. */
const EMAIL_MAX = 254;

/** Registration. The answer does not reveal whether the address has an account. */
export function registerPages(options: PortalOptions): Page[] {
  const { registration, wallNowMs = Date.now } = options;
  const byAddress = new SignInThrottle({ limit: PER_ADDRESS, windowMs: HOUR_MS, wallNowMs });
  const byEmail = new SignInThrottle({ limit: PER_EMAIL, windowMs: HOUR_MS, wallNowMs });
  const path = "/register";

  const register = async (context: PageContext, form: FormBody) => {
    const email = form.text("email");
    const address = byAddress.begin([quotaAddress(context.address)]);
    if (isRefused(address)) return { refuse: 429 as const, ...address };
    const mailbox = byEmail.begin([email.toLowerCase().slice(0, EMAIL_MAX)]);
    if (isRefused(mailbox)) {
      address.end("free");
      return { refuse: 429 as const, ...mailbox };
    }
    const end = (outcome: "counted" | "free") => {
      address.end(outcome);
      mailbox.end(outcome);
    };
    try {
      await registration.register({ email, password: form.raw("password"), language: context.language });
      end("counted");
    } catch (error) {
      end("free");
      return {
        page: registerPage(context, { email, errors: accountErrors(error, context.texts) }),
        status: 422,
      };
    }
    return { redirect: `${path}?sent=1` };
  };

  return [
    {
      method: "GET",
      path,
      access: "public",
      handle: (context) => ({
        page: context.query.has("sent")
          ? sentPage(context, options)
          : registerPage(context, { email: "", errors: {} }),
      }),
    },
    { method: "POST", path, access: "public", handle: register },
  ];
}

function registerPage(context: PageContext, { email, errors }: { email: string; errors: FieldErrors }) {
  const { register, account } = context.texts;
  return (
    <Layout context={context} title={register.title}>
      <ErrorSummary context={context} errors={errors} />
      <p>{register.intro}</p>
      <Form context={context} action="/register" class="card narrow">
        <TextField
          name="email"
          type="email"
          label={account.email}
          value={email}
          error={errors.email}
          autocomplete="email"
          required
        />
        <TextField
          name="password"
          type="password"
          label={account.password}
          hint={account.passwordHint}
          error={errors.password}
          autocomplete="new-password"
          required
        />
        <SubmitButton>{register.submit}</SubmitButton>
      </Form>
      <p>
        {register.haveAccount} <a href="/login">{context.texts.login.title}</a>
      </p>
    </Layout>
  );
}

function sentPage(context: PageContext, { sendsMail, contact }: PortalOptions) {
  const { register } = context.texts;
  return (
    <Layout context={context} title={sendsMail ? register.sentTitle : register.savedTitle}>
      <p>{sendsMail ? register.sent : register.saved(contact)}</p>
      <p>
        {sendsMail ? register.sentNothing : ""} <a href="/register">{register.title}</a>
      </p>
    </Layout>
  );
}
