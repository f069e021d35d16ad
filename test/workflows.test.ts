import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  uses?: string;
  run?: string;
}
interface Job {
  uses?: string;
  permissions?: Record<string, string>;
  steps?: Step[];
}

const folder = resolve(import.meta.dirname, "../.github/workflows");
const jobs = readdirSync(folder).flatMap((file) => {
  const workflow = parse(readFileSync(resolve(folder, file), "utf8")) as { jobs: Record<string, Job> };
  return Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file} ${name}`, job }));
});
const steps = jobs.flatMap(({ job }) => job.steps ?? []);

it("workflows use actions by their commit, which nobody can move", () => {
  const used = [...jobs.map(({ job }) => job.uses), ...steps.map(({ uses }) => uses)];
  const foreign = used.filter((one) => one !== undefined && !one.startsWith("./"));
  expect(foreign.length).toBeGreaterThan(10);
  expect(foreign.filter((one) => !/@[0-9a-f]{40}$/.test(one!))).toEqual([]);
});

it("no install script runs in a job that may write or has a token", () => {
  const trusted = jobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes("write"));
  expect(trusted.map(({ name }) => name)).toContain("release.yml npm");
  const commands = trusted.flatMap(({ job }) =>
    (job.steps ?? []).flatMap(({ run = "" }) => run.split(/\n|&&/)),
  );
  const npm = commands.filter((command) => /\bnpm (ci|install|publish)\b/.test(command));
  expect(npm.length).toBeGreaterThan(1);
  expect(npm.filter((command) => !command.includes("--ignore-scripts"))).toEqual([]);
});

it("known vulnerabilities of dependencies fail the run", () => {
  expect(steps.some(({ run = "" }) => /^npm audit .*--audit-level=high$/.test(run))).toBe(true);
  expect(steps.some(({ uses = "" }) => uses.startsWith("actions/dependency-review-action@"))).toBe(true);
});
