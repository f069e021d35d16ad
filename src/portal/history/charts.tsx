import type { HistoryRow } from "../../documents/history.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { scaleOf } from "../savings/bar-chart.js";

const WIDTH = 720;
const HEIGHT = 260;
const AREA = { left: 60, right: 8, top: 12, bottom: 26 };
const SOURCES = ["pv", "import", "discharge"] as const;
const USES = ["load", "export", "charge"] as const;

interface ChartProps {
  rows: readonly HistoryRow[];
  /** Labels of the rows on the time axis. */
  labels: readonly string[];
  format: Format;
}

/** Sources above the line, uses below; without scripts, a table has the same values. */
export function BalanceChart({ rows, labels, format }: ChartProps) {
  const texts = textsOf(format.language).history;
  const total = (row: HistoryRow, names: readonly (typeof SOURCES | typeof USES)[number][]) =>
    names.reduce((sum, name) => sum + row[name], 0);
  const scale = scaleOf(
    -Math.max(0.1, ...rows.map((row) => total(row, USES))),
    Math.max(0.1, ...rows.map((row) => total(row, SOURCES))),
  );
  const height = HEIGHT - AREA.top - AREA.bottom;
  const y = (value: number) => AREA.top + ((scale.high - value) / (scale.high - scale.low)) * height;
  const width = (WIDTH - AREA.left - AREA.right) / Math.max(1, rows.length);
  const every = Math.ceil(rows.length / 16);
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        class="chart-svg bars"
        role="img"
        aria-label={texts.balanceChart}
      >
        <Marks scale={scale} y={y} format={format} />
        {rows.map((row, index) => {
          const x = AREA.left + index * width;
          return (
            <g key={row.key}>
              {[...stack(row, SOURCES, 1), ...stack(row, USES, -1)].map(({ name, low, high }) => (
                <rect
                  key={name}
                  class={`energy ${name}`}
                  x={round(x + width * 0.15)}
                  width={round(width * 0.7)}
                  y={round(y(high))}
                  height={round(y(low) - y(high))}
                />
              ))}
              {index % every === 0 && (
                <text x={round(x + width / 2)} y={HEIGHT - 8} text-anchor="middle">
                  {labels[index]}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <Legend
        entries={[...SOURCES, ...USES].map((name) => [`energy ${name}`, texts.columns[name]] as const)}
      />
    </>
  );
}

/** Segments of a bar from the line outwards; those without energy are left out. */
function stack<Name extends keyof HistoryRow>(row: HistoryRow, names: readonly Name[], sign: 1 | -1) {
  let base = 0;
  return names.flatMap((name) => {
    const end = base + sign * Math.max(0, Number(row[name]));
    const segment = { name, low: Math.min(base, end), high: Math.max(base, end) };
    base = end;
    return segment.high - segment.low < 1e-3 ? [] : [segment];
  });
}

/** State of charge of a day: planned in the morning, and measured. */
export function SocChart({ rows, labels, format }: ChartProps) {
  const texts = textsOf(format.language).history;
  const y = (pct: number) => AREA.top + (1 - pct / 100) * (HEIGHT - AREA.top - AREA.bottom);
  const width = (WIDTH - AREA.left - AREA.right) / Math.max(1, labels.length);
  const line = (value: (row: HistoryRow) => number | undefined) =>
    rows
      .flatMap((row, index) => {
        const pct = value(row);
        return pct === undefined ? [] : [`${round(AREA.left + (index + 1) * width)},${round(y(pct))}`];
      })
      .join(" ");
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="chart-svg bars" role="img" aria-label={texts.socChart}>
        <Marks scale={{ ticks: [0, 25, 50, 75, 100], decimals: 0 }} y={y} format={format} />
        {labels.map(
          (label, index) =>
            index % 2 === 0 && (
              <text
                key={label}
                x={round(AREA.left + (index + 0.5) * width)}
                y={HEIGHT - 8}
                text-anchor="middle"
              >
                {label}
              </text>
            ),
        )}
        <polyline class="soc" points={line((row) => row.plannedSocPct)} />
        <polyline class="soc measured" points={line((row) => row.socPct)} />
      </svg>
      <Legend
        entries={[
          ["soc planned", texts.columns.plannedSoc],
          ["soc", texts.columns.soc],
        ]}
      />
    </>
  );
}

interface MarksProps {
  scale: { ticks: readonly number[]; decimals: number };
  y: (value: number) => number;
  format: Format;
}

function Marks({ scale, y, format }: MarksProps) {
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={AREA.left} x2={WIDTH - AREA.right} y1={round(y(tick))} y2={round(y(tick))} />
          <text x={AREA.left - 6} y={round(y(tick) + 4)} text-anchor="end">
            {format.number(Math.abs(tick), scale.decimals)}
          </text>
        </g>
      ))}
    </>
  );
}

function Legend({ entries }: { entries: readonly (readonly [name: string, label: string])[] }) {
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

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
