import type { SlotOverride } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { FormButton } from "../ui/form.js";
import type { CarView } from "./view.js";

/** How the vehicle is charged, and the other ways: what each changes and costs is shown before it applies. */
export function Modes({ context, plan, runEur, format }: CarView & { format: Format }) {
  const texts = textsOf(context.language).car;
  const { override, settings, usual } = plan;
  const hasVehicle = (usual ?? settings).vehicle !== null;
  const hasPv = context.site.plant.pv.length > 0;
  const isByPlan = override === undefined || override.action === "target";
  return (
    <section class="card modes" aria-label={texts.modes}>
      <p>{stateText(override, { context, format })}</p>
      <div class="mode-buttons">
        {isByPlan ? (
          <span class="button" aria-current="true">
            {texts.plan}
          </span>
        ) : (
          <BackToPlan context={context} slot={plan.slot} label={texts.plan} />
        )}
        {hasVehicle && hasPv && (
          <Mode context={context} plan={plan} action="surplus">
            {texts.surplus}
          </Mode>
        )}
        <Mode context={context} plan={plan} action="run">
          {runEur === undefined ? texts.run : `${texts.run} ${format.number(runEur)} €`}
        </Mode>
        <Mode context={context} plan={plan} action="guest">
          {texts.guest}
        </Mode>
      </div>
      {override?.action === "target" && (
        <BackToPlan
          context={context}
          slot={plan.slot}
          label={textsOf(context.language).dashboard.slots.bySchedule}
        />
      )}
    </section>
  );
}

/** A mode, which leads to the page with its cost; the present one leads nowhere. */
function Mode({
  context,
  plan: { slot, override },
  action,
  children,
}: Pick<CarView, "context" | "plan"> & { action: "run" | "surplus" | "guest"; children: string }) {
  if (override?.action === action)
    return (
      <span class="button" aria-current="true">
        {children}
      </span>
    );
  const query = { site: context.site.id, slot: String(slot), override: action, back: "car" };
  return (
    <a class="button plain" href={`/dashboard/override?${new URLSearchParams(query)}`}>
      {children}
    </a>
  );
}

function BackToPlan({ context, slot, label }: { context: SiteContext; slot: number; label: string }) {
  const hidden = { slot, override: "auto", back: "car" };
  return (
    <FormButton context={context} action="/dashboard/override" hidden={hidden} kind="plain">
      {label}
    </FormButton>
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
