import type { LabelKind, MeterDirection } from "../../core/domain/meter.js";
import type { Label } from "../../core/time/time-labels.js";
import { type ColumnGroup, foldRow, type TableLayout } from "./header.js";
import { hasDecimalComma, parseNumber } from "./numbers.js";
import { type RowTime, RowTimes } from "./row-time.js";
import { foldText } from "./text.js";
import type { Cell, Table } from "./types.js";

/** A row of a series: its time and its value, undefined where the file has none. */
export interface RawRow extends Label {
  value: number | undefined;
  isEstimated: boolean;
}

/** Rows of one meter point and direction in file order, before clock changes and units are applied. */
export interface RawSeries {
  name: string;
  meterPoint: string | undefined;
  direction: MeterDirection | undefined;
  isDelivered: boolean;
  /** The whole feed-in, what was delivered to a community included. */
  isWhole?: boolean;
  /** Only tells whether a total of the file is right: the share of one community, or what is left of the feed-in. */
  check?: "part" | "left" | undefined;
  /** Communities that the values are shares of, as far as the file names them. */
  communities?: readonly string[];
  /** Code of the market in the rows. */
  code?: string;
  unit: string;
  /** The values are readings of a counter. */
  isCounter?: boolean;
  /** One of the two directions of a column with signs. */
  isSigned?: true;
  /** What header or rows say of the times. */
  label?: LabelKind | undefined;
  rows: RawRow[];
  dropped: number;
  unreadable: number;
  /** Number of the stacked block of the file, from 0. */
  block: number;
}

/** Number of a community behind the name of a column. */
const COMMUNITY_NUMBER = /\(kWh\) (\d+)$/i;
/** Numbers of meter points in Austria, Switzerland and Germany. */
const METER_POINT = /\b(AT|CH|DE)[0-9A-Z]{31}\b/;
/** Spans from here on are day values, ms. */
const DAY_SPAN_MS = 22 * 3_600_000;
const ESTIMATED =
  /^(?!(kein|nicht)\b).*(schaetz|ersatz|rechnerisch|fraglich|interpol|substitut|estimat|hochgerechnet|prognos|vorlaeufig|ungueltig|invalid|\bl[23]\b)|^est$/;
/** What a column with the mark of a substitute says of a measured value. */
const MEASURED = /^(nein|no|n|false|falsch)$/i;

/** Reads all rows below the header into series: one per value column, meter point, code and block. */
export function readRows(table: Table, layout: TableLayout): RawSeries[] {
  return new RowReader(table, layout).read();
}

class RowReader {
  readonly #table: Table;
  readonly #layout: TableLayout;
  readonly #comma: boolean;
  readonly #times: RowTimes;
  readonly #series = new Map<string, RawSeries>();
  /** Folded text of the lines without a time: titles, addresses, codes. */
  #context = "";
  #contextPoint: string | undefined;
  #lastPoint = "";
  #block = 0;

  constructor(table: Table, layout: TableLayout) {
    this.#table = table;
    this.#layout = layout;
    const { groups, substitute, parts } = layout;
    const columns = [...groups.map(({ value }) => value), ...parts];
    if (substitute !== undefined) columns.push(substitute);
    const below = table.slice(layout.headerRow + 1);
    this.#comma = hasDecimalComma(below, columns);
    this.#times = new RowTimes(below, layout);
  }

  read(): RawSeries[] {
    const { headerRow, header, groups } = this.#layout;
    for (const row of this.#table.slice(0, headerRow)) this.#remember(row);
    this.#contextPoint ??= this.#pointIn(this.#table[headerRow]!);
    for (const row of this.#table.slice(headerRow + 1)) {
      if (!row) continue;
      const labels = this.#times.of(row);
      if (labels.every((label) => label === undefined)) {
        if (foldRow(row).join(";") === header.join(";")) {
          this.#block++;
          continue;
        }
        this.#otherRow(row);
        continue;
      }
      for (const [index, group] of groups.entries()) {
        const label = labels[index];
        if (label !== undefined) this.#take(row, group, label);
      }
    }
    return [...this.#series.values()];
  }

  /** A row without a time: blank, a title of the next block, or a total. */
  #otherRow(row: readonly Cell[]): void {
    if (row.every((cell) => cell === undefined || cell === null || cell === "")) return;
    const series = [...this.#series.values()].findLast(({ check }) => check === undefined);
    const values = this.#layout.groups.map(({ value }) => parseNumber(row[value], this.#comma));
    if (series !== undefined && values.some((value) => typeof value === "number")) series.dropped++;
    else this.#remember(row);
  }

  #remember(row: readonly Cell[]): void {
    const point = this.#pointIn(row);
    // A new block of the file has titles of its own.
    if (this.#series.size > 0 && point !== undefined) this.#context = "";
    this.#contextPoint = point ?? this.#contextPoint;
    this.#context += ` ${foldRow(row).join(" ")}`;
  }

  #pointIn(row: readonly Cell[]): string | undefined {
    for (const cell of row) {
      const match = typeof cell === "string" ? METER_POINT.exec(cell) : null;
      if (match !== null) return match[0];
    }
    return undefined;
  }

  #take(row: readonly Cell[], group: ColumnGroup, { label, end, isRange }: RowTime) {
    const { substitute, counters, parts, unit } = this.#layout;
    const series = this.#seriesOf(row, group, unit === undefined ? undefined : row[unit]);
    if (isRange) series.label = "start";
    if (end !== undefined && end.ms - label.ms >= DAY_SPAN_MS) {
      series.dropped++;
      return;
    }
    let value = parseNumber(row[group.value], this.#comma);
    let isEstimated = group.status !== undefined && ESTIMATED.test(foldText(String(row[group.status] ?? "")));
    if (substitute !== undefined) {
      const cell = row[substitute];
      const replacement =
        typeof cell === "string" && MEASURED.test(cell) ? "missing" : parseNumber(cell, this.#comma);
      if (value === "missing" && typeof replacement === "number") value = replacement;
      else if (typeof value !== "number" || replacement === "missing" || replacement === 0)
        isEstimated = isEstimated && typeof value === "number";
      if (replacement !== "missing" && replacement !== 0 && typeof value === "number") isEstimated = true;
    }
    const sum = parts.reduce(
      (total, part) => total + (numberOf(parseNumber(row[part], this.#comma)) ?? 0),
      0,
    );
    if (sum > 0 && (value === "missing" || value === 0)) value = sum;
    const isZeroRow =
      counters.length > 0 && counters.every((counter) => numberOf(parseNumber(row[counter], false)) === 0);
    if (value === 0 && isZeroRow) value = "missing";
    if (value === undefined) series.unreadable++;
    series.rows.push({
      ms: label.ms,
      isUtc: label.isUtc,
      value: numberOf(value),
      isEstimated: isEstimated && typeof value === "number",
    });
  }

  #seriesOf(row: readonly Cell[], group: ColumnGroup, unitCell: Cell): RawSeries {
    const { meterPoint, code, group: community } = this.#layout;
    // Some files name the meter point in the first row only.
    if (meterPoint !== undefined && row[meterPoint]) this.#lastPoint = String(row[meterPoint]);
    const codeText = code === undefined ? "" : foldText(String(row[code] ?? ""));
    const communityText = community === undefined ? "" : String(row[community] ?? "");
    const key = `${group.value}|${this.#lastPoint}|${codeText}|${communityText}|${this.#block}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const ownPoint = METER_POINT.exec(group.name)?.[0];
    const direction =
      group.column.direction ??
      directionOf(codeText) ??
      directionOf(/1\.9\.0 p\.01/.test(this.#context) ? "" : this.#codesOf(this.#context)) ??
      directionOf(foldText(group.name.replace(METER_POINT, ""))) ??
      directionOf(this.#context);
    const series: RawSeries = {
      name: group.name,
      meterPoint: this.#lastPoint || ownPoint || this.#contextPoint,
      direction: direction === "ignore" ? undefined : direction,
      isDelivered: group.column.isDelivered === true,
      isWhole: group.column.isWhole === true,
      check: group.column.check,
      communities: communityOf(communityText || group.name.match(COMMUNITY_NUMBER)?.[1]),
      code: codeText,
      unit: meterUnit(unitCell, group.name),
      label: group.label,
      isCounter: this.#layout.format.isCounter === true,
      rows: [],
      dropped: 0,
      unreadable: 0,
      block: this.#block,
    };
    this.#series.set(key, series);
    if (direction === "ignore") series.block = -1;
    return series;
  }

  /** Direction words and codes of the lines above the header, without those of addresses. */
  #codesOf(context: string): string {
    return (
      /\d\.\d\.\d( [gp]\.\d\d\w?)?|energierichtung \w+( \w+)?|lieferrichtung: \w+/.exec(context)?.[0] ?? ""
    );
  }
}

function communityOf(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : [text];
}

function numberOf(value: number | "missing" | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

const UNITS = ["kWh", "MWh", "Wh", "kW", "W"] as const;

/** The unit in the row, else in the header; kWh where neither says one. */
export function meterUnit(cell: Cell, header: string): string {
  const text = typeof cell === "string" && cell !== "" ? cell : header;
  const words = text.replace(/[_[\]()]/g, " ").toLowerCase();
  // A name of a customer before the unit may have a W, too.
  const unit = UNITS.find((one) => new RegExp(`\\b${one}\\b`, "i").test(words));
  return unit ?? /\beuro?\b|€/.exec(words)?.[0].toUpperCase() ?? "kWh";
}

/** Words and codes of the market that tell the direction, first match wins; undefined stands for "not of use". */
const DIRECTIONS: readonly [RegExp, MeterDirection | "ignore"][] = [
  [
    /g\.0[123]t\b|g\.03r|g\.02|ideeller|anteil gemeinschaft|erneuerb|teilnahmefaktor|eigenverbrauch|direktverbrauch|kvarh/,
    "ignore",
  ],
  [/1\.9\.0 p\.01|restnetzbezug|restverbrauch|restbezug/, "residual"],
  [/2\.9\.0 p\.01|restnetzlieferung|restueberschuss/, "export"],
  [/2\.9\.0 g\.03|eigendeckung/, "community"],
  [/1\.9\.0 g\.01|(^|[^\d.])1\.(8|29)\.\d|(^|[ (])(\+a|a\+)($|[ [(])/, "import"],
  [
    /2\.9\.0|(^|[^\d.])2\.(8|29)\.\d|(^|[ (])(-a|a-)($|[ [(])|einspeis|rueckspeis|return|lieferung|ueberschuss|erzeug|produ[ck]tion|feed-?in|export/,
    "export",
  ],
  [/verbrauch|bezug|lastg|consumption|import|entnahme|vorschub/, "import"],
];

/** The direction that a folded text names; undefined when it names none. */
export function directionOf(text: string): MeterDirection | "ignore" | undefined {
  return DIRECTIONS.find(([pattern]) => pattern.test(text))?.[1];
}
