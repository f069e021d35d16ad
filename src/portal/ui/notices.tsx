import type { ComponentChildren } from "preact";
import { type SavedChange, UNDO_HOURS } from "../../accounts/settings-history.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, Notice, SubmitButton } from "./form.js";
import { linkLine } from "./parts.js";

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

/**
 * What the form before this page did: a line above the bar that leaves by itself after some seconds, but stays while the pointer
 * or the focus is in it. It has room for a sentence of about 90 characters with an action, about 120 without.
 */
export function Toast({
  id,
  children,
  action,
}: {
  id?: string;
  children: ComponentChildren;
  /** A form with a button, such as that of an undo. */
  action?: ComponentChildren;
}) {
  return (
    <div id={id} class="toast" role="status">
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Keeps for the next page that a change can be undone there; `back`: the page that an undo leads back to. */
export function flashUndo(
  { session, path }: PageContext,
  siteId: string,
  change: SavedChange | undefined,
  back = path,
): void {
  if (change !== undefined) session.flash("undo", `${siteId} ${change.id} ${back}`);
}

/** The page that an undo leads back to; undefined: that of the settings. */
export function backOf(form: FormBody): string | undefined {
  return /^\/(bill|car|devices|connect\/[a-z-]+|settings\/sites|start\?step=[a-z]+)$/.exec(
    form.text("back"),
  )?.[0];
}

/** Restores what a change replaced. */
export function UndoForm({
  context,
  id,
  site,
  back,
  isShort = false,
}: {
  context: PageContext;
  id: string;
  /** Left out: the selected one. */
  site?: string | undefined;
  /** The page that it leads back to; left out: that of the settings. */
  back?: string | undefined;
  /** Only the button. */
  isShort?: boolean;
}) {
  const { saved } = textsOf(context.language).home;
  return (
    <Form
      context={context}
      action="/settings/ems/undo"
      class="undo"
      hidden={{ id, subject: context.path.split("/").at(-1), back, site: site ?? context.site?.id }}
    >
      <SubmitButton kind="plain">{isShort ? saved.undoShort : saved.undo}</SubmitButton>
      {!isShort && <span class="hint">{saved.undoHint(UNDO_HOURS)}</span>}
    </Form>
  );
}
