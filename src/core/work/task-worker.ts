import type { FromWorker } from "./serve-tasks.js";
import { WorkError } from "./work-error.js";
import { type ChannelOptions, startProcess, startThread, type WorkerChannel } from "./worker-channel.js";

/** A worker that is not ready after this time is ended: a small computer under load takes some seconds. */
const READY_WITHIN_MS = 60_000;
/** A process can fill more than its heap, with buffers or WebAssembly. */
const CHECK_MS = 30;

export interface WorkerOptions extends Omit<ChannelOptions, "onMessage" | "onEnd"> {
  kind: "thread" | "process";
  /** Sent once to the worker, for all of its tasks. */
  data: unknown;
}

/** A task for a worker. */
export interface WorkerTask {
  task: string;
  input: unknown;
  /** Budget of time from the moment at which the worker begins. */
  timeMs: number;
  /** Budget of processor time of a process. */
  processorMs: number;
  /** Moved to a thread instead of copied; unusable for the caller afterwards. */
  transfer: readonly ArrayBuffer[];
  onProgress(progress: number): void;
}

interface Run extends WorkerTask {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A thread or process that does one task at a time, within its budgets. */
export class TaskWorker {
  readonly #options: WorkerOptions;
  readonly #channel: WorkerChannel;
  readonly #ended: Promise<void>;
  #isReady = false;
  #isEnding = false;
  #hasEnded = false;
  #run: Run | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checkTimer: NodeJS.Timeout | undefined;
  /** Processor time of the process at the beginning of the task. */
  #processorMs = 0;

  /** Throws if the system starts no worker, or if the data cannot be copied. */
  constructor(options: WorkerOptions) {
    this.#options = options;
    const { promise, resolve } = withResolvers();
    this.#ended = promise;
    const start = options.kind === "thread" ? startThread : startProcess;
    this.#channel = start({
      ...options,
      onMessage: (message) => this.#onMessage(message),
      onEnd: (error) => {
        this.#isEnding = this.#hasEnded = true;
        this.#settle(({ reject }) => reject(error));
        resolve();
      },
    });
    this.#channel.setBusy(false);
    try {
      this.#channel.post({ start: { data: options.data, niceness: options.niceness } }, []);
    } catch (error) {
      this.#channel.kill();
      throw error;
    }
  }

  /** Whether it takes no more tasks. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Rejects with the error of the task, or with WorkError; the worker has then ended or is about to. */
  run(task: WorkerTask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#run = { ...task, resolve, reject };
      this.#channel.setBusy(true);
      if (this.#isReady) this.#begin();
      else this.#timer = setTimeout(() => this.#fail("time", "did not start in time."), READY_WITHIN_MS);
    });
  }

  /** Ends the worker; a task in progress is rejected with the error. */
  kill(error: WorkError): void {
    this.#settle(({ reject }) => reject(error));
    this.#isEnding = true;
    if (!this.#hasEnded) this.#channel.kill();
  }

  #begin(): void {
    if (this.#run === undefined) return;
    const { task, input, timeMs, transfer } = this.#run;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail("time", "did not answer in time."), timeMs);
    if (this.#options.kind === "process") {
      this.#processorMs = this.#channel.processorMs() ?? 0;
      this.#checkTimer = setInterval(() => this.#checkBudgets(this.#run), CHECK_MS);
    }
    try {
      this.#channel.post({ task, input }, transfer);
    } catch (error) {
      this.#settle(({ reject }) => reject(error));
    }
  }

  #onMessage(message: FromWorker): void {
    if ("ready" in message) {
      this.#isReady = true;
      this.#begin();
    } else if ("progress" in message) this.#run?.onProgress(message.progress);
    else if ("result" in message) this.#settle(({ resolve }) => resolve(message.result));
    else {
      this.#settle(({ reject }) => reject(message.error));
      // Without its tasks the worker is of no use.
      if (!this.#isReady) this.#fail("ended", "did not start.");
    }
  }

  #checkBudgets(run: Run | undefined): void {
    if (run === undefined) return;
    const usedMs = (this.#channel.processorMs() ?? 0) - this.#processorMs;
    if ((this.#channel.residentMb() ?? 0) > this.#options.memoryMb)
      this.#fail("memory", "needed too much memory.");
    else if (usedMs > run.processorMs) this.#fail("time", "needed too much processor time.");
  }

  #fail(fault: "time" | "memory" | "ended", sentence: string): void {
    this.kill(new WorkError(fault, `${this.#options.name} ${sentence}`));
  }

  #settle(how: (run: Run) => void): void {
    clearTimeout(this.#timer);
    clearInterval(this.#checkTimer);
    const run = this.#run;
    this.#run = undefined;
    if (!this.#hasEnded) this.#channel.setBusy(false);
    if (run !== undefined) how(run);
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
