import { quotaAddress } from "../../accounts/quota-address.js";
import type { PageContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { AttemptThrottle, isRefused, type Refused, type ThrottledAttempt } from "../throttle.js";
import { TextField } from "../ui/form.js";

const HOUR_MS = 60 * 60 * 1000;
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

/** Whether mails leave the gateway; without a mail server, or while it rejects mails, they are stored in the outbox. */
export function sendsMail(components: PortalOptions["components"]): boolean {
  return components.list().some(({ name, state }) => name === "mail" && state === "ok");
}
