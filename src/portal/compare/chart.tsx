import type { Format } from "../../texts/format.js";

/** Costs as bars of one tariff. */
export interface CostGroup {
  label: string;
  bars: readonly { kind: CostKind; eur: number }[];
}

export type CostKind = "uncontrolled" | "hourgate" | "perfect" | "noBattery" | "metered";

/** As wide as the content of a narrow phone, so that text is not scaled down there. */
const WIDTH = 340;
const LABEL_HEIGHT = 22;
const BAR_HEIGHT = 18;
const GAP = 12;
/** Room for an amount beside a bar. */
const AMOUNT_WIDTH = 74;

/** Horizontal bars of costs, grouped by tariff, without scripts; a table beside it has the same values. */
export function CostChart({
  groups,
  description,
  format,
}: {
  groups: readonly CostGroup[];
  description: string;
  format: Format;
}) {
  const values = groups.flatMap(({ bars }) => bars.map(({ eur }) => eur));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const left = low < 0 ? AMOUNT_WIDTH : 0;
  const scale = (WIDTH - AMOUNT_WIDTH - left) / (high - low || 1);
  const x = (eur: number) => Math.round((left + (eur - low) * scale) * 10) / 10;
  let top = 0;
  const rows = groups.map((group) => {
    const y = top;
    top += LABEL_HEIGHT + group.bars.length * BAR_HEIGHT + GAP;
    return { ...group, y };
  });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${top}`} class="chart-svg costs" role="img" aria-label={description}>
      {rows.map(({ label, bars, y }) => (
        <g key={label}>
          <text class="name" x={0} y={y + LABEL_HEIGHT - 7}>
            {label}
          </text>
          {bars.map(({ kind, eur }, index) => {
            const barY = y + LABEL_HEIGHT + index * BAR_HEIGHT;
            return (
              <g key={kind}>
                <rect
                  class={`cost ${kind}`}
                  x={Math.min(x(0), x(eur))}
                  y={barY + 2}
                  width={Math.max(1, Math.abs(x(eur) - x(0)))}
                  height={BAR_HEIGHT - 4}
                />
                <text
                  x={eur < 0 ? x(eur) - 5 : x(eur) + 5}
                  y={barY + BAR_HEIGHT - 5}
                  text-anchor={eur < 0 ? "end" : "start"}
                >
                  {format.number(eur)}
                </text>
              </g>
            );
          })}
        </g>
      ))}
      <line class="grid" x1={x(0)} x2={x(0)} y1={0} y2={top} />
    </svg>
  );
}
