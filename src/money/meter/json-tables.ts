import { parseTimeLabel } from "../../core/time/time-labels.js";
import { ASSUMED_KWH } from "./other-formats.js";
import { foldText } from "./text.js";
import type { Cell, Table } from "./types.js";

/** Deeper or further parts of a document are no series. */
const MOST_DEPTH = 8;
const MOST_TABLES = 50;
/** Names in documents, by the names of columns in tables. */
const NAMES: readonly [RegExp, string][] = [
  [/^(value|val|y|wert|messwert|energy|amount|quantity|menge|energiemenge|bq)$/, "Wert"],
  [/^((grid|energy) ?)?(import|consumption|draw)$|^(verbrauch|(netz)?bezug)$/, "Bezug"],
  [/^((grid|energy) ?)?(export|feed ?in)$|^(netz)?einspeisung$/, "Einspeisung"],
  [/^(unit|uom|einheit|mess einheit|measure ?unit|energy ?unit)$/, "Einheit"],
  [/^(metering ?point( ?(id|number))?|meter ?(id|point|number)|zaehlpunkt\w*)$/, "Zählpunkt"],
  [/^(obis( ?code)?|meter ?code)$/, "OBIS"],
  [/^((energy|flow) ?)?direction$|richtung$/, "Richtung"],
  [/^(quality|qualitaet|status|mm|method)$/, "Status"],
  [/^(from|start|begin|zeit von|von|dtf|interval start|period start|start (time|date|at))$/, "Beginn"],
  [/^(to|end|until|zeit bis|bis|dtt|interval end|period end|end (time|date|at))$/, "Ende"],
  [/^(x|t|ts|time|timestamp|date|date ?time|zeit|zeitpunkt|zeitstempel|datum|epoch)$/, "Zeit"],
];

type Facts = Readonly<Record<string, Cell>>;

/** The tables of a JSON document: lists of records or of pairs with a time, and lists of equal length; undefined if there are none. */
export function jsonTables(text: string): Table[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const tables: Table[] = [];
  collect(document, { depth: 0, facts: {}, tables });
  return tables.length === 0 ? undefined : joined(tables);
}

interface Search {
  depth: number;
  /** Unit, meter and direction of what surrounds a list. */
  facts: Facts;
  tables: Table[];
}

function collect(value: unknown, { depth, facts, tables }: Search): void {
  if (depth > MOST_DEPTH || typeof value !== "object" || value === null || tables.length >= MOST_TABLES)
    return;
  if (Array.isArray(value)) {
    const table = tableOfRecords(value, facts) ?? tableOfPairs(value, facts);
    if (table !== undefined) tables.push(table);
    else for (const one of value.slice(0, MOST_TABLES)) collect(one, { depth: depth + 1, facts, tables });
    return;
  }
  const record = value as Record<string, unknown>;
  const own = Object.entries(record).flatMap(([key, one]) => {
    const name = nameOf(key);
    return isCell(one) && ["Einheit", "Zählpunkt", "OBIS", "Richtung"].includes(name)
      ? [[name, one] as const]
      : [];
  });
  const surrounding = { ...facts, ...Object.fromEntries(own) };
  const table = tableOfLists(record, surrounding) ?? tableOfTimes(record, surrounding);
  if (table !== undefined) tables.push(table);
  else
    for (const one of Object.values(record)) collect(one, { depth: depth + 1, facts: surrounding, tables });
}

/** `[{ "from": …, "value": … }, …]`. */
function tableOfRecords(list: readonly unknown[], facts: Facts): Table | undefined {
  // Totals of days or meters stand beside the lists of their values.
  if (list.slice(0, 20).some(hasLists)) return undefined;
  const records = list.map(flat);
  const first = records[0];
  if (first === undefined || !hasTime(Object.values(first)) || !records.slice(0, 20).some(hasNumber))
    return undefined;
  const keys = [...new Set(records.slice(0, 20).flatMap((record) => Object.keys(record ?? {})))].slice(0, 60);
  return tableOf(
    keys.map(nameOf),
    records.map((record) => keys.map((key) => record?.[key])),
    facts,
  );
}

/** `[[1772323200000, 0.125], …]`. */
function tableOfPairs(list: readonly unknown[], facts: Facts): Table | undefined {
  const isPair = (one: unknown): one is Cell[] => Array.isArray(one) && one.length === 2 && one.every(isCell);
  if (list.length === 0 || !list.every(isPair) || !hasTime(list[0]!)) return undefined;
  return tableOf(["Zeit", "Wert"], list, facts);
}

/** `{ "timestamps": […], "values": […] }`. */
function tableOfLists(record: Record<string, unknown>, facts: Facts): Table | undefined {
  const lists = Object.entries(record).filter(
    (entry): entry is [string, Cell[]] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isCell),
  );
  const times = lists.find(([, list]) => hasTime([list[0]]));
  const others = lists.filter(([, list]) => list !== times?.[1] && list.length === times?.[1].length);
  if (times === undefined || others.length === 0) return undefined;
  const columns = [times, ...others];
  return tableOf(
    columns.map(([key], index) => (index === 0 && nameOf(key) !== "Ende" ? "Zeit" : nameOf(key))),
    times[1].map((_, row) => columns.map(([, list]) => list[row])),
    facts,
  );
}

const VALUES = ["Wert", "Bezug", "Einspeisung"];

/** `{ "2026-03-01T00:00:00Z": 0.125, … }`. */
function tableOfTimes(record: Record<string, unknown>, facts: Facts): Table | undefined {
  const entries = Object.entries(record);
  const isPair = (entry: [string, unknown]): entry is [string, Cell] =>
    hasTime([entry[0]]) && isCell(entry[1]);
  return entries.length > 1 && entries.every(isPair) ? tableOf(["Zeit", "Wert"], entries, facts) : undefined;
}

/** With the facts of what surrounds it as columns; values of an unknown unit have a name that says so. */
function tableOf(names: readonly string[], rows: Table, facts: Facts): Table {
  const added = Object.keys(facts).filter((name) => !names.includes(name));
  const hasUnit = names.includes("Einheit") || added.includes("Einheit");
  const header = names.map((name) => (VALUES.includes(name) && !hasUnit ? `${ASSUMED_KWH} ${name}` : name));
  return [[...header, ...added], ...rows.map((row) => [...row, ...added.map((name) => facts[name])])];
}

/** Lists with the same columns are parts of one table. */
function joined(tables: readonly Table[]): Table[] {
  const byHeader = new Map<string, (readonly Cell[])[]>();
  for (const table of tables) {
    const key = table[0]!.join("|");
    const known = byHeader.get(key);
    if (known === undefined) byHeader.set(key, [...table]);
    else for (const row of table.slice(1)) known.push(row);
  }
  return [...byHeader.values()];
}

/** The cells of a record and of records in it; undefined for anything else. */
function flat(value: unknown): Record<string, Cell> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const cells: Record<string, Cell> = {};
  for (const [key, one] of Object.entries(value)) {
    if (isCell(one)) cells[key] = one;
    else if (typeof one === "object" && !Array.isArray(one))
      for (const [inner, cell] of Object.entries(one as object))
        if (isCell(cell)) cells[inner in cells ? `${key} ${inner}` : inner] = cell;
  }
  return cells;
}

function hasLists(value: unknown): boolean {
  const isList = (one: unknown) => Array.isArray(one) && typeof one[0] === "object";
  return typeof value === "object" && value !== null && Object.values(value).some(isList);
}

/** Whether a record has more than a time, as the days of a list of days. */
function hasNumber(record: Record<string, Cell> | undefined): boolean {
  return Object.values(record ?? {}).some(
    (cell) => !hasTime([cell]) && (typeof cell === "number" || /^-?\d+([.,]\d+)?$/.test(cell ?? "")),
  );
}

function isCell(value: unknown): value is Cell {
  return value === null || typeof value === "string" || typeof value === "number";
}

function hasTime(cells: readonly Cell[]): boolean {
  return cells.some((cell) => {
    if (typeof cell === "number") return cell >= 1e9 && cell < 4.2e12;
    return /^\d{10}(\d{3})?$/.test(cell ?? "") || parseTimeLabel(cell) !== undefined;
  });
}

/** The name of a column for a key: `zeitVon` is "Beginn", `consumptionKwh` "consumption kwh". */
function nameOf(key: string): string {
  const words = foldText(key.replace(/([a-zäöü\d])([A-ZÄÖÜ])/g, "$1 $2").replace(/[_.-]+/g, " "));
  return NAMES.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}
