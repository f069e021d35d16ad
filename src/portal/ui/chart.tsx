import type { ComponentChildren } from "preact";
import type { Format } from "../../texts/format.js";

/** Labels of the time axis that have room on a large screen. */
const MOST_LABELS = 16;
/** Above that a phone shows every second one. */
const MOST_LABELS_ON_PHONES = 12;

interface PlotProps {
  description: string;
  /** Marks of the value axis, from the lowest to the highest value. */
  ticks: readonly number[];
  tickText: (tick: number) => string;
  /** Unit of the value axis, above its marks. */
  unit: string;
  /** Labels of the columns, from left to right. */
  labels: readonly string[];
  /** Where a tap on a column leads, with the name of the link; left out: nowhere. */
  links?: readonly ColumnLink[] | undefined;
  children: ComponentChildren;
}

/** The page of a column; undefined: there is none. */
export type ColumnLink = { href: string; label: string } | undefined;

/**
 * The frame of a chart with a column for each label. All positions are shares of the drawing area, which alone follows the
 * size of the screen; text keeps its size. The labels lie outside of it, where the style sheet leaves room.
 */
export function Plot({ description, ticks, tickText, unit, labels, links, children }: PlotProps) {
  const place = placeOf(ticks, labels.length);
  const every = Math.ceil(labels.length / MOST_LABELS);
  const isDense = labels.length / every > MOST_LABELS_ON_PHONES;
  return (
    <svg class="chart-svg plot" role={links === undefined ? "img" : "group"} aria-label={description}>
      <text dx="-6" dy="-12" text-anchor="end">
        {unit}
      </text>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x2="100%" y1={place.y(tick)} y2={place.y(tick)} />
          <text y={place.y(tick)} dx="-6" dy="4" text-anchor="end">
            {tickText(tick)}
          </text>
        </g>
      ))}
      {children}
      {labels.map(
        (label, index) =>
          index % every === 0 && (
            <text
              key={label}
              class={isDense && index % (2 * every) > 0 ? "dense" : undefined}
              x={place.x(index + 0.5)}
              y="100%"
              dy="18"
              text-anchor="middle"
            >
              {label}
            </text>
          ),
      )}
      {links?.map(
        (link, index) =>
          link !== undefined && (
            <a key={link.href} href={link.href} aria-label={link.label}>
              <rect class="tap" x={place.x(index)} width={place.x(1)} height="100%">
                <title>{link.label}</title>
              </rect>
            </a>
          ),
      )}
    </svg>
  );
}

/** Places in a plot as shares of its width and height; a column is as wide as one unit of x. */
export function placeOf(ticks: readonly number[], columns: number) {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const share = (part: number) => `${Math.round(part * 1e4) / 100}%`;
  return {
    x: (column: number) => share(column / Math.max(1, columns)),
    y: (value: number) => share((high - value) / (high - low)),
    /** The sides of a bar of a column between two values. */
    bar: (index: number, from: number, to: number) => ({
      x: share((index + 0.15) / columns),
      width: share(0.7 / columns),
      y: share((high - Math.max(from, to)) / (high - low)),
      height: share(Math.abs(to - from) / (high - low)),
    }),
  };
}

/** One bar; undefined: nothing is known. */
export interface Bar {
  label: string;
  value: number | null;
  /** Drawn faintly: it counts in no sum, or nothing happened at it. */
  isFaint?: boolean | undefined;
}

/** Amounts as bars, without scripts; a table beside it has the same values. Unknown amounts have a mark instead. */
export function BarChart({
  bars,
  description,
  unit,
  format,
  meaning = "saving",
  links,
}: {
  bars: readonly Bar[];
  description: string;
  unit: string;
  format: Format;
  /** Whether positive amounts are good (savings) or are what is paid. */
  meaning?: "saving" | "cost";
  links?: readonly ColumnLink[];
}) {
  const values = bars.flatMap(({ value }) => value ?? []);
  const { ticks, decimals } = scaleOf(Math.min(0, ...values), Math.max(0, ...values));
  const place = placeOf(ticks, bars.length);
  return (
    <Plot
      {...{ description, ticks, unit, links }}
      tickText={(tick) => format.number(tick, decimals)}
      labels={bars.map(({ label }) => label)}
    >
      {bars.map(({ label, value, isFaint }, index) =>
        value === null ? (
          <text
            key={label}
            class="unknown"
            x={place.x(index + 0.5)}
            y={place.y(0)}
            dy="-4"
            text-anchor="middle"
          >
            ×
          </text>
        ) : (
          <rect
            key={label}
            class={`${barClass(value, meaning)}${isFaint ? " faint" : ""}`}
            {...place.bar(index, 0, value)}
          />
        ),
      )}
    </Plot>
  );
}

function barClass(value: number, meaning: "saving" | "cost"): string {
  if (meaning === "cost") return value < 0 ? "column" : "column cost";
  return value < 0 ? "column loss" : "column";
}

/** Round marks that contain both ends, and the decimals that they need. */
export function scaleOf(least: number, most: number): { ticks: number[]; decimals: number } {
  const wanted = (most - least || 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= wanted) ?? wanted;
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  return {
    decimals: Math.max(0, -Math.floor(Math.log10(step))),
    ticks: Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step),
  };
}

/** What the marks of a chart mean: their class, and the text. */
export function legend(entries: readonly (readonly [name: string, label: string])[]) {
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
