import type { SlotOverride } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Form, SubmitButton } from "../ui/form.js";
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
          <Mode
            context={context}
            slot={plan.slot}
            action="surplus"
            isCurrent={override?.action === "surplus"}
          >
            {texts.surplus}
          </Mode>
        )}
        <Mode context={context} slot={plan.slot} action="run" isCurrent={override?.action === "run"}>
          {runEur === undefined ? texts.run : `${texts.run} ${format.number(runEur)} €`}
        </Mode>
        <Mode context={context} slot={plan.slot} action="guest" isCurrent={override?.action === "guest"}>
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

/** A mode, which leads to the page with its cost. */
function Mode(props: {
  context: SiteContext;
  slot: number;
  action: "run" | "surplus" | "guest";
  isCurrent: boolean;
  children: string;
}) {
  if (props.isCurrent)
    return (
      <span class="button" aria-current="true">
        {props.children}
      </span>
    );
  const query = new URLSearchParams({
    site: props.context.site.id,
    slot: String(props.slot),
    override: props.action,
    back: "car",
  });
  return (
    <a class="button plain" href={`/dashboard/override?${query}`}>
      {props.children}
    </a>
  );
}

function BackToPlan({ context, slot, label }: { context: SiteContext; slot: number; label: string }) {
  return (
    <Form context={context} action="/dashboard/override">
      <input type="hidden" name="slot" value={slot} />
      <input type="hidden" name="override" value="auto" />
      <input type="hidden" name="back" value="car" />
      <SubmitButton kind="plain">{label}</SubmitButton>
    </Form>
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
