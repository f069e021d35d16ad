import { contains } from "../../core/domain/interval.js";
import { deviceSentences } from "../../plan/device-sentences.js";
import { slotsOfRuns } from "../../plan/windows/device-runs.js";
import { slotsCost } from "../../plan/windows/override-cost.js";
import { deviceLabel, type SlotPlan, sgStateOf, slotMoment } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { icon } from "../ui/icons.js";
import { carLink } from "../ui/links.js";
import { energyToday } from "./energy-flow.js";
import { BackToPlan, BatteryActions, OverrideButton, OverrideForm } from "./override-forms.js";
import type { DashboardView, PartProps } from "./view.js";

/** The battery and the flexible devices as cards: what they do today, what comes next, and what one tap does. */
export function OverviewCards(props: PartProps) {
  const { house, format } = props;
  const hasBattery = house.site.plant.battery !== null && house.plan !== undefined;
  if (house.slots.length === 0 && !hasBattery)
    return <p class="muted">{textsOf(format.language).dashboard.slots.none}</p>;
  return (
    <div class="device-cards">
      {hasBattery && <BatteryCard {...props} />}
      {house.slots.map((plan) => (
        <DeviceCard key={plan.slot} {...props} plan={plan} />
      ))}
    </div>
  );
}

function DeviceCard({ house, format, plan }: PartProps & { plan: SlotPlan }) {
  const { settings, slot } = plan;
  const { kind } = settings;
  const label = deviceLabel(settings, format.language);
  const site = encodeURIComponent(house.site.id);
  return (
    <section class="device-card" aria-label={label}>
      <h3>
        {icon(kind)}
        <a href={kind === "wallbox" ? carLink(house.site, slot) : `/devices?site=${site}`}>{label}</a>
        <span class="muted">{statusText(plan, format)}</span>
      </h3>
      <DeviceToday house={house} format={format} plan={plan} />
    </section>
  );
}

/** A flexible device: today's energy and amount, its next run with its cost, and the actions that need no field. */
export function DeviceToday({ house, format, plan }: PartProps & { plan: SlotPlan }) {
  const { card: texts, slots } = textsOf(format.language).dashboard;
  const { settings, override, slot } = plan;
  const label = deviceLabel(settings, format.language);
  const sentences = deviceSentences(plan, house.now, format);
  const form = { house, format, slot: String(slot) };
  const cost = house.runCosts?.get(slot);
  const sgState = sgStateOf(plan, house.now);
  return (
    <>
      <p>{todayText(house, slot, format)}</p>
      <p>{nextText(plan, house, format)}</p>
      {sgState !== undefined && <p class="muted">{`SG Ready: ${slots.sgReady[sgState]}`}</p>}
      {[sentences.unmet, sentences.takesNothing, sentences.notHot].map(
        (warning) =>
          warning !== undefined && (
            <p key={warning} class="state degraded">
              {warning}
            </p>
          ),
      )}
      {sentences.overridden !== undefined && <p class="muted">{sentences.overridden}</p>}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame. */}
      <div class="overrides" role="group" aria-label={label}>
        <OverrideForm {...form}>
          {override?.action !== "run" && (
            <OverrideButton value="run" cost={cost === undefined ? undefined : `${format.number(cost)} €`}>
              {texts.actions[settings.kind]}
            </OverrideButton>
          )}
          {override?.action !== "skip" && <OverrideButton value="skip">{texts.actions.skip}</OverrideButton>}
        </OverrideForm>
        {override !== undefined && <BackToPlan {...form} />}
      </div>
    </>
  );
}

function BatteryCard({ house, format }: PartProps) {
  const { title } = textsOf(format.language).dashboard.batteryOverride;
  const soc = house.live.soc_pct?.value;
  return (
    <section class="device-card" aria-label={title}>
      <h3>
        {icon("battery")}
        <a href={`/devices?site=${encodeURIComponent(house.site.id)}`}>{title}</a>
        {soc !== undefined && <span class="muted">{`${format.number(soc, 0)} %`}</span>}
      </h3>
      <BatteryToday house={house} format={format} />
    </section>
  );
}

/** The battery: today's energies, and the actions. */
export function BatteryToday({ house, format }: PartProps) {
  const { card: texts, batteryOverride } = textsOf(format.language).dashboard;
  const { plan } = house;
  const override = plan?.override;
  const today = house.savings?.today.kwh;
  const next = plan?.chargeHours.find((run) => run.end > house.now);
  const until = override && format.until(override.until, house.now);
  const doing =
    next !== undefined
      ? `${texts.gridCharge(format.span(next, house.now))} · ${format.number((next.energyKwh * next.totalCtKwh) / 100)} €`
      : override === undefined
        ? batteryOverride.auto
        : undefined;
  return (
    <>
      <p>
        {today === undefined
          ? texts.notMeasured
          : texts.batteryToday(format.number(today.charge, 1), format.number(today.discharge, 1))}
      </p>
      {doing !== undefined && <p>{doing}</p>}
      {override !== undefined && (
        <p class="muted">
          {override.action === "charge"
            ? batteryOverride.charging(format.number(override.targetSocPct, 0), until!)
            : batteryOverride.holding(until!)}
        </p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame. */}
      <div class="overrides" role="group" aria-label={batteryOverride.title}>
        <BatteryActions house={house} format={format} />
        {override !== undefined && <BackToPlan house={house} format={format} slot="battery" />}
      </div>
    </>
  );
}

/** At the right of the name: whether a vehicle is there, with its state of charge. */
export function statusText({ settings, plugged, socPct }: SlotPlan, format: Format): string {
  const { card } = textsOf(format.language).dashboard;
  const soc = socPct === undefined ? "" : `${format.number(socPct, 0)} %`;
  if (settings.kind !== "wallbox") return soc;
  const plug = plugged === 0 ? card.unplugged : card.plugged;
  return soc === "" || plugged === 0 ? plug : `${plug} · ${soc}`;
}

function todayText(house: DashboardView, slot: number, format: Format): string {
  const { card } = textsOf(format.language).dashboard;
  const today = energyToday(house, slot);
  if (today === undefined) return card.notMeasured;
  const kwh = format.number(today.kwh, 1);
  return today.costEur === undefined ? card.todayKwh(kwh) : card.today(kwh, format.number(today.costEur));
}

/** The run in progress or the next one with its cost, and how many follow. */
function nextText(plan: SlotPlan, house: DashboardView, format: Format): string {
  const { card, slots } = textsOf(format.language).dashboard;
  const { now } = house;
  const { doing, state, runs, cost } = deviceSentences(plan, now, format);
  const amount = (eur: number | undefined) => (eur === undefined ? [] : [`${format.number(eur)} €`]);
  const [next] = runs;
  if (doing === "unplugged") return card.none;
  if (next === undefined) return doing === "nothing_planned" ? card.none : state;
  if (doing === "following_surplus") return slots.following(format.number(plan.followedKw, 1));
  const isRunning = contains(next, now) && slotMoment(plan, now)?.chargeNow === 1;
  const ofNext = slotsCost(slotsOfRuns(plan, [next]), now);
  return [
    isRunning ? card.until(format.time(next.end)) : card.next(format.span(next, now)),
    ...amount(ofNext?.costEur),
    ...(runs.length > 1 ? [[card.runs(runs.length), ...amount(cost?.costEur)].join(" ")] : []),
  ].join(" · ");
}
