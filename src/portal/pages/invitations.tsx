import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { administratorPage } from "../page.js";
import { type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { sendsMail } from "./account-fields.js";
import { accountErrors } from "./field-errors.js";

/** Not `email`, which names the account of another form of the page. */
const FIELD = "invited";

interface FormOf {
  /** Path of the page that shows the section. */
  of: string;
  /** Shows that page with what was typed and why it is refused. */
  refuse(context: SignedInContext, form: FormBody, errors: FieldErrors): PageReply;
}

/** The form with which an administrator invites somebody to an account. */
export function invitationForm({ registration, components }: PortalOptions, { of, refuse }: FormOf): Page {
  return administratorPage.post(`${of}/invitation`, { of: of }, async (context, form) => {
    const { texts, language, session } = context;
    const email = form.text(FIELD);
    try {
      await registration.invite({ email, language });
    } catch (error) {
      const { email: message, ...errors } = accountErrors(error, texts);
      return refuse(context, form, { ...errors, ...(message !== undefined && { [FIELD]: message }) });
    }
    context.audit({ event: "account.invited" });
    const { sent, stored } = texts.admin.invitation;
    session.flash("notice", (sendsMail(components) ? sent : stored)(email));
    return { redirect: of };
  });
}

export function InvitationSection(props: {
  context: SignedInContext;
  action: string;
  form: FormBody | undefined;
  errors: FieldErrors;
}) {
  const { context, action, form, errors } = props;
  const { admin, account } = context.texts;
  return (
    <section class="card">
      <h2>{admin.invitation.title}</h2>
      <p>{context.isRegistrationOpen ? admin.invitation.open : admin.invitation.closed}</p>
      <Form context={context} action={`${action}/invitation`}>
        <TextField
          name={FIELD}
          type="email"
          label={account.email}
          value={form?.text(FIELD)}
          error={errors[FIELD]}
          autocomplete="off"
          required
        />
        <SubmitButton>{admin.invitation.submit}</SubmitButton>
      </Form>
    </section>
  );
}
