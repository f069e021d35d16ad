import { programModule } from "../../core/installation.js";
import { WorkError } from "../../core/work/work-error.js";
import { WorkPool } from "../../core/work/work-pool.js";
import type { MeterReading, ReadTask } from "./read-uploaded.js";
import type { ReaderTasks } from "./reader-worker.js";

/** Files of eleven years take about 3 s and 230 MB, on slow or busy machines more time; together with the gateway they fit into a container of 512 MB. */
const PROCESSOR_MS = 8000;
const TIME_MS = 60_000;
const MEMORY_MB = 260;
const NICENESS = 5;
/** A killed reading costs an upload; more than the optimizer's. */
const OUT_OF_MEMORY_SCORE = 900;
/** Forms of one account that may wait; each reads its files one after another. */
const WAITING_PER_OWNER = 5;

/** Reads uploaded meter files one at a time, the owners in turn, each in a process with limits of time and memory. */
export class MeterFileReader {
  readonly #pool = new WorkPool<ReaderTasks>({
    module: programModule("money/meter/reader-worker"),
    kind: "process",
    name: "The reader of meter files",
    timeMs: TIME_MS,
    processorMs: PROCESSOR_MS,
    memoryMb: MEMORY_MB,
    idleMs: 0,
    niceness: NICENESS,
    outOfMemoryScore: OUT_OF_MEMORY_SCORE,
    waitingPerOwner: WAITING_PER_OWNER,
  });

  /** Never rejects because of the content of the file. */
  async read(task: ReadTask, owner: string): Promise<MeterReading> {
    try {
      return await this.#pool.run("read", task, { owner });
    } catch (error) {
      if (error instanceof WorkError) return { fault: { code: "too_slow" } };
      throw error;
    }
  }

  /** Ends a reading in progress. */
  stop(): Promise<void> {
    return this.#pool.stop();
  }
}
