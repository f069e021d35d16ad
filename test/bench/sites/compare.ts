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

/** What is compared of a gateway with one home; null: not measured. */
export interface HomeFigures {
  startMs: number | null;
  idleMemoryMb: number | null;
  /** From a state of charge on MQTT to the outputs on their topic. */
  outputsP50Ms: number | null;
  outputsP99Ms: number | null;
}

export interface Release {
  version: string;
  home: HomeFigures;
  levels: readonly Figures[];
}

const FILE = new URL("./released.json", import.meta.url);

/** A name, and what 1,000 homes or one are to reach. */
type Row = readonly [name: string, goal?: number];

const NAMES: { readonly [Key in Exclude<keyof Figures, "sites">]: Row } = {
  cpuMsPerSample: ["processor time for a sample, ms"],
  cpuPct: ["processor, % of a core", 80],
  cpuAfterPct: ["… after the hour"],
  answersP99Ms: ["answers p99, ms", 500],
  answersAfterP99Ms: ["… after the hour", 500],
  plansP99S: ["new plans after the hour p99, s", 30],
  memoryMb: ["memory, MB", 2000],
};

const HOME_NAMES: { readonly [Key in keyof HomeFigures]: Row } = {
  startMs: ["start until an answer, ms", 1000],
  idleMemoryMb: ["memory at rest, MB", 100],
  outputsP50Ms: ["state of charge to outputs on MQTT p50, ms", 10],
  outputsP99Ms: ["… p99", 20],
};

/** The figures of the last release. */
export function lastRelease(): Release {
  return JSON.parse(readFileSync(FILE, "utf8")) as Release;
}

/** Makes the figures those of a release. */
export function saveRelease(release: Release): void {
  writeFileSync(FILE, `${JSON.stringify(release, null, 2)}\n`);
}

/** A table of the levels that both have, and of one home. */
export function comparisonOf({ home, levels }: Omit<Release, "version">, before: Release): string {
  const rows = levels.flatMap((now) => {
    const then = before.levels.find(({ sites }) => sites === now.sites);
    return then === undefined ? [] : rowsOf<Exclude<keyof Figures, "sites">>(now.sites, NAMES, then, now);
  });
  return [
    `| sites | measured | ${before.version} | now | goal of 1,000 sites and of one |`,
    "|---|---|---|---|---|",
    ...rows,
    ...rowsOf(1, HOME_NAMES, before.home, home),
  ].join("\n");
}

function rowsOf<Key extends string>(
  sites: number,
  names: Readonly<Record<Key, Row>>,
  then: Readonly<Record<Key, number | null>>,
  now: Readonly<Record<Key, number | null>>,
): string[] {
  return (Object.entries(names) as [Key, Row][]).map(
    ([key, [name, goal]]) =>
      `| ${sites} | ${name} | ${textOf(then[key])} | ${textOf(now[key])} | ${goal === undefined ? "" : `≤ ${goal}`} |`,
  );
}

function textOf(value: number | null): string {
  return value === null ? "–" : String(Number(value.toPrecision(3)));
}
