import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { parserTargets } from "./targets.js";
import type { ParserFinding, ParserTask } from "./worker.js";

/**
 * Feeds the parsers of what strangers send with mutated input, guided by coverage: each either reads it or refuses it with its
 * own error, within its time and 512 MB.
 */
const argument = (name: string, standard: number) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? standard : Number(process.argv[at + 1]);
};
const minutes = argument("--minutes", 3);
const seed = argument("--seed", Date.now() % 1_000_000);
/** Processor time without progress after which a parser counts as one that does not end. */
const HANGS_AFTER_MS = 20_000;
const MEMORY_MB = 512;
const LARGEST_INPUT = 1024 * 1024;

async function attack(
  target: string,
  seconds: number,
): Promise<{ inputs: number; findings: ParserFinding[] }> {
  const progress = new SharedArrayBuffer(8 + LARGEST_INPUT);
  const numbers = new Int32Array(progress, 0, 2);
  const current = () => Buffer.from(Buffer.from(progress, 8, numbers[1]!)).toString("base64");
  const findings: ParserFinding[] = [];
  const module = JSON.stringify(new URL("./worker.ts", import.meta.url));
  const program = `import("tsx/esm/api").then(({ register }) => { register(); return import(${module}); });`;
  const worker = new Worker(program, {
    eval: true,
    workerData: { target, seed, seconds, progress } satisfies ParserTask,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.on("message", (finding: ParserFinding) => findings.push(finding));
  worker.on("error", (error) => findings.push({ message: `ended: ${error.message}`, input: current() }));
  let [before, since] = [-1, process.cpuUsage()];
  const timer = setInterval(() => {
    const count = Atomics.load(numbers, 0);
    const { user, system } = process.cpuUsage(since);
    if (count !== before) [before, since] = [count, process.cpuUsage()];
    else if (count > 0 && (user + system) / 1000 > HANGS_AFTER_MS) {
      findings.push({ message: `does not end within ${HANGS_AFTER_MS / 1000} s`, input: current() });
      void worker.terminate();
    }
  }, 1_000);
  await new Promise((resolve) => worker.once("exit", resolve));
  clearInterval(timer);
  return { inputs: Atomics.load(numbers, 0), findings };
}

console.log(`Parsers: ${minutes} minutes, seed ${seed}.`);
const chosen = parserTargets.filter(
  ({ name }) => !process.argv.includes("--target") || process.argv.includes(name),
);
for (const { name } of chosen) {
  const { inputs, findings } = await attack(name, (minutes * 60) / chosen.length);
  console.log(`${findings.length === 0 ? "ok    " : "FAILED"} ${name}: ${inputs} inputs`);
  for (const { message, input } of findings) {
    const file = join(mkdtempSync(join(tmpdir(), "hourgate-fuzz-")), "input");
    writeFileSync(file, Buffer.from(input, "base64"));
    console.log(`  ${message}\n  input: ${file}`);
  }
  if (findings.length > 0) process.exitCode = 1;
}
