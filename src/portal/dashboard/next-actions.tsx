import { DAY_MS, type Interval } from "../../core/domain/interval.js";
import { reasonText } from "../../plan/reason-text.js";
import { slotsCost } from "../../plan/windows/override-cost.js";
import { type SlotPlan, sgStateOf, slotMoment } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { coveredBySurplus, deviceRuns, slotsOf } from "./chart-bars.js";
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

/** The runs of a device in the next 48 hours, and what they cost. */
function DeviceRuns({ house, format, plan }: PartProps & { plan: SlotPlan }) {
  const texts = textsOf(format.language).dashboard.slots;
  const runs = deviceRuns(plan, house.now, new Date(house.now.getTime() + 2 * DAY_MS));
  if (runs.length === 0) return null;
  const spans = runs.map((run) => format.span(run, house.now)).join(", ");
  const cost = slotsCost(slotsOf(plan, runs), house.now);
  const parts = [
    spans,
    ...(cost === undefined ? [] : [texts.cost(format.number(cost.costEur))]),
    surplusText(plan, runs, format),
  ];
  return <span class="why">{parts.filter((part) => part !== "").join(" · ")}</span>;
}

/** What the expected PV surplus covers of runs of a device; empty if nothing, or not known. */
function surplusText(plan: SlotPlan, runs: readonly Interval[], format: Format): string {
  const covered = coveredBySurplus(plan, runs);
  if (covered === undefined) return "";
  const { surplus } = textsOf(format.language).dashboard.slots;
  return surplus(format.number(covered.surplusKwh, 1), format.number(covered.energyKwh, 1));
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
  const { result, plugged, override, followedKw = 0 } = plan;
  const moment = slotMoment(plan, house.now);
  const sgState = sgStateOf(plan, house.now);
  const next = moment?.nextStart;
  const state =
    plugged === 0
      ? texts.unplugged
      : moment?.chargeNow === 1
        ? followedKw > 0
          ? texts.following(format.number(followedKw, 1))
          : texts.now
        : next === undefined
          ? texts.idle
          : texts.next(format.moment(next, house.now));
  const unmetHours = result?.unmetHours ?? 0;
  return (
    <>
      {state}
      {sgState !== undefined && <span>{` · SG Ready: ${texts.sgReady[sgState]}`}</span>}
      {unmetHours > 0 && (
        <span class="state degraded">{` · ${texts.unmet(format.number(unmetHours, unmetHours % 1 === 0 ? 0 : 2))}`}</span>
      )}
      {plan.idleSince !== undefined && (
        <span class="state degraded">{` · ${texts.takesNothing(format.moment(plan.idleSince, house.now))}`}</span>
      )}
      {override !== undefined && (
        <span class="muted">{` · ${texts.overridden[override.action](format.until(override.until, house.now))}`}</span>
      )}
      <DeviceRuns house={house} format={format} plan={plan} />
      <DeviceOverride house={house} format={format} plan={plan} />
    </>
  );
}
