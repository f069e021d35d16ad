import { deviceSentences, surplusText } from "../../plan/device-sentences.js";
import { reasonText } from "../../plan/reason-text.js";
import { type SlotPlan, sgStateOf } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";
import { BatteryOverrideRow, DeviceOverride } from "./override-forms.js";
import type { PartProps } from "./view.js";
import { holdSpells } from "./view.js";

/** Maximum number of listed actions; the chart shows them all. */
const MOST_ACTIONS = 5;

/** Next actions in order of time: charging, blocked battery, devices. */
export function NextActions({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.actions;
  const actions = [
    ...(house.plan?.chargeHours ?? []).map((run) => ({
      span: run,
      what: texts.charge(format.number(run.energyKwh, 1), format.number(run.totalCtKwh)),
      why: reasonText(run.reason, format),
    })),
    ...holdSpells(house).map((spell) => ({
      span: spell,
      what: texts.hold,
      why: reasonText(spell.hour.reason, format),
    })),
    ...house.slots.flatMap((plan) => {
      const { settings, result, plugged } = plan;
      return plugged === 0 || result === undefined
        ? []
        : result.windows.map((window) => ({
            span: window,
            what: texts.slot(settings.label),
            why: surplusText(plan, [window], format),
          }));
    }),
  ]
    .filter(({ span }) => span.end > house.now)
    .sort((a, b) => a.span.start.getTime() - b.span.start.getTime())
    .slice(0, MOST_ACTIONS);
  if (actions.length === 0) return <p class="muted">{texts.none}</p>;
  return (
    <ol class="timeline">
      {actions.map(({ span, what, why }) => (
        <li key={`${span.start.getTime()} ${what}`}>
          <strong>{format.span(span, house.now)}</strong>
          <span>{what}</span>
          {why !== "" && <span class="muted">{why}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The battery and the flexible devices. */
export function Slots({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.slots;
  const hasBattery = house.site.plant.battery !== null && house.plan !== undefined;
  if (house.slots.length === 0 && !hasBattery) return <p class="muted">{texts.none}</p>;
  return (
    <ul class="slots">
      {hasBattery && (
        <li>
          <BatteryOverrideRow house={house} format={format} />
        </li>
      )}
      {house.slots.map((plan) => (
        <li key={plan.slot}>
          <strong>{plan.settings.label}</strong>
          {": "}
          <DeviceNow house={house} format={format} plan={plan} />
        </li>
      ))}
    </ul>
  );
}

/** What a flexible device does, its runs, and the forms that change them. */
export function DeviceNow({ house, format, plan }: PartProps & { plan: SlotPlan }) {
  const texts = textsOf(format.language).dashboard.slots;
  const { state, unmet, takesNothing, overridden, planned } = deviceSentences(plan, house.now, format);
  const sgState = sgStateOf(plan, house.now);
  return (
    <>
      {state}
      {sgState !== undefined && <span>{` · SG Ready: ${texts.sgReady[sgState]}`}</span>}
      {unmet !== undefined && <span class="state degraded">{` · ${unmet}`}</span>}
      {takesNothing !== undefined && <span class="state degraded">{` · ${takesNothing}`}</span>}
      {overridden !== undefined && <span class="muted">{` · ${overridden}`}</span>}
      {planned !== undefined && <span class="why">{planned}</span>}
      <DeviceOverride house={house} format={format} plan={plan} />
    </>
  );
}
