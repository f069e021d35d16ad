import { deviceSentences } from "../../plan/device-sentences.js";
import { type SlotPlan, sgStateOf } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";
import { DeviceOverride } from "./override-forms.js";
import type { PartProps } from "./view.js";

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
