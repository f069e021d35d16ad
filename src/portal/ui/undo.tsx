import { type SavedChange, UNDO_HOURS } from "../../accounts/settings-history.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, SubmitButton } from "./form.js";

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
