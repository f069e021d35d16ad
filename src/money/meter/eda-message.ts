import type { Cell, Table } from "./types.js";

/** Messages of many years have less; other XML is no message. */
const MOST_SERIES = 1000;

/**
 * The energy of a ConsumptionRecord message of the Austrian market (process CR_MSG; schema of ebutilities.at) as the table of an EDA
 * report: a column per meter code beside one with its quality. Undefined for any other text. Searched directly, because messages of a
 * year have 20 MB.
 */
export function messageTable(xml: string): Table | undefined {
  if (!/<(?:[\w.-]+:)?ConsumptionRecord[\s>]/.test(xml.slice(0, 4000))) return undefined;
  const points: Cell[] = ["MeteringPointId"];
  const codes: Cell[] = ["MeterCode"];
  const rows = new Map<string, Cell[]>();
  const columns = new Map<string, number>();
  let point = "";
  let community = "";
  for (const { name, attributes, body } of elementsOf(xml)) {
    if (name === "MeteringPoint") point = body;
    else if (name === "ECID") community = body;
    else if (name === "EnergyData") {
      const code = attribute(attributes, "MeterCode");
      if (!/^kwh$/i.test(attribute(attributes, "UOM")) || columns.size > MOST_SERIES) continue;
      const key = `${point} ${code}`;
      const column = columns.get(key) ?? points.length;
      columns.set(key, column);
      points[column] = point;
      points[column + 1] = undefined;
      codes[column] = `${code} [KWH]`;
      codes[column + 1] = "MM";
      readPositions(body, (time, energy, quality) => {
        const row = rows.get(time) ?? [time];
        rows.set(time, row);
        row[column] = energy;
        row[column + 1] = quality;
      });
    }
  }
  return [points, ["CommunityId", community], codes, ...rows.values()];
}

/** Elements of use, whatever their prefix, in the order of the text. */
function* elementsOf(xml: string): Generator<{ name: string; attributes: string; body: string }> {
  const open = /<((?:[\w.-]+:)?(MeteringPoint|ECID|EnergyData))(\s[^<>]*)?>/g;
  for (let tag = open.exec(xml); tag !== null; tag = open.exec(xml)) {
    const from = open.lastIndex;
    const end = xml.indexOf(`</${tag[1]}>`, from);
    if (end < 0) return;
    yield { name: tag[2]!, attributes: tag[3] ?? "", body: xml.slice(from, end).trim() };
    open.lastIndex = end;
  }
}

function attribute(text: string, name: string): string {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(text)?.[1]?.trim() ?? "";
}

/** Each position with its start, energy and quality. */
function readPositions(body: string, read: (time: string, energy: string, quality: string) => void): void {
  const part = /<(?:[\w.-]+:)?(DTF|MM|BQ)\s*>([^<]*)</g;
  let [time, quality] = ["", ""];
  for (let found = part.exec(body); found !== null; found = part.exec(body)) {
    const text = found[2]!.trim();
    if (found[1] === "DTF") [time, quality] = [text, ""];
    else if (found[1] === "MM") quality = text;
    else if (time !== "") read(time, text, quality);
  }
}
