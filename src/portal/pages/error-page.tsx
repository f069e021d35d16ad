import type { PageContext } from "../context.js";
import { Layout } from "../ui/layout.js";

/**
 * Reason for an error page; `forbidden` is 403 for a signed-in account without the permission, `upload` is 413 for a form with
 * files.
 */
export type Refusal = 400 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503 | "forbidden" | "upload";

/** A page that names the problem and what to do. */
export function errorPage(context: PageContext, refusal: Refusal, retryAfterSeconds = 60) {
  const { title, text } = context.texts.error[refusal];
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
  return (
    <Layout context={context} title={title}>
      <p>{typeof text === "string" ? text : text(minutes)}</p>
      <p>
        <a href={context.account === undefined ? "/login" : "/dashboard"}>{context.texts.error.home}</a>
      </p>
    </Layout>
  );
}
