import { readFileSync, writeFileSync } from "node:fs";

/** What is compared of a level with many sites. */
export interface Figures {
  sites: number;
  /** Processor time of the whole gateway for each stored sample before the full hour, ms. */
  cpuMsPerSample: number;
  cpuPct: number;
  cpuAfterPct: number;
  answersP99Ms: number;
  answersAfterP99Ms: number;
  /** Null: not all sites had a plan. */
  plansP99S: number | null;
  memoryMb: number;
}

export interface Release {
  version: string;
  levels: readonly Figures[];
}

const FILE = new URL("./released.json", import.meta.url);

const NAMES: readonly (readonly [Exclude<keyof Figures, "sites">, name: string])[] = [
  ["cpuMsPerSample", "processor time for a sample, ms"],
  ["cpuPct", "processor, % of a core"],
  ["cpuAfterPct", "… after the hour"],
  ["answersP99Ms", "answers p99, ms"],
  ["answersAfterP99Ms", "… after the hour"],
  ["plansP99S", "new plans after the hour p99, s"],
  ["memoryMb", "memory, MB"],
];

/** The figures of the last release. */
export function lastRelease(): Release {
  return JSON.parse(readFileSync(FILE, "utf8")) as Release;
}

/** Makes the figures those of a release. */
export function saveRelease(release: Release): void {
  writeFileSync(FILE, `${JSON.stringify(release, null, 2)}\n`);
}

/** A table of the levels that both have. */
export function comparisonOf(levels: readonly Figures[], { version, levels: before }: Release): string {
  const rows = levels.flatMap((now) => {
    const then = before.find(({ sites }) => sites === now.sites);
    if (then === undefined) return [];
    return NAMES.map(
      ([key, name]) => `| ${now.sites} | ${name} | ${textOf(then[key])} | ${textOf(now[key])} |`,
    );
  });
  return [`| sites | measured | ${version} | now |`, "|---|---|---|---|", ...rows].join("\n");
}

function textOf(value: number | null): string {
  return value === null ? "–" : String(Number(value.toPrecision(3)));
}
