import { AccountInputError } from "../../accounts/input-error.js";
import { quotaAddress } from "../../accounts/quota-address.js";
import { SiteSettingsError } from "../../accounts/site-registry.js";
import { type PortalTexts, textsOf } from "../../texts/index.js";
import type { PageContext, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { AttemptThrottle, isRefused, type Refused, type ThrottledAttempt } from "../throttle.js";
import { type FieldErrors, TextField } from "../ui/form.js";

const HOUR_MS = 60 * 60 * 1000;
/** Wrong passwords and codes of an account, for someone at another person's open browser. */
const PASSWORD_FAILURES = { limit: 10, windowMs: HOUR_MS / 4 };

/** Makes of a change that needs the account's password the handler of its form; `refused` shows the form again. */
export function passwordForms(
  { wallNowMs = Date.now }: Pick<PortalOptions, "wallNowMs">,
  refused: (context: SignedInContext, errors: FieldErrors, form: FormBody) => PageReply,
) {
  const throttle = new AttemptThrottle({ ...PASSWORD_FAILURES, wallNowMs });
  return (change: (context: SignedInContext, form: FormBody) => Promise<PageReply>) =>
    async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
      const attempt = throttle.begin([context.account.id]);
      if (isRefused(attempt)) return { refuse: 429, ...attempt };
      try {
        const reply = await change(context, form);
        attempt.end("free");
        return reply;
      } catch (error) {
        attempt.end("counted");
        return refused(context, accountErrors(error, context.texts), form);
      }
    };
}

/** Longest valid e-mail address; longer input must not fill the memory. */
export const EMAIL_MAX = 254;

/** Limits the mails per hour that one address requests and that one mailbox receives. */
export class MailThrottle {
  readonly #byAddress: AttemptThrottle;
  readonly #byEmail: AttemptThrottle;

  constructor(options: { perAddress: number; perEmail: number; wallNowMs?: (() => number) | undefined }) {
    const windows = { windowMs: HOUR_MS, wallNowMs: options.wallNowMs ?? Date.now };
    this.#byAddress = new AttemptThrottle({ limit: options.perAddress, ...windows });
    this.#byEmail = new AttemptThrottle({ limit: options.perEmail, ...windows });
  }

  begin(context: PageContext, email: string): ThrottledAttempt | Refused {
    const address = this.#byAddress.begin([quotaAddress(context.address)]);
    if (isRefused(address)) return address;
    const mailbox = this.#byEmail.begin([email.toLowerCase().slice(0, EMAIL_MAX)]);
    if (isRefused(mailbox)) {
      address.end("free");
      return mailbox;
    }
    return {
      end: (outcome) => {
        address.end(outcome);
        mailbox.end(outcome);
      },
    };
  }
}

export function EmailField(props: {
  context: PageContext;
  value?: string;
  error?: string | undefined;
  autocomplete: "email" | "username";
}) {
  const { context, ...field } = props;
  return <TextField name="email" type="email" label={context.texts.account.email} {...field} required />;
}

export function NewPasswordField(props: { context: PageContext; label: string; error?: string | undefined }) {
  const { context, ...field } = props;
  return (
    <TextField
      name="password"
      type="password"
      hint={context.texts.account.passwordHint}
      autocomplete="new-password"
      {...field}
      required
    />
  );
}

/** The present password, which confirms a change or signs in. */
export function PasswordField(props: {
  name: string;
  label: string;
  error?: string | undefined;
  scope?: string;
}) {
  return <TextField {...props} type="password" autocomplete="current-password" required />;
}

/** The code of the second factor. */
export function CodeField({
  context,
  ...field
}: {
  context: PageContext;
  error: string | undefined;
  scope?: string;
}) {
  const { label } = textsOf(context.language).security.code;
  return (
    <TextField
      name="code"
      label={label}
      {...field}
      inputMode="numeric"
      autocomplete="one-time-code"
      required
    />
  );
}

/** Whether mails leave the gateway; without a mail server, or while it rejects mails, they are stored in the outbox. */
export function sendsMail(components: PortalOptions["components"]): boolean {
  return components.list().some(({ name, state }) => name === "mail" && state === "ok");
}

/** Error texts by form field in the language of the page. Rethrows any other error. */
export function accountErrors(error: unknown, texts: PortalTexts): FieldErrors {
  if (!(error instanceof AccountInputError)) throw error;
  return { [error.field]: texts.inputError[error.code] };
}

/** The same for the name and the reference of a site. */
export function siteErrors(error: unknown, texts: PortalTexts): FieldErrors {
  if (!(error instanceof SiteSettingsError)) throw error;
  return { label: texts.sites.refused };
}
