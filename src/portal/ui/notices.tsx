import type { SignedInContext } from "../context.js";
import { Notice } from "./form.js";
import { Toast } from "./toast.js";

/** A new API key, shown once. */
export function NewKey({ context, apiKey }: { context: SignedInContext; apiKey: string | undefined }) {
  if (apiKey === undefined) return null;
  const { keys } = context.texts;
  return (
    <Notice kind="success">
      <p>
        <strong>{keys.shown}</strong>
      </p>
      <code class="secret">{apiKey}</code>
    </Notice>
  );
}

/** Result of the form that led to this page. */
export function Done({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Toast>{text}</Toast>;
}

/** Why the form that led to this page had no effect. */
export function Failed({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Notice kind="error">{text}</Notice>;
}

/** Shown instead of the page of a site to an account without sites. */
export function NoSite({ context }: { context: SignedInContext }) {
  return (
    <Notice kind="info">
      <p>{context.texts.site.none}</p>
      <p>
        <a href="/settings/sites">{context.texts.site.add}</a>
      </p>
    </Notice>
  );
}
