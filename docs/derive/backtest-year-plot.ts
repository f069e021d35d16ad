import { box, COLOURS, label, path, picture, rowsOf } from "./svg.js";

const SIZE = { width: 720, height: 300 };
const LEFT = 50;
const RIGHT = 16;
const TOP = 50;
const BOTTOM = 44;
const MAXIMUM_EUR = 16;
const BAR = 16;

export interface MonthlySaving {
  month: string;
  possibleEur: number;
  savedEur: number;
}

/** The possible and the achieved saving of each month, from docs/derive/recorded/backtest-year.csv. */
export function monthlySavings(csv: string): MonthlySaving[] {
  return rowsOf(csv).map(({ month = "", possible_eur, saved_eur }) => ({
    month,
    possibleEur: Number(possible_eur),
    savedEur: Number(saved_eur),
  }));
}

const yOf = (eur: number) => SIZE.height - BOTTOM - (eur * (SIZE.height - TOP - BOTTOM)) / MAXIMUM_EUR;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Two bars per month, perfect foresight and hourgate, with the achieved share above them. */
export function backtestYearPlot(months: readonly MonthlySaving[]): string {
  const step = (SIZE.width - LEFT - RIGHT) / months.length;
  const grid = [0, 4, 8, 12, 16].flatMap((eur) => [
    path(`M${LEFT} ${yOf(eur)}H${SIZE.width - RIGHT}`, `stroke="${COLOURS.line}"`),
    label(LEFT - 8, yOf(eur) + 4, String(eur), ' text-anchor="end"'),
  ]);
  const bars = months.flatMap(({ month, possibleEur, savedEur }, index) => {
    const middle = LEFT + (index + 0.5) * step;
    const [year = "", number = ""] = month.split("-");
    const bar = (x: number, eur: number, colour: string) =>
      box(x, yOf(Math.max(0, eur)), BAR, Math.abs(yOf(0) - yOf(eur)), `fill="${colour}"`);
    const share = ((100 * savedEur) / possibleEur).toFixed(1);
    const centred = ' text-anchor="middle"';
    return [
      bar(middle - BAR - 1, possibleEur, COLOURS.pale),
      bar(middle + 1, savedEur, COLOURS.blue),
      // The white outline keeps grid lines from crossing the number.
      label(
        middle,
        yOf(Math.max(possibleEur, savedEur)) - 6,
        share,
        `${centred} stroke="#fff" stroke-width="4" paint-order="stroke"`,
      ),
      label(middle, SIZE.height - BOTTOM + 18, MONTHS[Number(number) - 1] ?? "", centred),
      ...(index === 0 || number === "01" ? [label(middle, SIZE.height - BOTTOM + 34, year, centred)] : []),
    ];
  });
  const legend = [
    label(LEFT, 20, "Monthly saving, EUR"),
    box(LEFT + 170, 10, 12, 12, `fill="${COLOURS.pale}"`),
    label(LEFT + 188, 20, "perfect foresight"),
    box(LEFT + 310, 10, 12, 12, `fill="${COLOURS.blue}"`),
    label(LEFT + 328, 20, "hourgate, with the achieved share in %"),
  ];
  const title = "Monthly saving: perfect foresight and hourgate";
  const description = months
    .map(
      ({ month, possibleEur, savedEur }) =>
        `${month}: ${savedEur.toFixed(2)} of ${possibleEur.toFixed(2)} EUR`,
    )
    .join("; ");
  return picture({ ...SIZE, title, description }, [...grid, ...bars, ...legend]);
}
