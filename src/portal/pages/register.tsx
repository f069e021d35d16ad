import { quotaAddress } from "../../accounts/quota-address.js";
import type { Page, PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { AttemptThrottle, isRefused } from "../throttle.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { accountErrors } from "./field-errors.js";

const HOUR_MS = 60 * 60 * 1000;
/** Registrations an hour from one address, and mails an hour to one mailbox. */
const PER_ADDRESS = 30;
const PER_EMAIL = 5;
/** No longer e-mail is taken; what is typed must not fill the memory. */
const EMAIL_MAX = 254;

/** Registration; the password is set with the mailed link. What it answers is the same whether the address has an account or not. */
export function registerPages({ registration, wallNowMs = Date.now }: PortalOptions): Page[] {
  const byAddress = new AttemptThrottle({ limit: PER_ADDRESS, windowMs: HOUR_MS, wallNowMs });
  const byEmail = new AttemptThrottle({ limit: PER_EMAIL, windowMs: HOUR_MS, wallNowMs });
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
      await registration.register({ email, language: context.language });
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
          ? sentPage(context)
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
        <SubmitButton>{register.submit}</SubmitButton>
      </Form>
      <p>
        {register.haveAccount} <a href="/login">{context.texts.login.title}</a>
      </p>
    </Layout>
  );
}

function sentPage(context: PageContext) {
  const { register } = context.texts;
  return (
    <Layout context={context} title={register.sentTitle}>
      <p>{register.sent}</p>
      <p>
        {register.sentNothing} <a href="/register">{register.title}</a>
      </p>
    </Layout>
  );
}
