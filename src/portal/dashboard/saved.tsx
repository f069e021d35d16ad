import { measuredPowers } from "../../telemetry/measured-powers.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { DashboardView, PartProps } from "./view.js";

/** What was saved today and this week, against the uncontrolled home; the week first where today is no gain. */
export function Saved({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.saved;
  const { savings, site } = house;
  const eur = (value: number) => `${format.number(value)} €`;
  // The first quarter-hours of a day have no amount.
  const today = house.savings?.todayEur ?? undefined;
  const week = savings?.weekEur ?? undefined;
  if (today === undefined && week === undefined)
    return <p class="saved-none">{nothingSaved(house, format)}</p>;
  const isWeekFirst = today === undefined || (today < 0.005 && week !== undefined);
  const [lead, amount] = isWeekFirst ? [texts.week, week!] : [texts.today, today];
  const after = isWeekFirst
    ? today !== undefined && `${texts.todayAfter} ${eur(today)}`
    : week !== undefined && `${texts.weekAfter} ${eur(week)}`;
  return (
    <a class="saved" href={`/history/money?site=${encodeURIComponent(site.id)}`}>
      <strong>{`${lead} ${texts.saved(eur(amount))}`}</strong>
      {after && (
        <>
          <span class="between">{" · "}</span>
          <span>{after}</span>
        </>
      )}
    </a>
  );
}

/** Why there is no amount yet. */
function nothingSaved(house: DashboardView, format: Format): string {
  const texts = textsOf(format.language).dashboard.saved;
  const { plan, site, slots } = house;
  const isMeasured = measuredPowers(house).load !== undefined;
  if (plan !== undefined)
    return (isMeasured ? texts.little : texts.expected)(`${format.number(plan.savingsEur)} €`);
  if (site.plant.battery === null && slots.length === 0) return texts.noBattery;
  return isMeasured ? texts.later : texts.none;
}
