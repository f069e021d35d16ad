import type { Page, PageContext, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { publicPage } from "../page.js";
import { isRefused } from "../throttle.js";
import { type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { messagePage } from "../ui/message-page.js";
import { accountErrors, EmailField, MailThrottle, sendsMail } from "./account-fields.js";

/** Registrations per hour from one address, and mails per hour to one mailbox. */
const LIMITS = { perAddress: 30, perEmail: 5 };

/**
 * Registration; the password is set with the mailed link. The response does not reveal whether the address has an account.
 */
export function registerPages({ registration, components, wallNowMs }: PortalOptions): Page[] {
  const throttle = new MailThrottle({ ...LIMITS, wallNowMs });
  const path = "/register";

  const register = async (context: PageContext, form: FormBody): Promise<PageReply> => {
    if (!context.isRegistrationOpen) return closed(context);
    const email = form.text("email");
    const attempt = throttle.begin(context, email);
    if (isRefused(attempt)) return { refuse: 429, ...attempt };
    try {
      await registration.register({ email, language: context.language });
      attempt.end("counted");
    } catch (error) {
      attempt.end("free");
      return {
        page: registerPage(context, { email, errors: accountErrors(error, context.texts) }),
        status: 422,
      };
    }
    return { redirect: `${path}?sent=1` };
  };

  return [
    publicPage.get(path, (context) => {
      if (!context.isRegistrationOpen) return closed(context);
      return {
        page: context.query.has("sent")
          ? sentPage(context, sendsMail(components))
          : registerPage(context, { email: "", errors: {} }),
      };
    }),
    publicPage.post(path, {}, register),
  ];
}

function registerPage(context: PageContext, { email, errors }: { email: string; errors: FieldErrors }) {
  const { register } = context.texts;
  return (
    <Layout {...{ context, errors }} title={register.title}>
      <p>{register.intro}</p>
      <Form context={context} action="/register" class="card narrow">
        <EmailField context={context} value={email} error={errors.email} autocomplete="email" />
        <SubmitButton>{register.submit}</SubmitButton>
      </Form>
      <p>
        {register.haveAccount} <a href="/login">{context.texts.login.title}</a>
      </p>
    </Layout>
  );
}

function closed(context: PageContext): PageReply {
  const { register, login } = context.texts;
  const paragraphs = [register.closed, ["", "/login", login.title]] as const;
  return {
    page: messagePage(context, register.closedTitle, paragraphs),
    status: 403,
  };
}

function sentPage(context: PageContext, isSent: boolean) {
  const { register } = context.texts;
  const [title, ...paragraphs] = isSent
    ? ([register.sentTitle, register.sent, [register.sentNothing, "/register", register.title]] as const)
    : ([register.storedTitle, register.stored] as const);
  return messagePage(context, title, paragraphs);
}
