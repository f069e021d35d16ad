import { type SavedChange, UNDO_HOURS } from "../../accounts/settings-history.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { changesBetween } from "./changes.js";
import type { HeldSettings } from "./held-texts.js";
import { EMS_PATH } from "./section-form.js";

/** What the form that led to this page did. */
export type SaveOutcome = "saved" | "undone" | "unchanged";

/** The last change of the settings of a page. */
export interface LastChange {
  change: SavedChange;
  /** Its effect on the plan is not known yet. */
  isComputing: boolean;
}

interface SavedNoticeProps {
  context: PageContext;
  held: HeldSettings;
  last: LastChange | undefined;
  outcome: SaveOutcome | undefined;
}

/** After a save: what has changed, what it does to the plan, and a button that restores the former values. */
export function SavedNotice({ context, held, last, outcome }: SavedNoticeProps) {
  const { saved } = textsOf(context.language).home;
  if (outcome === "unchanged") return <Notice kind="info">{saved.unchanged}</Notice>;
  if (last === undefined || outcome === undefined) return null;
  return (
    <div id="saved" data-computing={last.isComputing ? "true" : undefined}>
      <Notice kind="success">
        <p>
          <strong>{outcome === "undone" ? saved.undone : saved.title}</strong>
        </p>
        <Change context={context} held={held} last={last} />
        <UndoForm context={context} id={last.change.id} />
      </Notice>
    </div>
  );
}

/** On later visits: the last change, folded. */
export function LastChangeCard({ context, held, last }: Omit<SavedNoticeProps, "outcome">) {
  if (last === undefined) return null;
  return (
    <details class="card">
      <summary>{textsOf(context.language).home.saved.last}</summary>
      <Change context={context} held={held} last={last} />
      <UndoForm context={context} id={last.change.id} />
    </details>
  );
}

function Change({
  context,
  held,
  last: { change, isComputing },
}: {
  context: PageContext;
  held: HeldSettings;
  last: LastChange;
}) {
  const { saved } = textsOf(context.language).home;
  const at = (side: "before" | "after"): HeldSettings => ({
    plant: { ...held.plant, ...change[side].inForce.plant },
    telemetry: change[side].inForce.telemetry ?? held.telemetry,
  });
  return (
    <div data-change={isComputing ? "computing" : "known"}>
      <ul>
        {changesBetween(at("before"), at("after"), context.language).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {isComputing ? (
        <p>
          {`${saved.computing} `}
          <a href={context.path}>{saved.reload}</a>
        </p>
      ) : (
        change.effect !== undefined && <p>{effectText(change.effect, context, held.plant.timezone)}</p>
      )}
    </div>
  );
}

function effectText(
  { beforeEur, afterEur }: NonNullable<SavedChange["effect"]>,
  { language }: PageContext,
  zone: string,
): string {
  const { saved } = textsOf(language).home;
  if (afterEur === null) return saved.noPlan;
  const { number } = formatOf(language, zone);
  const after = number(afterEur);
  if (beforeEur === null) return `${saved.recalculated} ${saved.costAfter(after)}`;
  const before = number(beforeEur);
  return `${saved.recalculated} ${before === after ? saved.costSame(after) : saved.cost(before, after)}`;
}

/** Keeps for the next page that a change can be undone there; see `UndoableNotice`. */
export function flashUndo({ session }: PageContext, siteId: string, change: SavedChange | undefined): void {
  if (change !== undefined) session.flash("undo", `${siteId} ${change.id}`);
}

/** What the form that led to a page beside the settings did, with a button that restores what it replaced. */
export function UndoableNotice({ context, back }: { context: PageContext; back: string }) {
  const text = context.session.takeFlash("notice");
  const [site, id] = context.session.takeFlash("undo")?.split(" ") ?? [];
  if (text === undefined) return null;
  return (
    <Notice kind="success">
      <p>{text}</p>
      {id !== undefined && <UndoForm context={context} id={id} site={site} back={back} />}
    </Notice>
  );
}

/** The page that an undo leads back to; undefined: that of the settings. */
export function backOf(form: FormBody): string | undefined {
  return /^\/(bill|devices|connect\/[a-z-]+|settings\/sites|start\?step=[a-z]+)$/.exec(
    form.text("back"),
  )?.[0];
}

/** Restores what a change replaced. */
export function UndoForm({
  context,
  id,
  site,
  back,
}: {
  context: PageContext;
  id: string;
  /** Left out: the selected one. */
  site?: string | undefined;
  /** The page that it leads back to; left out: that of the settings. */
  back?: string;
}) {
  const { saved } = textsOf(context.language).home;
  return (
    <Form context={context} action={`${EMS_PATH}/undo`} class="undo">
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="subject" value={context.path.slice(EMS_PATH.length + 1)} />
      {site !== undefined && <input type="hidden" name="site" value={site} />}
      {back !== undefined && <input type="hidden" name="back" value={back} />}
      <SubmitButton kind="plain">{saved.undo}</SubmitButton>
      <span class="hint">{saved.undoHint(UNDO_HOURS)}</span>
    </Form>
  );
}
