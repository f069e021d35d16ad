import { textsOf } from "../../texts/index.js";
import { localTime } from "../../time/zone.js";
import type { Format } from "./format.js";
import type { ChartHour } from "./view.js";

/** Drawing area in units of the viewBox: the price panel above, PV and load below. */
const WIDTH = 720;
const LEFT = 46;
const RIGHT = 52;
const PRICE = { top: 14, height: 190 };
const POWER = { top: 232, height: 90 };
const HEIGHT = 352;

interface ChartProps {
  hours: readonly ChartHour[];
  format: Format;
}

/** The chart without scripts: price steps, charge runs behind them, SOC; PV and load below. */
export function ChartSvg({ hours, format }: ChartProps) {
  const texts = textsOf(format.language).dashboard.chart;
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return <p class="empty">{texts.none}</p>;
  const [fromMs, toMs] = [first.start.getTime(), last.end.getTime()];
  const x = (at: Date) => LEFT + ((at.getTime() - fromMs) / (toMs - fromMs)) * (WIDTH - LEFT - RIGHT);
  const price = scaleOf([0, ...hours.map(({ priceCtKwh }) => priceCtKwh)]);
  const priceY = (value: number) => PRICE.top + (1 - share(value, price)) * PRICE.height;
  const socY = (pct: number) => PRICE.top + (1 - pct / 100) * PRICE.height;
  const power = scaleOf([0, 1, ...hours.flatMap(({ pvKw, loadKw }) => [pvKw ?? 0, loadKw ?? 0])]);
  const powerY = (value: number) => POWER.top + (1 - share(value, power)) * POWER.height;
  const steps = (value: (hour: ChartHour) => number | undefined, y: (value: number) => number) =>
    hours
      .map((hour) => {
        const at = value(hour);
        return at === undefined
          ? ""
          : `${coordinate(x(hour.start))},${coordinate(y(at))} ${coordinate(x(hour.end))},${coordinate(y(at))}`;
      })
      .filter((pair) => pair !== "")
      .join(" ");
  const firstForecast = hours.find(({ isForecast }) => isForecast);
  const hasPlan = first.plan !== undefined;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="chart-svg" role="img" aria-label={texts.description}>
      {hours
        .filter(({ plan }) => plan?.action === "grid_charge")
        .map((hour) => (
          <rect
            key={hour.start.getTime()}
            class="charge"
            x={coordinate(x(hour.start))}
            y={PRICE.top}
            width={coordinate(x(hour.end) - x(hour.start))}
            height={PRICE.height}
          />
        ))}
      {ticks(price).map((value) => (
        <g key={value}>
          <line
            class="grid"
            x1={LEFT}
            x2={WIDTH - RIGHT}
            y1={coordinate(priceY(value))}
            y2={coordinate(priceY(value))}
          />
          <text x={LEFT - 6} y={coordinate(priceY(value) + 4)} text-anchor="end">
            {format.number(value, decimalsOf(price))}
          </text>
        </g>
      ))}
      {hasPlan &&
        [0, 50, 100].map((pct) => (
          <text key={pct} class="soc" x={WIDTH - RIGHT + 6} y={coordinate(socY(pct) + 4)}>
            {`${pct} %`}
          </text>
        ))}
      {timeMarks(hours, format.zone).map(({ at, label, isDay }) => (
        <g key={at.getTime()}>
          <line
            class={isDay ? "grid day" : "grid"}
            x1={coordinate(x(at))}
            x2={coordinate(x(at))}
            y1={PRICE.top}
            y2={hasPlan ? POWER.top + POWER.height : PRICE.top + PRICE.height}
          />
          <text x={coordinate(x(at))} y={PRICE.top + PRICE.height + 18} text-anchor="middle">
            {isDay ? dayLabel(at, format) : label}
          </text>
        </g>
      ))}
      {firstForecast !== undefined && (
        <text
          class="note"
          x={coordinate(Math.min(x(firstForecast.start) + 4, WIDTH - RIGHT - 70))}
          y={PRICE.top + 10}
        >
          {texts.forecast}
        </text>
      )}
      {hasPlan && <polygon class="soc-band" points={bandOf(hours, x, socY)} />}
      <polyline class="price" points={steps((hour) => hour.priceCtKwh, priceY)} />
      {hasPlan && (
        <>
          <polyline
            class="soc"
            points={hours
              .map((hour) => `${coordinate(x(hour.end))},${coordinate(socY(hour.socEndPct ?? 0))}`)
              .join(" ")}
          />
          <line
            class="grid"
            x1={LEFT}
            x2={WIDTH - RIGHT}
            y1={coordinate(powerY(0))}
            y2={coordinate(powerY(0))}
          />
          <text
            x={LEFT - 6}
            y={coordinate(powerY(power.high) + 4)}
            text-anchor="end"
          >{`${format.number(power.high, decimalsOf(power))} kW`}</text>
          <polyline class="pv" points={steps((hour) => hour.pvKw, powerY)} />
          <polyline class="load" points={steps((hour) => hour.loadKw, powerY)} />
        </>
      )}
    </svg>
  );
}

/** The legend. */
export function Legend({ format, hasPlan }: { format: Format; hasPlan: boolean }) {
  const texts = textsOf(format.language).dashboard.chart;
  const entries = hasPlan
    ? ([
        ["price", texts.price],
        ["charge", texts.charge.replace(/ \(.*/, "")],
        ["soc", texts.soc],
        ["soc-band", texts.band],
        ["pv", texts.pv],
        ["load", texts.load],
      ] as const)
    : ([["price", texts.price]] as const);
  return (
    <ul class="legend">
      {entries.map(([name, label]) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** Corners of the area between P10 and P90 of the SOC: forward along P10, back along P90. */
function bandOf(hours: readonly ChartHour[], x: (at: Date) => number, socY: (pct: number) => number): string {
  const edge = (value: (hour: ChartHour) => number | undefined) =>
    hours.map((hour) => `${coordinate(x(hour.end))},${coordinate(socY(value(hour) ?? 0))}`);
  return [...edge((hour) => hour.socP10Pct), ...edge((hour) => hour.socP90Pct).reverse()].join(" ");
}

interface Scale {
  low: number;
  high: number;
  step: number;
}

/** A scale with round steps over all values. */
function scaleOf(values: readonly number[]): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const wanted = (most - least || 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= wanted) ?? wanted;
  return { low: Math.floor(least / step) * step, high: Math.ceil(most / step) * step, step };
}

function share(value: number, { low, high }: Scale): number {
  return (value - low) / (high - low);
}

function ticks({ low, high, step }: Scale): number[] {
  return Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => low + index * step);
}

/** Decimals needed for the marks of a scale: none for whole steps, one for 0.5. */
function decimalsOf({ step }: Scale): number {
  return Math.max(0, -Math.floor(Math.log10(step)));
}

const coordinate = (value: number) => Math.round(value * 10) / 10;

/** Marks every six hours up to two days, otherwise every midnight. */
function timeMarks(hours: readonly ChartHour[], zone: string): { at: Date; label: string; isDay: boolean }[] {
  const every = hours.length > 60 ? 24 : 6;
  return hours.flatMap(({ start }) => {
    const { hour, minute } = localTime(start, zone);
    if (minute !== 0 || hour % every !== 0) return [];
    return [{ at: start, label: `${String(hour).padStart(2, "0")}:00`, isDay: hour === 0 }];
  });
}

function dayLabel(at: Date, format: Format): string {
  const { locale } = textsOf(format.language).format;
  return new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: format.zone }).format(
    at,
  );
}
