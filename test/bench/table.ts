import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** One line of the table. */
export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  /** Empty where there is none. */
  goal: string;
}

const BEGIN = "<!-- npm run bench writes from here -->";
const END = "<!-- to here -->";

/** The lines as a table; `about` says on what machine. */
export function tableOf(lines: readonly BenchLine[], about: string): string {
  const rows = lines.map(
    ({ name, value, unit, goal }) => `| ${name} | ${value.toFixed(2)} ${unit} | ${goal} |`,
  );
  return ["## Speed", "", about, "", "| measured | value | goal |", "|---|---|---|", ...rows].join("\n");
}

/** Puts the text between the markers of a page; all else on the page stays. Without markers it comes behind the title. */
export function writeBetweenMarkers(page: URL, text: string): void {
  const held = existsSync(page) ? readFileSync(page, "utf8") : "# Performance\n";
  const block = `${BEGIN}\n${text}\n${END}`;
  const from = held.indexOf(BEGIN);
  const to = held.indexOf(END, from);
  const titleEnd = held.indexOf("\n") + 1;
  writeFileSync(
    page,
    from >= 0 && to >= 0
      ? held.slice(0, from) + block + held.slice(to + END.length)
      : `${held.slice(0, titleEnd)}\n${block}\n${held.slice(titleEnd)}`,
  );
}
