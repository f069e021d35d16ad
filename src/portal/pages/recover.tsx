import { textsOf } from "../../texts/index.js";
import type { Page, PageContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { publicPage } from "../page.js";
import { isRefused } from "../throttle.js";
import { type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { messagePage } from "../ui/message-page.js";
import {
  accountErrors,
  EMAIL_MAX,
  EmailField,
  MailThrottle,
  NewPasswordField,
  sendsMail,
} from "./account-fields.js";

/** Mails per hour requested from one address, and to one mailbox. */
const LIMITS = { perAddress: 10, perEmail: 3 };

/** Recovery of a lost password: a mail with a link, which opens a form for a new password. */
export function recoverPages({ security, components, wallNowMs }: PortalOptions): Page[] {
  const throttle = new MailThrottle({ ...LIMITS, wallNowMs });
  return [
    publicPage.get("/recover", (context) => ({
      page: context.query.has("sent") ? sentPage(context, sendsMail(components)) : recoverPage(context, {}),
    })),
    publicPage.post("/recover", {}, async (context, form) => {
      const email = form.text("email");
      const attempt = throttle.begin(context, email);
      if (isRefused(attempt)) return { refuse: 429, ...attempt };
      attempt.end("counted");
      try {
        await security.requestRecovery(email);
      } catch (error) {
        return { page: recoverPage(context, accountErrors(error, context.texts)), status: 422 };
      }
      context.audit({ event: "account.recovery_requested", account: email.slice(0, EMAIL_MAX) });
      return { redirect: "/recover?sent=1" };
    }),
    publicPage.get("/reset", (context) => {
      const token = context.query.get("token") ?? "";
      return security.isRecovery(token)
        ? { page: resetPage(context, token, {}) }
        : { page: failedPage(context), status: 404 };
    }),
    publicPage.post("/reset", {}, async (context, form) => {
      const token = form.text("token");
      try {
        const accountId = await security.recover(token, form.raw("password"));
        if (accountId === undefined) return { page: failedPage(context), status: 404 };
        context.audit({ event: "account.recovered", accountId });
        return { redirect: "/login?reset=1" };
      } catch (error) {
        return { page: resetPage(context, token, accountErrors(error, context.texts)), status: 422 };
      }
    }),
  ];
}

function recoverPage(context: PageContext, errors: FieldErrors) {
  const { recover } = textsOf(context.language).security;
  return (
    <Layout {...{ context, errors }} title={recover.title}>
      <p>{recover.intro}</p>
      <Form context={context} action="/recover" class="card narrow">
        <EmailField context={context} error={errors.email} autocomplete="username" />
        <SubmitButton>{recover.submit}</SubmitButton>
      </Form>
    </Layout>
  );
}

function sentPage(context: PageContext, isSent: boolean) {
  const { recover } = textsOf(context.language).security;
  const title = isSent ? recover.sentTitle : context.texts.register.storedTitle;
  return messagePage(context, title, [isSent ? recover.sent : recover.stored]);
}

function resetPage(context: PageContext, token: string, errors: FieldErrors) {
  const { plan } = context.texts;
  const { recover } = textsOf(context.language).security;
  return (
    <Layout {...{ context, errors }} title={recover.resetTitle}>
      <Form context={context} action="/reset" class="card narrow" hidden={{ token }}>
        <NewPasswordField context={context} label={plan.newPassword} error={errors.password} />
        <SubmitButton>{recover.resetSubmit}</SubmitButton>
      </Form>
    </Layout>
  );
}

function failedPage(context: PageContext) {
  const { recover } = textsOf(context.language).security;
  const paragraphs = [recover.failed, ["", "/recover", recover.title]] as const;
  return messagePage(context, recover.failedTitle, paragraphs);
}
