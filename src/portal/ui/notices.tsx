import type { PageContext, SignedInContext } from "../context.js";
import { Notice } from "./form.js";
import { linkLine } from "./parts.js";
import { Toast } from "./toast.js";
import { UndoForm } from "./undo.js";

/** What the form that led to a page did, with what undoes it, why it had no effect, and the key that it made, shown once. */
export function formResult(context: PageContext) {
  const { session, texts } = context;
  const [notice, refused, key, undo] = (["notice", "refused", "key", "undo"] as const).map((name) =>
    session.takeFlash(name),
  );
  const [site, id, back] = undo?.split(" ") ?? [];
  return (
    <>
      {key !== undefined && (
        <Notice kind="success">
          <p>
            <strong>{texts.keys.shown}</strong>
          </p>
          <code class="secret">{key}</code>
        </Notice>
      )}
      {notice !== undefined && (
        <Toast action={id && <UndoForm {...{ context, id, site, back }} isShort />}>{notice}</Toast>
      )}
      <Failed text={refused} />
    </>
  );
}

/** Why the form that led to this page had no effect. */
export function Failed({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Notice kind="error">{text}</Notice>;
}

/** Shown instead of the page of a site to an account without sites. */
export function noSite(context: SignedInContext) {
  return (
    <Notice kind="info">
      <p>{context.texts.site.none}</p>
      {linkLine("/settings/sites", context.texts.site.add)}
    </Notice>
  );
}
