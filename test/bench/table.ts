import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** One line of the table. */
export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  /** Empty without a goal. */
  goal: string;
}

const BEGIN = "<!-- npm run bench writes from here -->";
const END = "<!-- to here -->";

/** The lines as a Markdown table; `about` describes the machine. */
export function tableOf(lines: readonly BenchLine[], about: string): string {
  const rows = lines.map(
    ({ name, value, unit, goal }) => `| ${name} | ${value.toFixed(2)} ${unit} | ${goal} |`,
  );
  return ["## Speed", "", about, "", "| measured | value | goal |", "|---|---|---|", ...rows].join("\n");
}

/** Replaces the text between the markers of a page. Without markers the text is inserted after the title. */
export function writeBetweenMarkers(page: URL, text: string): void {
  const current = existsSync(page) ? readFileSync(page, "utf8") : "# Performance\n";
  const block = `${BEGIN}\n${text}\n${END}`;
  const from = current.indexOf(BEGIN);
  const to = current.indexOf(END, from);
  const titleEnd = current.indexOf("\n") + 1;
  writeFileSync(
    page,
    from >= 0 && to >= 0
      ? current.slice(0, from) + block + current.slice(to + END.length)
      : `${current.slice(0, titleEnd)}\n${block}\n${current.slice(titleEnd)}`,
  );
}
