import { floorTo, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { formatIso, localTime } from "../../core/time/zone.js";
import { reasonText } from "../../plan/reason-text.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { legend, scaleOf } from "../ui/chart.js";
import { DataTable } from "../ui/table.js";
import {
  CHART_HOURS,
  type ChartCount,
  type ChartPeriod,
  type ChartRuns,
  chartPeriods,
  chartRuns,
  runsIn,
} from "./chart-periods.js";
import { commandTexts, PastCommands } from "./past-commands.js";
import type { PartProps } from "./view.js";

/** Height of the stretched picture of bars, areas and lines; its width is that of the periods. */
const HEIGHT = 100;
/** Distance between two rows of runs, and of the lowest one to the bottom, pixels. */
const RUN_ROW = 11;
/** The line of the present moves this often. */
const NOW_STEP_MS = 5 * MINUTE_MS;
/** Names of devices fit into the legend up to this length together. */
const MOST_LEGEND_CHARACTERS = 30;

interface ChartProps extends PartProps {
  count: ChartCount;
}

/** The chart of the overview with the choice of its length. */
export function Chart(props: ChartProps) {
  const texts = textsOf(props.format.language).dashboard.plot;
  return (
    <>
      <div class="chart-head">
        <h2>{texts.title}</h2>
        <ul class="segments" aria-label={texts.controls}>
          {CHART_HOURS.map((hours) => (
            <li key={hours}>
              <a
                href={`/dashboard?hours=${hours}#plot`}
                aria-current={hours === props.count ? "true" : undefined}
              >
                {texts.hours[hours]}
              </a>
            </li>
          ))}
        </ul>
      </div>
      <PlanChart {...props} />
    </>
  );
}

/** Price, state of charge, sun, use and runs in one picture, with the values of a period beneath, and all of them as a table. */
export function PlanChart({ house, format, count }: ChartProps) {
  const periods = chartPeriods(house, count);
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined)
    return <p class="muted">{textsOf(format.language).dashboard.chart.none}</p>;
  const runs = chartRuns(house, format.language, { start: first.start, end: last.end });
  return <ChartOf {...{ house, format, count, periods, runs }} />;
}

interface ChartOfProps extends ChartProps {
  periods: readonly ChartPeriod[];
  runs: readonly ChartRuns[];
}

function ChartOf(props: ChartOfProps) {
  const { house, format, periods } = props;
  const { plot, chart, does } = textsOf(format.language).dashboard;
  const ahead = periods
    .filter(({ end }) => end > house.now)
    .filter(({ start }, index) => index === 0 || isHour(start));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through its periods. */}
      <section id="chart" tabIndex={0} aria-label={plot.title}>
        <Picture {...props} />
      </section>
      <p
        class="readout"
        aria-live="polite"
        data-own
        data-why={`/why?site=${encodeURIComponent(house.site.id)}&at=`}
        data-why-text={plot.why}
      >
        {plot.hint}
      </p>
      {legend(legendOf(props))}
      <details id="chart-table">
        <summary>{plot.table}</summary>
        <DataTable
          rows={ahead}
          columns={(col) => [
            col.head(chart.time, (period) => format.moment(period.start, house.now)),
            col.number(chart.price, ({ priceCtKwh }) => format.number(priceCtKwh, 1)),
            ...(house.plan === undefined
              ? []
              : [
                  col.text(chart.action, ({ plan }) => plan && does[plan.action]),
                  col.number(chart.soc, ({ socPct }) => format.number(socPct, 0)),
                  col.number(chart.pv, ({ pvKw }) => format.number(pvKw, 1)),
                  col.number(chart.load, ({ loadKw }) => format.number(loadKw, 1)),
                ]),
          ]}
        />
        <PastCommands house={house} format={format} />
      </details>
    </>
  );
}

const isHour = (at: Date) => at.getTime() % HOUR_MS === 0;

function Picture({ house, format, count, periods, runs }: ChartOfProps) {
  const texts = textsOf(format.language).dashboard.plot;
  const fromMs = periods[0]!.start.getTime();
  const lengthMs = periods.at(-1)!.end.getTime() - fromMs;
  const share = (at: Date) => Math.min(1, Math.max(0, (at.getTime() - fromMs) / lengthMs));
  const x = (at: Date) => percent(share(at));
  const prices = periods.map(({ priceCtKwh }) => priceCtKwh);
  const scale = scaleOf(Math.min(0, ...prices), Math.max(0, ...prices));
  const [low, high] = [scale.ticks[0]!, scale.ticks.at(-1)!];
  const y = (ct: number) => percent((high - ct) / (high - low));
  const now = new Date(floorTo(house.now.getTime(), NOW_STEP_MS));
  const hasSoc = periods.some(({ socPct }) => socPct !== undefined);
  return (
    <svg class="plan-chart" role="img" aria-label={texts.description(texts.hours[count])}>
      <text dx="-8" dy="-10" text-anchor="end">
        ct/kWh
      </text>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class={tick === 0 ? "grid zero" : "grid"} x2="100%" y1={y(tick)} y2={y(tick)} />
          <text y={y(tick)} dx="-8" dy="4" text-anchor="end">
            {format.number(tick, scale.decimals)}
          </text>
        </g>
      ))}
      {hasSoc &&
        [0, 50, 100].map((pct) => (
          <text key={pct} class="soc" x="100%" y={percent(1 - pct / 100)} dx="6" dy="4">
            {`${pct} %`}
          </text>
        ))}
      {timeMarks(periods, format, count).map(({ at, label, kind }) => (
        <g key={at.getTime()} class={kind}>
          <line class="grid" x1={x(at)} x2={x(at)} y2="100%" />
          <text x={x(at)} y="100%" dy="18" text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      <Curves {...{ house, periods, low, high }} />
      {runs.map((one, row) => (
        <g key={one.name} class={`run ${one.kind}`} transform={`translate(0 ${-RUN_ROW * (row + 1)})`}>
          {one.spans.map((span) => (
            <rect
              key={span.start.getTime()}
              x={x(span.start)}
              y="100%"
              width={percent(Math.max(0.006, share(span.end) - share(span.start)))}
              height="9"
              rx="4.5"
            />
          ))}
        </g>
      ))}
      <line class="now" x1={x(now)} x2={x(now)} y2="100%" />
      <line class="chosen" y2="100%" />
      <text class="now" x={x(now)} dy="-8" text-anchor="middle">
        {texts.now}
      </text>
      {periods.map((period) => (
        <rect
          key={period.start.getTime()}
          class="hit"
          x={x(period.start)}
          width={percent(share(period.end) - share(period.start))}
          height="100%"
          data-at={period.end <= house.now ? formatIso(period.start, format.zone) : undefined}
        >
          <title>{periodTexts(period, { house, format, runs }).join(" · ")}</title>
        </rect>
      ))}
    </svg>
  );
}

/** Bars, areas and lines, stretched to the size of the drawing area; lines keep their width. */
function Curves({
  house,
  periods,
  low,
  high,
}: Pick<ChartOfProps, "house" | "periods"> & { low: number; high: number }) {
  const first = periods[0]!;
  const minutes = (first.end.getTime() - first.start.getTime()) / 60_000;
  const xOf = (at: Date) => rounded((at.getTime() - first.start.getTime()) / 60_000 / minutes);
  const width = xOf(periods.at(-1)!.end);
  const bar = width > 120 ? 1 : 0.86;
  const y = (ct: number) => rounded(((high - ct) / (high - low)) * HEIGHT);
  const bars = new Map<string, string>();
  for (const { start, priceCtKwh, level, isForecast } of periods) {
    const name = `price ${{ 1: "cheap", 2: "usual", 3: "usual", 4: "dear" }[level]}${isForecast ? " forecast" : ""}`;
    const path = `M${xOf(start)} ${y(0)}v${rounded(y(priceCtKwh) - y(0))}h${bar}V${y(0)}z`;
    bars.set(name, (bars.get(name) ?? "") + path);
  }
  const mostKw = Math.max(1, ...periods.map(({ pvKw = 0, loadKw = 0 }) => Math.max(pvKw, loadKw)));
  const area = (value: (period: ChartPeriod) => number | undefined) => {
    const known = periods.filter((period) => value(period) !== undefined);
    const top = known.map((period) => {
      const at = rounded((1 - (value(period) ?? 0) / mostKw) * HEIGHT);
      return `${xOf(period.start)},${at} ${xOf(period.end)},${at}`;
    });
    return known.length === 0
      ? ""
      : `${xOf(known[0]!.start)},${HEIGHT} ${top.join(" ")} ${xOf(known.at(-1)!.end)},${HEIGHT}`;
  };
  const [sun, use] = [area(({ pvKw }) => pvKw), area(({ loadKw }) => loadKw)];
  const soc = (of: readonly ChartPeriod[]) =>
    of
      .filter(({ socPct }) => socPct !== undefined)
      .map(({ end, socPct }) => `${xOf(end)},${rounded(HEIGHT - socPct!)}`)
      .join(" ");
  const past = periods.filter(({ end }) => end <= house.now);
  const lastKnown = past.findLast(({ socPct }) => socPct !== undefined);
  const planned = periods.filter((period) => period.end > house.now || period === lastKnown);
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height="100%"
      aria-hidden="true"
    >
      <polygon class="area sun" points={sun} />
      <polygon class="area use" points={use} />
      {[...bars].map(([name, path]) => (
        <path key={name} class={name} d={path} />
      ))}
      <polygon class="edge sun" points={sun} />
      <polygon class="edge use" points={use} />
      <polyline class="soc" points={soc(past)} />
      <polyline class="soc planned" points={soc(planned)} />
    </svg>
  );
}

/** What the card of a period says, the time first. */
function periodTexts(
  period: ChartPeriod,
  { house, format, runs }: PartProps & { runs: readonly ChartRuns[] },
): string[] {
  const { plot, does, flow } = textsOf(format.language).dashboard;
  const { priceCtKwh, isForecast, lowCtKwh, highCtKwh, socPct, pvKw, loadKw, plan } = period;
  const past = (house.past ?? []).filter(
    ({ name, start, end }) => typeof name === "string" && start < period.end && end > period.start,
  );
  return [
    format.span(period, house.now),
    `${format.number(priceCtKwh, 1)} ct/kWh`,
    ...(isForecast && lowCtKwh !== undefined && highCtKwh !== undefined
      ? [plot.range(format.number(lowCtKwh, 0), format.number(highCtKwh, 0))]
      : []),
    ...(plan === undefined || period.end <= house.now
      ? past.map((command) => {
          const { what, why } = commandTexts(command, house, format);
          return why === "" ? what : `${what}: ${why}`;
        })
      : [`${plot.battery} ${does[plan.action]}: ${reasonText(plan.reason, format)}`]),
    ...(socPct === undefined ? [] : [plot.charge(format.number(socPct, 0))]),
    ...(pvKw === undefined ? [] : [plot.kw(flow.pv, format.number(pvKw, 1))]),
    ...(loadKw === undefined ? [] : [plot.kw(flow.home, format.number(loadKw, 1))]),
    ...runs
      .filter((one) => one.label !== undefined && runsIn(one, period))
      .map(({ label }) => plot.runs(label!)),
  ];
}

/** What is in the picture; devices by name as long as their names are short. */
function legendOf({ house, format, periods, runs }: ChartOfProps): [name: string, label: string][] {
  const texts = textsOf(format.language).dashboard.plot;
  const has = (is: (period: ChartPeriod) => boolean) => periods.some(is);
  const devices = runs.filter(({ label }) => label !== undefined);
  const isShort =
    devices.reduce((sum, { label }) => sum + label!.length, 0) <= MOST_LEGEND_CHARACTERS &&
    devices.length < 4;
  const all: [is: boolean, name: string, label: string][] = [
    [true, "price usual", texts.usual],
    [true, "price cheap", texts.cheap],
    [true, "price dear", texts.dear],
    [has(({ isForecast }) => isForecast), "price forecast", texts.forecast],
    [has(({ socPct, end }) => socPct !== undefined && end <= house.now), "soc", texts.soc],
    [has(({ plan }) => plan !== undefined), "soc planned", texts.planned],
    [has(({ pvKw = 0 }) => pvKw > 0), "area sun", texts.sun],
    [has(({ loadKw }) => loadKw !== undefined), "area use", texts.use],
    [runs.some(({ name }) => name === "battery"), "run battery", texts.gridCharge],
  ];
  return [
    ...all.filter(([is]) => is).map(([, name, label]): [string, string] => [name, label]),
    ...(isShort
      ? devices.map(({ kind, label }): [string, string] => [`run ${kind}`, label!])
      : [["run other", texts.devices] as [string, string]]),
  ];
}

interface TimeMark {
  at: Date;
  label: string;
  /** `dense`: left out on phones. */
  kind: "day" | "hour" | "hour dense";
}

/** Marks of each midnight, and of some hours between; fewer on phones. */
function timeMarks(periods: readonly ChartPeriod[], format: Format, count: ChartCount): TimeMark[] {
  const every = { 24: 3, 48: 6, 168: 24 }[count];
  return periods.flatMap(({ start }): TimeMark[] => {
    const { hour, minute } = localTime(start, format.zone);
    if (minute !== 0 || hour % every !== 0) return [];
    if (hour === 0) return [{ at: start, label: dayLabel(start, format), kind: "day" }];
    const kind = hour % (2 * every) === 0 ? "hour" : "hour dense";
    return [{ at: start, label: String(hour).padStart(2, "0"), kind }];
  });
}

function dayLabel(at: Date, { language, zone }: Format): string {
  const { locale } = textsOf(language).format;
  return new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: zone }).format(at);
}

const percent = (share: number) => `${rounded(share * 100)}%`;
const rounded = (value: number) => Math.round(value * 100) / 100;

/** The length of the chart that a text asks for; else a day. */
export function chartCount(text: string | null): ChartCount {
  return CHART_HOURS.find((hours) => String(hours) === text) ?? 24;
}
