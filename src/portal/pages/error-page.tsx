import type { PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { messagePage } from "../ui/message-page.js";

/** Reason for an error page: a status, or one of those with a text of its own. */
export type Refusal = 400 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503 | keyof typeof NAMED_STATUS;

/** Statuses for a signed-in account without the permission, and for forms with files. */
export const NAMED_STATUS = { forbidden: 403, upload: 413, uploading: 429, busy: 503, slow: 408 } as const;

/** A page that names the problem and what to do. */
export function errorPage(context: PageContext, refusal: Refusal, retryAfterSeconds = 60) {
  const { title, text } = context.texts.error[refusal];
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
  return messagePage(context, title, [
    typeof text === "string" ? text : text(minutes),
    ["", context.account === undefined ? "/login" : "/dashboard", context.texts.error.home],
  ]);
}

/** Fields that are not written into a page. */
const SECRET = /password|secret|token|code/i;

/** Whether a form that was refused can be sent again from a page: somebody typed something, and nothing secret. */
export function isRepeatable(form: FormBody): boolean {
  const names = form.names().filter((name) => name !== "_csrf" && name !== "site");
  return names.length > 0 && !names.some((name) => SECRET.test(name));
}

/** The page after a form whose session has ended, with which the same form can be sent again. */
export function repeatPage(context: PageContext, path: string, form: FormBody) {
  const { title, text, signedOut, signIn, send } = context.texts.error.repeat;
  const query = context.query.size > 0 ? `?${context.query}` : "";
  return (
    <Layout context={context} title={title}>
      <p>{context.account === undefined ? signedOut : text}</p>
      {context.account === undefined && (
        <p>
          <a href="/login" target="_blank" rel="noopener">
            {signIn}
          </a>
        </p>
      )}
      <Form context={context} action={path + query}>
        {form
          .entries()
          .filter(([name]) => name !== "_csrf")
          .map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
        <SubmitButton>{send}</SubmitButton>
      </Form>
    </Layout>
  );
}
