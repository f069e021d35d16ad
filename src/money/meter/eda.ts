import type { MeterDirection } from "../../core/domain/meter.js";
import { parseTimeLabel } from "../../core/time/time-labels.js";
import { hasDecimalComma, parseNumber } from "./numbers.js";
import type { RawSeries } from "./rows.js";
import { round6 } from "./series.js";
import { foldText } from "./text.js";
import type { Table } from "./types.js";

/** Labels of the rows above the values, in column A. */
const POINT_ROW = /^metering ?point ?id$/;
const CODE_ROW = /^meter ?code$/;
const DIRECTION_ROW = /^energy ?direction$/;
/** Id of the community in messages. */
const COMMUNITY_ROW = /^community ?id$/;
const HEADER_ROWS = 40;

/** The columns of a meter point that are of use, by the description or code of the market. */
const CONTENT: readonly [RegExp, string][] = [
  [/gesamtverbrauch lt|1\.9\.0 g\.01$/, "import"],
  [/^eigendeckung gemeinschaft|2\.9\.0 g\.03$/, "community"],
  [/1\.9\.0 p\.01$/, "residual"],
  [/gesamte gemeinschaftliche erzeugung|2\.9\.0 g\.01$/, "generation"],
  [/erzeugung lt\. messung entsprechend|2\.9\.0 g\.01t$/, "shared"],
  [/^restueberschuss|2\.9\.0 p\.01t?$/, "left"],
  [/gemeinschaftsueberschuss/, "surplus"],
];

export interface EnergyReport {
  series: RawSeries[];
  operator: string;
  /** Rows of producers with more left than there was. */
  differing: number;
}

/** Id of the community in the name of a file of the EDA user portal. */
const COMMUNITY = /(?:^|[^A-Za-z0-9])((?:RC|CC|GC)\d{5,8})(?![A-Za-z0-9])/;

/**
 * Reports of energy communities (EDA user portal, eegFaktura): a column per meter point and meter code. Derives the residual
 * draw (consumption − own coverage), what a producer delivered (its part of the generation − the rest of it) and its feed-in
 * without that. Undefined for any other table.
 */
export function readEnergyReport(table: Table, file: string): EnergyReport | undefined {
  const labels = table
    .slice(0, HEADER_ROWS)
    .map((row) => (typeof row?.[0] === "string" ? foldText(row[0]) : ""));
  const rowOf = (pattern: RegExp) => table[labels.findIndex((label) => pattern.test(label))];
  const [points, codes, directions] = [rowOf(POINT_ROW), rowOf(CODE_ROW), rowOf(DIRECTION_ROW)];
  if (points === undefined || codes === undefined) return undefined;
  const byPoint = new Map<string, Map<string, { value: number; quality: number | undefined }>>();
  for (let column = 1; column < points.length; column++) {
    const point = String(points[column] ?? "");
    const code = foldText(String(codes[column] ?? "")).replace(/ ?\[kwh\]$/, "");
    if (!/^AT\w{31}$/.test(point)) continue;
    const found = CONTENT.find(([pattern]) => pattern.test(code))?.[1];
    if (found === undefined) continue;
    const isProducer = /generation/i.test(String(directions?.[column] ?? ""));
    const content = found === "residual" && isProducer ? "left" : found;
    const quality = codes[column + 1] === "MM" ? column + 1 : undefined;
    const columns = byPoint.get(point) ?? new Map();
    byPoint.set(point, columns);
    if (!columns.has(content)) columns.set(content, { value: column, quality });
  }
  const name = file.split(/[\\/]/).at(-1)!;
  const community =
    COMMUNITY.exec(name.replaceAll("_", " "))?.[1] ?? (rowOf(COMMUNITY_ROW)?.[1] || undefined);
  const read = [...byPoint].map(([point, columns]) =>
    seriesOfPoint(table, columns, { point, communities: community === undefined ? [] : [String(community)] }),
  );
  const series = read.flatMap((one) => one.series);
  const differing = read.reduce((sum, one) => sum + one.differing, 0);
  return { series, differing, operator: /^metering ?pointid$/.test(labels[0] ?? "") ? "EDA" : "eegFaktura" };
}

type Columns = ReadonlyMap<string, { value: number; quality: number | undefined }>;

function seriesOfPoint(
  table: Table,
  columns: Columns,
  { point: meterPoint, communities }: { point: string; communities: readonly string[] },
): Pick<EnergyReport, "series" | "differing"> {
  const comma = hasDecimalComma(
    table,
    [...columns.values()].map(({ value }) => value),
  );
  const series = new Map<string, RawSeries>();
  let differing = 0;
  const seriesOf = (direction: MeterDirection, isDelivered: boolean): RawSeries => {
    const known = series.get(direction);
    if (known !== undefined) return known;
    const added: RawSeries = {
      name: direction,
      meterPoint,
      direction,
      isDelivered,
      // Draw and generation are one value, whatever the number of communities.
      communities: direction === "import" || direction === "generation" ? [] : communities,
      unit: "kWh",
      rows: [],
      dropped: 0,
      unreadable: 0,
      block: 0,
    };
    series.set(direction, added);
    return added;
  };
  for (const row of table) {
    const label = parseTimeLabel(row?.[0]);
    if (label === undefined) continue;
    const read = (name: string) => {
      const column = columns.get(name);
      const value = column === undefined ? undefined : parseNumber(row[column.value], comma);
      const mark = column?.quality === undefined ? "" : String(row[column.quality] ?? "");
      return { value: typeof value === "number" ? value : undefined, isEstimated: /^L[23]/i.test(mark) };
    };
    const add = (direction: MeterDirection, cell: ReturnType<typeof read>, isDelivered = false) =>
      seriesOf(direction, isDelivered).rows.push({ ...label, ...cell });
    const [drawn, covered, generated, left] = [
      read("import"),
      read("community"),
      read("generation"),
      read(columns.has("left") ? "left" : "surplus"),
    ];
    if (columns.has("import")) add("import", drawn);
    if (columns.has("community")) add("community", covered);
    if (columns.has("residual")) add("residual", read("residual"));
    else if (columns.has("import") && columns.has("community")) add("residual", minus(drawn, covered));
    if (columns.has("generation")) add("generation", generated);
    if (!columns.has("left") && !columns.has("surplus")) continue;
    const shared = columns.has("shared") ? read("shared") : generated;
    if (isMore(left, shared)) differing++;
    const isShared = columns.has("shared") || columns.has("generation");
    // With a part in the community, more than the rest of that part is left.
    const isWhole = isShared && columns.has("generation");
    add("export", isWhole ? minus(generated, minus(shared, left)) : left);
    if (isShared) add("community", minus(shared, left), true);
  }
  return { series: [...series.values()], differing };
}

/** Parts of a whole may differ from it by rounding, kWh. */
const ROUNDING_KWH = 0.0015;

function isMore(left: Measured, whole: Measured): boolean {
  return left.value !== undefined && whole.value !== undefined && left.value > whole.value + ROUNDING_KWH;
}

interface Measured {
  value: number | undefined;
  isEstimated: boolean;
}

function minus(a: Measured, b: Measured): Measured {
  const known = a.value !== undefined && b.value !== undefined;
  return {
    value: known ? Math.max(0, round6(a.value! - b.value!)) : undefined,
    isEstimated: a.isEstimated || b.isEstimated,
  };
}
