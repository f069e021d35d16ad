import type { MeterFault, MeterSeries } from "../../core/domain/meter.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { TaskThread, ThreadEndedError } from "../../core/work/worker-thread.js";
import type { ColumnMapping, ColumnPreview } from "./columns.js";

/** A file to read; with named columns when its format is unknown. */
export interface ReadTask {
  bytes: Uint8Array;
  file: string;
  mapping?: ColumnMapping;
}

/** What a file holds, or why it cannot be read, with its first rows when columns can be named. */
export type MeterReading = { series: MeterSeries[] } | { fault: MeterFault; preview?: ColumnPreview };

/** The largest file takes about 10 s and 300 MB. */
const READ_WITHIN_MS = 30_000;
const MOST_MEMORY_MB = 500;

/** Reads uploaded meter files one at a time, each in a thread with limits of time and memory. */
export class MeterFileReader {
  readonly #queue = new SerialQueue();
  readonly #threads = new Set<TaskThread<ReadTask, MeterReading>>();
  #isStopped = false;

  /** Never rejects because of the content of the file. */
  read(task: ReadTask): Promise<MeterReading> {
    return this.#queue.run(() => (this.#isStopped ? tooSlow() : this.#readInThread(task)));
  }

  /** Ends a reading in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  async #readInThread(task: ReadTask): Promise<MeterReading> {
    const thread = new TaskThread<ReadTask, MeterReading>(new URL("./reader-thread.js", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    });
    this.#threads.add(thread);
    const timer = setTimeout(() => void thread.stop(), READ_WITHIN_MS);
    try {
      return await thread.run(task);
    } catch (error) {
      const isOutOfMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
      if (isOutOfMemory || error instanceof ThreadEndedError) return tooSlow();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#threads.delete(thread);
      void thread.stop();
    }
  }
}

function tooSlow(): MeterReading {
  return { fault: { code: "too_slow" } };
}
