import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { administratorPage } from "../page.js";
import { type FieldErrors, Form, SubmitButton, TextField } from "../ui/form.js";
import { Card } from "../ui/parts.js";
import { accountErrors, sendsMail } from "./account-fields.js";

/** Not `email`, which names the account of another form of the page. */
const FIELD = "invited";

export const ADMIN_PATH = "/admin";

/** A form of the page that was refused: what was typed, and why. */
interface RefusedForm {
  form: FormBody;
  errors: FieldErrors;
}

/** Shows the page of the administrator with a refused form. */
export type ShowRefused = (context: SignedInContext, refused: RefusedForm) => PageReply;

/** What a section of that page gets. */
export interface AdminSection {
  context: SignedInContext;
  refused: RefusedForm | undefined;
}

/** The form with which an administrator invites somebody to an account. */
export function invitationForm({ registration, components }: PortalOptions, show: ShowRefused): Page {
  return administratorPage.post(`${ADMIN_PATH}/invitation`, { of: ADMIN_PATH }, async (context, form) => {
    const { texts, language, session } = context;
    const email = form.text(FIELD);
    try {
      await registration.invite({ email, language });
    } catch (error) {
      const { email: message, ...errors } = accountErrors(error, texts);
      const shown = message === undefined ? errors : { ...errors, [FIELD]: message };
      return show(context, { form, errors: shown });
    }
    context.audit({ event: "account.invited" });
    const { sent, stored } = texts.admin.invitation;
    session.flash("notice", (sendsMail(components) ? sent : stored)(email));
    return { redirect: ADMIN_PATH };
  });
}

export function InvitationSection({ context, refused }: AdminSection) {
  const { admin, account } = context.texts;
  return (
    <Card title={admin.invitation.title}>
      <p>{context.isRegistrationOpen ? admin.invitation.open : admin.invitation.closed}</p>
      <Form context={context} action={`${ADMIN_PATH}/invitation`}>
        <TextField
          name={FIELD}
          type="email"
          label={account.email}
          value={refused?.form.text(FIELD)}
          error={refused?.errors[FIELD]}
          autocomplete="off"
          required
        />
        <SubmitButton>{admin.invitation.submit}</SubmitButton>
      </Form>
    </Card>
  );
}
