import type { SavedChange } from "../../accounts/settings-history.js";
import { VIENNA } from "../../core/time/zone.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Toast, UndoForm } from "../ui/notices.js";
import { bullets } from "../ui/parts.js";
import { changesBetween } from "./changes.js";
import type { HeldSettings } from "./held-texts.js";

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

/** Longest change that the line after a save names. */
const LONGEST_CHANGE = 40;

/** After a save: a line with what has changed and what it costs, and a button that restores the former values. */
export function SavedNotice({ context, held, last, outcome }: SavedNoticeProps) {
  const { saved } = textsOf(context.language).home;
  if (outcome === "unchanged") return <Toast>{saved.unchanged}</Toast>;
  if (last === undefined || outcome === undefined) return null;
  const [first = "", ...others] = changesOf(held, last.change, context);
  const isShort = others.length === 0 && first.length <= LONGEST_CHANGE;
  const title = outcome === "undone" ? saved.undone : saved.title;
  return (
    <Toast id="saved" action={<UndoForm context={context} id={last.change.id} isShort />}>
      {isShort ? `${title}: ${first}` : title}
      <span data-change={last.isComputing ? "computing" : "known"}>{shortEffect(last, context)}</span>
    </Toast>
  );
}

/** The last change with its effect, for as long as it can be undone; open on the page that follows the save. */
export function LastChangeCard({ context, held, last, outcome }: SavedNoticeProps) {
  if (last === undefined) return null;
  const { saved } = textsOf(context.language).home;
  const { change, isComputing } = last;
  return (
    <details id="last-change" class="card" open={outcome === "saved" || outcome === "undone"}>
      <summary>{saved.last}</summary>
      {bullets(changesOf(held, change, context))}
      <div data-change={isComputing ? "computing" : "known"}>
        {isComputing ? (
          <p>
            {`${saved.computing} `}
            <a href={context.path}>{saved.reload}</a>
          </p>
        ) : (
          change.effect !== undefined && <p>{effectText(change.effect, context, held.plant.timezone)}</p>
        )}
      </div>
      <UndoForm context={context} id={change.id} />
    </details>
  );
}

/** What a change of settings did, a line each. */
function changesOf(held: HeldSettings, change: SavedChange, { language }: PageContext): string[] {
  const at = (side: "before" | "after"): HeldSettings => ({
    plant: { ...held.plant, ...change[side].inForce.plant },
    telemetry: change[side].inForce.telemetry ?? held.telemetry,
  });
  return changesBetween(at("before"), at("after"), language);
}

/** The expected cost after a change in a few words; empty without a plan. */
function shortEffect({ change: { effect }, isComputing }: LastChange, { language }: PageContext): string {
  const { saved } = textsOf(language).home;
  if (isComputing) return ` · ${saved.computing}`;
  if (effect === undefined || effect.afterEur === null) return "";
  const { number } = formatOf(language, VIENNA);
  return ` · ${saved.costShort(number(effect.afterEur))}`;
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
