import type { Format } from "../../texts/format.js";

/** One bar; undefined: nothing is known. */
export interface Bar {
  label: string;
  value: number | null;
}

const WIDTH = 720;
const HEIGHT = 220;
const AREA = { left: 78, right: 8, top: 12, bottom: 26 };

/** Amounts as bars, without scripts; a table beside it has the same values. Unknown amounts have a mark instead. */
export function BarChart({
  bars,
  description,
  format,
  meaning = "saving",
}: {
  bars: readonly Bar[];
  description: string;
  format: Format;
  /** Whether positive amounts are good (savings) or are what is paid. */
  meaning?: "saving" | "cost";
}) {
  const values = bars.flatMap(({ value }) => value ?? []);
  const scale = scaleOf(Math.min(0, ...values), Math.max(0, ...values));
  const height = HEIGHT - AREA.top - AREA.bottom;
  const y = (value: number) => AREA.top + ((scale.high - value) / (scale.high - scale.low)) * height;
  const width = (WIDTH - AREA.left - AREA.right) / Math.max(1, bars.length);
  const every = Math.ceil(bars.length / 16);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="chart-svg bars" role="img" aria-label={description}>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={AREA.left} x2={WIDTH - AREA.right} y1={y(tick)} y2={y(tick)} />
          <text x={AREA.left - 6} y={y(tick) + 4} text-anchor="end">
            {format.number(tick, scale.decimals)}
          </text>
        </g>
      ))}
      {bars.map(({ label, value }, index) => {
        const x = AREA.left + index * width;
        return (
          <g key={label}>
            {value === null ? (
              <text class="unknown" x={x + width / 2} y={y(0) - 4} text-anchor="middle">
                ×
              </text>
            ) : (
              <rect
                class={barClass(value, meaning)}
                x={round(x + width * 0.15)}
                width={round(width * 0.7)}
                y={round(y(Math.max(0, value)))}
                height={round(Math.abs(y(0) - y(value)))}
              />
            )}
            {index % every === 0 && (
              <text x={round(x + width / 2)} y={HEIGHT - 8} text-anchor="middle">
                {label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function barClass(value: number, meaning: "saving" | "cost"): string {
  if (meaning === "cost") return value < 0 ? "bar" : "bar cost";
  return value < 0 ? "bar loss" : "bar";
}

/** A scale with round marks that contains both ends. */
export function scaleOf(least: number, most: number) {
  const wanted = (most - least || 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= wanted) ?? wanted;
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  return {
    low: first * step,
    high: last * step,
    decimals: Math.max(0, -Math.floor(Math.log10(step))),
    ticks: Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
