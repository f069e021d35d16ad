import { localTime } from "../../core/time/zone.js";
import { reasonText } from "../../plan/reason-text.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { Legend, scaleOf } from "../ui/chart.js";
import { type ChartBar, chartLanes } from "./chart-bars.js";
import { commandTexts } from "./past-commands.js";
import type { DashboardView, PartProps } from "./view.js";

/** Room at the sides in units of the viewBox, for the marks of the scales. */
const LEFT = 46;
const RIGHT = 52;
const PRICE = { top: 14, height: 190 };
/** Where the lanes begin, below the marks of the time, and the height of one. */
const LANES = { top: 232, height: 30 };
const POWER_HEIGHT = 90;

interface ChartProps extends PartProps {
  bars: readonly ChartBar[];
  /** The picture for a wide or for a narrow screen. */
  size: "wide" | "narrow";
}

/**
 * The chart without scripts: prices as bars, measured and planned SOC, lanes of battery and devices, PV and load. Each hour
 * has its values as a title.
 */
export function ChartSvg({ house, bars: hours, size, format }: ChartProps) {
  const texts = textsOf(format.language).dashboard.chart;
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return <p class="empty">{texts.none}</p>;
  const width = size === "wide" ? 1040 : 390;
  const lanes = chartLanes(house, hours);
  const hasPlan = house.plan !== undefined;
  const lanesEnd = LANES.top + lanes.length * LANES.height;
  const power = { top: lanesEnd + 10, height: POWER_HEIGHT };
  const height = hasPlan ? power.top + power.height + 10 : lanesEnd;
  const [fromMs, toMs] = [first.start.getTime(), last.end.getTime()];
  const x = (at: Date) => LEFT + ((at.getTime() - fromMs) / (toMs - fromMs)) * (width - LEFT - RIGHT);
  const prices = hours.flatMap(({ priceCtKwh, lowCtKwh, highCtKwh }) => [
    priceCtKwh,
    lowCtKwh ?? priceCtKwh,
    highCtKwh ?? priceCtKwh,
  ]);
  const price = scaleOf(Math.min(0, ...prices), Math.max(0, ...prices));
  const priceY = heightOf(price, PRICE);
  const socY = (pct: number) => PRICE.top + (1 - pct / 100) * PRICE.height;
  const planned = hours.filter(({ plan }) => plan !== undefined);
  const powers = planned.flatMap(({ pvKw, loadKw }) => [pvKw ?? 0, loadKw ?? 0]);
  const kw = scaleOf(Math.min(0, ...powers), Math.max(1, ...powers));
  const powerY = heightOf(kw, power);
  const mostKw = kw.ticks.at(-1)!;
  const steps = (value: (hour: ChartBar) => number | undefined) =>
    planned
      .map((hour) => {
        const y = coordinate(powerY(value(hour) ?? 0));
        return `${coordinate(x(hour.start))},${y} ${coordinate(x(hour.end))},${y}`;
      })
      .join(" ");
  const hatch = `hatch-${size}`;
  const nowX = coordinate(x(house.now));
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      class={`chart-svg prices ${size}`}
      role="img"
      aria-label={texts.description}
    >
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line class="hatch" x1="0" y1="0" x2="0" y2="5" />
        </pattern>
      </defs>
      {price.ticks.map((value) => (
        <g key={value}>
          <line
            class="grid"
            x1={LEFT}
            x2={width - RIGHT}
            y1={coordinate(priceY(value))}
            y2={coordinate(priceY(value))}
          />
          <text x={LEFT - 6} y={coordinate(priceY(value) + 4)} text-anchor="end">
            {format.number(value, price.decimals)}
          </text>
        </g>
      ))}
      {hasPlan &&
        [0, 50, 100].map((pct) => (
          <text key={pct} class="soc" x={width - RIGHT + 6} y={coordinate(socY(pct) + 4)}>
            {`${pct} %`}
          </text>
        ))}
      {timeMarks(hours, format.zone, size).map(({ at, label, isDay }) => (
        <g key={at.getTime()}>
          <line
            class={isDay ? "grid day" : "grid"}
            x1={coordinate(x(at))}
            x2={coordinate(x(at))}
            y1={PRICE.top}
            y2={height}
          />
          <text x={coordinate(x(at))} y={PRICE.top + PRICE.height + 18} text-anchor="middle">
            {isDay ? dayLabel(at, format) : label}
          </text>
        </g>
      ))}
      {hours.map((hour) => {
        const [from, to] = [x(hour.start), x(hour.end)];
        const [top, bottom] = [priceY(Math.max(0, hour.priceCtKwh)), priceY(Math.min(0, hour.priceCtKwh))];
        const area = {
          x: coordinate(from + 0.5),
          y: coordinate(top),
          width: coordinate(Math.max(1, to - from - 1)),
          height: coordinate(Math.max(1, bottom - top)),
        };
        return (
          <g key={hour.start.getTime()}>
            <rect class={`price level${hour.level}`} {...area} />
            {hour.isForecast && <rect fill={`url(#${hatch})`} {...area} />}
            {hour.lowCtKwh !== undefined && hour.highCtKwh !== undefined && (
              <line
                class="price-band"
                x1={coordinate((from + to) / 2)}
                x2={coordinate((from + to) / 2)}
                y1={coordinate(priceY(hour.lowCtKwh))}
                y2={coordinate(priceY(hour.highCtKwh))}
              />
            )}
          </g>
        );
      })}
      {hasPlan && <polygon class="soc-band" points={bandOf(planned, x, socY)} />}
      {house.socHistory !== undefined && house.socHistory.length > 1 && (
        <polyline
          class="soc measured"
          points={house.socHistory
            .filter(({ at }) => at >= first.start)
            .map(({ at, value }) => `${coordinate(x(at))},${coordinate(socY(value))}`)
            .join(" ")}
        />
      )}
      {lanes.map(({ name, label, spans }, row) => (
        <g key={`${name} ${label}`} class={`lane ${name}`}>
          <text x={LEFT} y={LANES.top + row * LANES.height + 11}>
            {label ?? texts.lanes[name as keyof typeof texts.lanes]}
          </text>
          {spans.map((span, index) => (
            <rect
              key={index}
              x={coordinate(Math.max(LEFT, x(span.start)))}
              y={LANES.top + row * LANES.height + 15}
              width={coordinate(
                Math.max(2, Math.min(width - RIGHT, x(span.end)) - Math.max(LEFT, x(span.start))),
              )}
              height="10"
            />
          ))}
        </g>
      ))}
      {hasPlan && (
        <>
          <polyline
            class="soc"
            points={planned
              .map((hour) => `${coordinate(x(hour.end))},${coordinate(socY(hour.socEndPct ?? 0))}`)
              .join(" ")}
          />
          <line
            class="grid"
            x1={LEFT}
            x2={width - RIGHT}
            y1={coordinate(powerY(0))}
            y2={coordinate(powerY(0))}
          />
          <text x={LEFT - 6} y={coordinate(powerY(mostKw) + 4)} text-anchor="end">
            {`${format.number(mostKw, kw.decimals)} kW`}
          </text>
          <polyline class="pv" points={steps(({ pvKw }) => pvKw)} />
          <polyline class="load" points={steps(({ loadKw }) => loadKw)} />
        </>
      )}
      <line class="now" x1={nowX} x2={nowX} y1={PRICE.top - 2} y2={height} />
      <text class="now" x={nowX} y={PRICE.top - 4} text-anchor="middle">
        {texts.now}
      </text>
      {hours.map((hour) => (
        <rect
          key={hour.start.getTime()}
          class="hit"
          x={coordinate(x(hour.start))}
          y={PRICE.top}
          width={coordinate(x(hour.end) - x(hour.start))}
          height={height - PRICE.top}
        >
          <title>{titleOf(hour, house, format)}</title>
        </rect>
      ))}
    </svg>
  );
}

/** The values of an hour, and what the battery does in it and why. */
function titleOf(hour: ChartBar, house: DashboardView, format: Format): string {
  const { chart: texts, does } = textsOf(format.language).dashboard;
  const { priceCtKwh, isForecast, lowCtKwh, highCtKwh, socEndPct, pvKw, loadKw, plan } = hour;
  const band =
    lowCtKwh === undefined
      ? ""
      : ` (${texts.forecast} ${format.number(lowCtKwh)}–${format.number(highCtKwh)})`;
  return [
    format.span(hour, house.now),
    `${format.number(priceCtKwh)} ct/kWh${band === "" && isForecast ? ` (${texts.forecast})` : band}`,
    ...(plan === undefined
      ? (house.past ?? [])
          .filter(({ start, end }) => start < hour.end && end > hour.start)
          .map((command) => {
            const { what, why } = commandTexts(command, house, format);
            return why === "" ? what : `${what}: ${why}`;
          })
      : [
          `${texts.soc} ${format.number(socEndPct, 0)}`,
          `${texts.pv} ${format.number(pvKw)}`,
          `${texts.load} ${format.number(loadKw)}`,
          `${does[plan.action]}: ${reasonText(plan.reason, format)}`,
        ]),
  ].join(" · ");
}

/** The legend of the chart. */
export function PriceLegend({ format, hasPlan }: { format: Format; hasPlan: boolean }) {
  const texts = textsOf(format.language).dashboard.chart;
  const levels = ([1, 2, 3, 4] as const).map((level) => [`level${level}`, texts.levels[level]] as const);
  const ofPlan = [
    ["soc", texts.socMeasured],
    ["soc planned", texts.socPlanned],
    ["soc-band", texts.band],
    ["pv", texts.pv],
    ["load", texts.load],
  ] as const;
  return <Legend entries={[...levels, ["forecast", texts.forecastBars], ...(hasPlan ? ofPlan : [])]} />;
}

/** Corners of the area between P10 and P90 of the SOC: forward along P10, back along P90. */
function bandOf(hours: readonly ChartBar[], x: (at: Date) => number, socY: (pct: number) => number): string {
  const edge = (value: (hour: ChartBar) => number | undefined) =>
    hours.map((hour) => `${coordinate(x(hour.end))},${coordinate(socY(value(hour) ?? 0))}`);
  return [...edge((hour) => hour.socP10Pct), ...edge((hour) => hour.socP90Pct).reverse()].join(" ");
}

/** The y coordinate of a value in an area of the picture. */
function heightOf({ ticks }: { ticks: readonly number[] }, area: { top: number; height: number }) {
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  return (value: number) => area.top + ((high - value) / (high - low)) * area.height;
}

const coordinate = (value: number) => Math.round(value * 10) / 10;

/** Marks every midnight, and in a short period also every six hours (twelve on a narrow screen). */
function timeMarks(
  hours: readonly ChartBar[],
  zone: string,
  size: ChartProps["size"],
): { at: Date; label: string; isDay: boolean }[] {
  const every = hours.length > 100 ? (size === "wide" ? 24 : 48) : size === "wide" ? 6 : 24;
  return hours.flatMap(({ start }, index) => {
    const { hour, minute } = localTime(start, zone);
    if (minute !== 0 || hour % Math.min(24, every) !== 0) return [];
    if (every === 48 && Math.floor(index / 24) % 2 === 1) return [];
    return [{ at: start, label: `${String(hour).padStart(2, "0")}:00`, isDay: hour === 0 }];
  });
}

function dayLabel(at: Date, format: Format): string {
  const { locale } = textsOf(format.language).format;
  return new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: format.zone }).format(
    at,
  );
}
