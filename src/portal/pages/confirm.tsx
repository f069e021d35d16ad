import { textsOf } from "../../texts/index.js";
import type { Page, PageContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { publicPage } from "../page.js";
import { type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { messagePage } from "../ui/message-page.js";
import { accountErrors, NewPasswordField } from "./account-fields.js";

/**
 * The link of the confirmation mail opens a form for the password, which creates the account. Opening the link changes
 * nothing, since programs that check the links of mails open it too.
 */
export function confirmPages({ registration, landing }: PortalOptions): Page[] {
  const path = "/confirm";
  return [
    publicPage.get(path, (context) => {
      const token = context.query.get("token") ?? "";
      const pending = registration.pending(token);
      if (pending === undefined) return { page: failedPage(context), status: 404 };
      return { page: confirmPage(context, { token, email: pending.email, errors: {} }) };
    }),
    publicPage.post(path, {}, async (context, form) => {
      const token = form.text("token");
      const pending = registration.pending(token);
      if (pending === undefined) return { page: failedPage(context), status: 404 };
      const { email } = pending;
      try {
        const created = await registration.confirm(token, form.raw("password"));
        if (created === undefined) return { page: failedPage(context), status: 404 };
        await context.session.signIn(created.accountId);
        context.session.flash("key", created.key);
        context.audit({ event: "account.created", account: email });
        return { redirect: (await landing?.(created.accountId)) ?? "/dashboard" };
      } catch (error) {
        const errors = accountErrors(error, context.texts);
        return { page: confirmPage(context, { token, email, errors }), status: 422 };
      }
    }),
  ];
}

interface ConfirmProps {
  token: string;
  email: string;
  errors: FieldErrors;
}

function confirmPage(context: PageContext, { token, email, errors }: ConfirmProps) {
  const { account } = context.texts;
  const { confirm } = textsOf(context.language).security;
  return (
    <Layout {...{ context, errors }} title={confirm.title}>
      <p>{confirm.intro(email)}</p>
      <Form context={context} action="/confirm" class="card narrow" hidden={{ token }}>
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <NewPasswordField context={context} label={account.password} error={errors.password} />
        <SubmitButton>{confirm.submit}</SubmitButton>
      </Form>
    </Layout>
  );
}

function failedPage(context: PageContext) {
  const { confirm, login, register } = context.texts;
  const paragraphs = [
    confirm.failed,
    [confirm.signIn, "/login", login.title],
    context.isRegistrationOpen ? ([confirm.again, "/register", register.title] as const) : confirm.askAgain,
  ] as const;
  return messagePage(context, confirm.failedTitle, paragraphs);
}
