import type { HistoryRow } from "../../api/documents/history.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { type ColumnLink, legend, Plot, placeOf, scaleOf } from "../ui/chart.js";

const SOURCES = ["pv", "import", "discharge"] as const;
const USES = ["load", "export", "charge"] as const;
/** What is drawn. */
const LEAST_KWH = 1e-3;
const SOC_TICKS = [0, 25, 50, 75, 100];

interface ChartProps {
  rows: readonly HistoryRow[];
  /** Labels of the rows on the time axis. */
  labels: readonly string[];
  links?: readonly ColumnLink[];
  format: Format;
}

/** Sources above the line, uses below; without scripts, a table has the same values. */
export function BalanceChart({ rows, labels, links, format }: ChartProps) {
  const texts = textsOf(format.language).history;
  const total = (row: HistoryRow, names: readonly (typeof SOURCES | typeof USES)[number][]) =>
    names.reduce((sum, name) => sum + row[name], 0);
  const { ticks, decimals } = scaleOf(
    -Math.max(0.1, ...rows.map((row) => total(row, USES))),
    Math.max(0.1, ...rows.map((row) => total(row, SOURCES))),
  );
  const place = placeOf(ticks, rows.length);
  return (
    <>
      <Plot
        description={texts.balanceChart}
        {...{ ticks, labels, links }}
        tickText={(tick) => format.number(Math.abs(tick), decimals)}
        unit="kWh"
      >
        {rows.map((row, index) => (
          <g key={row.key} class={row.isEarlier ? "faint" : undefined}>
            {[...stack(row, SOURCES, 1), ...stack(row, USES, -1)].map(({ name, base, end }) => (
              <rect key={name} class={`energy ${name}`} {...place.bar(index, base, end)} />
            ))}
          </g>
        ))}
      </Plot>
      {legend(
        [...SOURCES, ...USES]
          .filter((name) => rows.some((row) => row[name] >= LEAST_KWH))
          .map((name) => [`energy ${name}`, texts.columns[name]] as const),
      )}
    </>
  );
}

/** Segments of a bar from the line outwards; those without energy are left out. */
function stack<Name extends keyof HistoryRow>(row: HistoryRow, names: readonly Name[], sign: 1 | -1) {
  let end = 0;
  return names.flatMap((name) => {
    const base = end;
    end = base + sign * Math.max(0, Number(row[name]));
    return Math.abs(end - base) < LEAST_KWH ? [] : [{ name, base, end }];
  });
}

/** State of charge of a day: planned in the morning, and measured. */
export function SocChart({ rows, labels, format }: ChartProps) {
  const texts = textsOf(format.language).history;
  const line = (value: (row: HistoryRow) => number | undefined) =>
    rows
      .flatMap((row, index) => {
        const pct = value(row);
        return pct === undefined ? [] : [`${index + 1},${Math.round((100 - pct) * 10) / 10}`];
      })
      .join(" ");
  return (
    <>
      <Plot
        description={texts.socChart}
        ticks={SOC_TICKS}
        tickText={(tick) => format.number(tick, 0)}
        unit="%"
        labels={labels}
      >
        <svg viewBox={`0 0 ${Math.max(1, labels.length)} 100`} preserveAspectRatio="none" aria-hidden="true">
          <polyline class="soc planned" points={line((row) => row.plannedSocPct)} />
          <polyline class="soc" points={line((row) => row.socPct)} />
        </svg>
      </Plot>
      {legend([
        ["soc planned", texts.columns.plannedSoc],
        ["soc", texts.columns.soc],
      ])}
    </>
  );
}
