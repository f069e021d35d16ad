import { parentPort, workerData } from "node:worker_threads";
import { errorMessage } from "../../../src/core/error-message.js";
import { seeded } from "../../support/random.js";
import { Corpus } from "./corpus.js";
import { NewCode } from "./coverage.js";
import { parserTargets } from "./targets.js";

/** What a thread is told, and where it shows its progress: the number of inputs, the length of the current one, the input. */
export interface ParserTask {
  target: string;
  seed: number;
  seconds: number;
  progress: SharedArrayBuffer;
}

export interface ParserFinding {
  message: string;
  /** Base64. */
  input: string;
}

/** Inputs between two questions for new code. */
const BATCH = 20;
const MOST_FINDINGS = 3;

const { target: name, seed, seconds, progress } = workerData as ParserTask;
const target = parserTargets.find((one) => one.name === name)!;
const numbers = new Int32Array(progress, 0, 2);
const shown = Buffer.from(progress, 8);
const random = seeded(seed);
const corpus = new Corpus(target.seeds(), target.words);
const newCode = new NewCode();
// The spreadsheet library prints what it does not know.
console.error = () => {};
const untilMs = performance.now() + seconds * 1000;
let findings = 0;

const report = (message: string, input: Buffer) => {
  findings++;
  parentPort!.postMessage({ message, input: input.toString("base64") } satisfies ParserFinding);
};
while (performance.now() < untilMs && findings < MOST_FINDINGS) {
  const batch: Buffer[] = [];
  for (let left = BATCH; left > 0; left--) {
    const input = corpus.next(random);
    batch.push(input);
    input.copy(shown);
    numbers[1] = input.length;
    Atomics.add(numbers, 0, 1);
    const before = process.cpuUsage();
    try {
      await target.run(input);
    } catch (error) {
      if (!target.isRefusal(error))
        report(error instanceof Error ? (error.stack ?? error.message) : errorMessage(error), input);
    }
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms > target.limitMs) report(`took ${Math.round(ms)} ms of processor time`, input);
  }
  if (newCode.ran()) for (const input of batch) corpus.add(input);
}
