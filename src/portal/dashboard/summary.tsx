import { presentAction } from "../../plan/headline.js";
import { presentAndNext, presentText } from "../../plan/now-and-next.js";
import { reasonText } from "../../plan/reason-text.js";
import { measuredPowers } from "../../telemetry/measured-powers.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { namedValues } from "../ui/table.js";
import type { DashboardView, PartProps } from "./view.js";

/** Now and next in sentences; what they rest on below *Details*. */
export function Summary({ house, format }: PartProps) {
  const said = presentAndNext(house, format);
  return (
    <>
      <p class={said.isCharging ? "headline charging" : "headline"}>{presentText(said)}</p>
      <Details house={house} format={format} />
    </>
  );
}

/** Mode, worth, expected savings and outputs. */
function Details({ house, format }: PartProps) {
  const { plan, now } = house;
  const { details, flow, headline, price, savings, outputsPage } = textsOf(format.language).dashboard;
  if (plan === undefined) return null;
  const reason = presentAction(plan, now)?.reason;
  const worthCt = reason?.figures.valueCtKwh;
  const { expectation, savingsStoredEur, solver } = plan;
  return (
    <details id="details">
      <summary>{details}</summary>
      {reason !== undefined && <p>{reasonText(reason, format)}</p>}
      {worthCt !== undefined && <p>{headline.details.worth(format.number(worthCt))}</p>}
      <Command house={house} format={format} />
      {measuredPowers(house).isGridComputed && <p>{flow.gridIsComputed}</p>}
      {namedValues([
        [savings.month, `${format.number(house.savings?.monthEur)} €`],
        [savings.total, `${format.number(house.savings?.totalEur)} €`],
        [
          price.title,
          `${format.number(plan.scalars.currentPriceCtKwh)} ct/kWh, ${price.quartiles[plan.scalars.currentQuartile]} (${house.tariff === undefined ? price.market : price.allIn})`,
        ],
      ])}
      <p id="savings">
        {`${savings.expected} ${savings.of(format.number(plan.savingsEur))}. `}
        {Math.abs(savingsStoredEur) >= 0.01 &&
          savings.stored(format.number(Math.abs(savingsStoredEur)), savingsStoredEur < 0)}
      </p>
      <p>
        {savings.cost(
          format.number(expectation.costEur),
          format.number(expectation.costP10Eur),
          format.number(expectation.costP90Eur),
        )}
      </p>
      <p>{savings.bound(format.number(Math.max(0, solver.objectiveEur - solver.boundEur)))}</p>
      <p class="muted">{savings.explanation}</p>
      <p id="outputs">
        <a href="/developers/outputs">{outputsPage.link}</a>
      </p>
    </details>
  );
}

/** The command in force; whether the battery follows it is said where it does not. */
function Command({ house: { plan }, format }: PartProps) {
  if (plan === undefined) return null;
  const texts = textsOf(format.language).dashboard.flow;
  const { scalars, command } = plan;
  const sentence =
    command.mode === "charge"
      ? texts.commands.charge(
          format.number(scalars.chargePowerKw, 1),
          format.number(scalars.chargeStopSocPct, 0),
        )
      : command.mode === "discharge"
        ? texts.commands.discharge(format.number(scalars.dischargeSetKw, 1))
        : scalars.dischargePowerKw === 0 && command.mode !== "standby"
          ? texts.commands.hold
          : texts.commands[command.mode];
  return <p>{`${texts.command} ${sentence}`}</p>;
}

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
