import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import type { ChosenSlot } from "../../plan/windows/result.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { type ChartPeriod, chartPeriods } from "../dashboard/chart-periods.js";
import type { DashboardView } from "../dashboard/view.js";
import { legend, Plot, placeOf, scaleOf } from "../ui/chart.js";

/** The chart ends there, so that an hour stays wide enough to be seen. */
const MOST_HOURS = 48;
/** Part of its column that a bar fills. */
const WIDTH = 0.8;

interface NightProps {
  house: DashboardView;
  slots: readonly ChosenSlot[];
  until: Date;
  format: Format;
}

/** The prices from now until a departure, with the times in colour at which the vehicle charges. */
export function Night({ house, slots, until, format }: NightProps) {
  const texts = textsOf(format.language).car;
  const hours = hoursUntil(house, until);
  if (hours.length === 0) return null;
  const prices = hours.map(({ priceCtKwh }) => priceCtKwh);
  const { ticks, decimals } = scaleOf(Math.min(0, ...prices), Math.max(0, ...prices));
  const place = placeOf(ticks, hours.length);
  const share = (part: number) => `${Math.round((part / hours.length) * 1e4) / 100}%`;
  return (
    <figure class="night">
      <Plot
        description={texts.night}
        ticks={ticks}
        tickText={(tick) => format.number(tick, decimals)}
        unit="ct/kWh"
        labels={hours.map(({ start }) => format.time(start).slice(0, 2))}
      >
        {hours.map(({ start, priceCtKwh }, index) => (
          <rect
            key={start.getTime()}
            class="night-price"
            {...place.bar(index, 0, priceCtKwh)}
            x={share(index + (1 - WIDTH) / 2)}
            width={share(WIDTH)}
          />
        ))}
        {chargedParts(hours, slots).map(({ index, from, to, start, end, kwh }) => (
          <rect
            key={start.getTime()}
            class="night-charge"
            {...place.bar(index, 0, hours[index]!.priceCtKwh)}
            x={share(index + (1 - WIDTH) / 2 + WIDTH * from)}
            width={share(WIDTH * (to - from))}
          >
            <title>{`${format.span({ start, end }, house.now)} · ${format.number(kwh, 1)} kWh`}</title>
          </rect>
        ))}
      </Plot>
      {legend([
        ["night-price", texts.price],
        ["night-charge", texts.charge],
      ])}
    </figure>
  );
}

/** The hours from the present one until a departure. */
function hoursUntil(house: DashboardView, until: Date): ChartPeriod[] {
  return chartPeriods(house, 168)
    .filter(({ start, end }) => end > house.now && start < until)
    .slice(0, MOST_HOURS);
}

interface ChargedPart {
  /** Column of the hour. */
  index: number;
  from: number;
  to: number;
  start: Date;
  end: Date;
  kwh: number;
}

/** The parts of the hours in which the vehicle charges, as shares of an hour; adjoining ones are one. */
function chargedParts(hours: readonly Interval[], slots: readonly ChosenSlot[]): ChargedPart[] {
  const parts: ChargedPart[] = [];
  for (const { start, end, energyKwh: kwh = 0 } of slots) {
    const index = hours.findIndex((hour) => hour.start <= start && start < hour.end);
    const hour = hours[index];
    if (hour === undefined || kwh <= 0) continue;
    const share = (at: Date) => Math.min(1, (at.getTime() - hour.start.getTime()) / HOUR_MS);
    const before = parts.at(-1);
    if (before?.index === index && before.end.getTime() === start.getTime())
      Object.assign(before, { to: share(end), end, kwh: before.kwh + kwh });
    else parts.push({ index, from: share(start), to: share(end), start, end, kwh });
  }
  return parts;
}
