import type { SlotOverride } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { formButton, linkButton } from "../ui/parts.js";
import type { CarView } from "./view.js";

/** How the vehicle is charged, and the other ways: what each changes and costs is shown before it applies. */
export function Modes({ context, plan, runEur, format }: CarView & { format: Format }) {
  const texts = textsOf(context.language).car;
  const { override, settings, usual } = plan;
  const hasVehicle = (usual ?? settings).vehicle !== null;
  const hasPv = context.site.plant.pv.length > 0;
  const isByPlan = override === undefined || override.action === "target";
  const modes = [
    ...(hasVehicle && hasPv ? [["surplus", texts.surplus] as const] : []),
    ["run", runEur === undefined ? texts.run : `${texts.run} ${format.number(runEur)} €`] as const,
    ["guest", texts.guest] as const,
  ];
  const present = (text: string) => (
    <span class="button" aria-current="true">
      {text}
    </span>
  );
  const backToPlan = (label: string) =>
    formButton(context, "/dashboard/override", label, {
      hidden: { slot: plan.slot, override: "auto", back: "car" },
      kind: "plain",
    });
  return (
    <section class="card modes" aria-label={texts.modes}>
      <p>{stateText(override, { context, format })}</p>
      <div class="mode-buttons">
        {isByPlan ? present(texts.plan) : backToPlan(texts.plan)}
        {modes.map(([action, text]) => {
          if (override?.action === action) return present(text);
          const query = { site: context.site.id, slot: String(plan.slot), override: action, back: "car" };
          return linkButton(`/dashboard/override?${new URLSearchParams(query)}`, text, "button plain");
        })}
      </div>
      {override?.action === "target" && backToPlan(textsOf(context.language).dashboard.slots.bySchedule)}
    </section>
  );
}

function stateText(
  override: SlotOverride | undefined,
  { context, format }: { context: SiteContext; format: Format },
): string {
  const { state } = textsOf(context.language).car;
  if (override === undefined) return state.plan;
  const until = format.moment(override.until, context.now);
  if (override.action === "target") return state.target(format.number(override.targetSocPct, 0), until);
  if (override.action === "guest") return state.guest(format.number(override.energyKwh, 1), until);
  return state[override.action](until);
}
