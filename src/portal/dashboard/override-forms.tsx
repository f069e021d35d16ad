import type { ComponentChildren } from "preact";
import type { Site } from "../../config/site.js";
import { namedControls } from "../../core/domain/battery.js";
import { textsOf } from "../../texts/index.js";
import { Form, hiddenFields, SubmitButton } from "../ui/form.js";
import type { PartProps } from "./view.js";

interface OverrideFormProps extends PartProps {
  /** Number of the slot, or `battery`. */
  slot: string;
  children: ComponentChildren;
}

/** A form of an override, which leads to the page with its cost. Nothing for a reader without the right to. */
export function OverrideForm({ house, slot, children }: OverrideFormProps) {
  if (house.csrfToken === undefined) return null;
  return (
    <form method="get" action="/dashboard/override" class="override">
      {hiddenFields({ site: house.site.id, slot, back: house.page })}
      {children}
    </form>
  );
}

/** The button that takes an override back at once. */
export function BackToPlan({ house, format, slot }: Omit<OverrideFormProps, "children">) {
  return (
    <Form context={house} action="/dashboard/override" hidden={{ slot, back: house.page }} class="override">
      <OverrideButton value="auto">{textsOf(format.language).dashboard.card.actions.auto}</OverrideButton>
    </Form>
  );
}

/** The button of an override, with what it costs where that is known. */
export function OverrideButton({
  value,
  cost,
  children,
}: {
  value: string;
  cost?: string | undefined;
  children: string;
}) {
  return (
    <button type="submit" class="button plain" name="override" value={value}>
      {cost === undefined ? children : `${children} ${cost}`}
    </button>
  );
}

/** What the battery can do by one tap: charge to its maximum, keep its energy for a day. */
export function batteryActions({ plant: { battery } }: Site): ("charge" | "hold")[] {
  if (battery === null) return [];
  const controls = namedControls(battery);
  return [
    ...(controls.includes("charge") && battery.grid_charge_allowed ? (["charge"] as const) : []),
    ...(controls.includes("hold") || controls.includes("standby") ? (["hold"] as const) : []),
  ];
}

/** The actions of the battery, with what they cost beside the plan. */
export function BatteryActions({ house, format }: PartProps) {
  const { actions } = textsOf(format.language).dashboard.card;
  return (
    <OverrideForm house={house} format={format} slot="battery">
      {batteryActions(house.site).map((action) => {
        const moreEur = house.runCosts?.get(action);
        return (
          <OverrideButton
            key={action}
            value={action}
            cost={
              moreEur === undefined ? undefined : `${moreEur >= 0.005 ? "+" : ""}${format.number(moreEur)} €`
            }
          >
            {actions[action]}
          </OverrideButton>
        );
      })}
    </OverrideForm>
  );
}

/** A state of charge typed by hand, for a battery that does not report it. */
export function SocForm({ house, format }: PartProps) {
  const { soc } = textsOf(format.language).start;
  return (
    <Form context={house} action="/start/soc" class="override" label={soc.label}>
      <label>
        {`${soc.byHand} `}
        <input type="text" name="soc_pct" inputMode="decimal" autocomplete="off" size={5} required />
        {" %"}
      </label>
      <SubmitButton kind="plain">{soc.submit}</SubmitButton>
    </Form>
  );
}
