import { FairQueue } from "./fair-queue.js";
import type { Tasks } from "./serve-tasks.js";
import { TaskWorker, type WorkerOptions } from "./task-worker.js";
import { WorkError } from "./work-error.js";

/** A worker that cannot be ended, for example in a call of the operating system, does not delay the end of the gateway. */
const STOP_WITHIN_MS = 5000;

export interface WorkPoolOptions {
  /** The compiled module of the workers, which calls `serveTasks`. */
  module: URL;
  /**
   * A process for data from outside, for memory that is not on the heap of JavaScript, and for the lowest priority: a thread
   * that exceeds a limit of V8 ends the whole gateway, and one that fills buffers has no limit. A thread for the rest.
   */
  kind: "thread" | "process";
  /** Beginning of sentences about the workers: "The solver". */
  name: string;
  /** Workers, each with one task at a time; default 1. */
  atOnce?: number;
  /** Budget of time of a task, from the moment at which its worker begins. */
  timeMs: number;
  /** Budget of processor time of a task, of a process on Linux; default: any. */
  processorMs?: number;
  /** Budget of memory of a task: of a process everything, of a thread its heap. */
  memoryMb: number;
  /** Workers without a task end after this time; default a minute. 0: after each task. */
  idleMs?: number;
  /** Default 0. */
  niceness?: number;
  /** Of a process; see `volunteerForOutOfMemory`. */
  outOfMemoryScore?: number;
  /** Tasks of one owner that may wait; default 1. */
  waitingPerOwner?: number;
  /** Tasks that may wait, without urgent ones; default any number. */
  mostWaiting?: number;
  /** A task that waits longer is rejected as `busy`; default: never. */
  waitMs?: number;
  /** Copied to each worker once, for all of its tasks. */
  data?: unknown;
}

export interface RunOptions {
  /** Who asks, usually an account: owners are served in turn. */
  owner: string;
  /** Goes before all tasks that are not urgent. */
  urgent?: boolean;
  /** Cancels the task, also while it is in progress. */
  signal?: AbortSignal | undefined;
  /** Buffers within the input that are moved to a thread instead of copied. */
  transfer?: readonly ArrayBuffer[];
  onProgress?: (progress: number) => void;
}

interface Job extends Required<Omit<RunOptions, "signal">> {
  task: string;
  input: unknown;
  signal: AbortSignal | undefined;
  timer: NodeJS.Timeout | undefined;
  onAbort(): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Runs named tasks in threads or processes, with budgets of time and memory, and with a queue that is fair to all owners. */
export class WorkPool<Named extends Tasks> {
  readonly #options: WorkPoolOptions;
  readonly #workerOptions: WorkerOptions;
  readonly #urgent = new FairQueue<Job>();
  readonly #waiting = new FairQueue<Job>();
  readonly #workers = new Set<TaskWorker>();
  /** Workers without a task, with the timers that end them. */
  readonly #idle = new Map<TaskWorker, NodeJS.Timeout>();
  #isStopped = false;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
    this.#workerOptions = { niceness: 0, outOfMemoryScore: undefined, data: undefined, ...options };
  }

  /** Number of tasks that would start at once. */
  get free(): number {
    const { atOnce = 1 } = this.#options;
    return this.#isStopped ? 0 : atOnce - this.#workers.size + this.#idle.size;
  }

  /** Starts a worker that a task is about to need; without success the task says why. */
  prepare(): void {
    if (this.free === 0 || this.#idle.size > 0) return;
    try {
      this.#release(this.#worker());
    } catch {}
  }

  /** Rejects with an error that the task throws, or with WorkError. */
  run<Name extends keyof Named & string>(
    task: Name,
    input: Parameters<Named[Name]>[0],
    { owner, urgent = false, signal, transfer = [], onProgress = () => {} }: RunOptions,
  ): Promise<Awaited<ReturnType<Named[Name]>>> {
    return new Promise((resolve, reject) => {
      const job: Job = {
        ...{ task, input, owner, urgent, signal, transfer, onProgress, reject },
        resolve: (result) => resolve(result as Awaited<ReturnType<Named[Name]>>),
        timer: undefined,
        onAbort: () => this.#refuse(job, this.#cancelled()),
      };
      if (this.#isStopped) return reject(this.#stopped());
      if (signal?.aborted) return reject(this.#cancelled());
      if (this.#isFullFor(job)) return reject(this.#busy());
      signal?.addEventListener("abort", job.onAbort);
      if (this.#options.waitMs !== undefined)
        job.timer = setTimeout(() => this.#refuse(job, this.#busy()), this.#options.waitMs);
      this.#queueOf(job).push(owner, job);
      this.#startNext();
    });
  }

  /** Rejects what waits and what is in progress, and ends the workers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const queue of [this.#urgent, this.#waiting])
      for (let job = queue.shift(); job !== undefined; job = queue.shift())
        this.#reject(job, this.#stopped());
    const ends = [...this.#workers].map((worker) => {
      worker.kill(this.#stopped());
      return worker.ended;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_WITHIN_MS);
    });
    await Promise.race([Promise.all(ends), late]);
    clearTimeout(timer);
  }

  #queueOf({ urgent }: Job): FairQueue<Job> {
    return urgent ? this.#urgent : this.#waiting;
  }

  #isFullFor(job: Job): boolean {
    const { waitingPerOwner = 1, mostWaiting = Infinity } = this.#options;
    const queue = this.#queueOf(job);
    return queue.sizeOf(job.owner) >= waitingPerOwner || (!job.urgent && queue.size >= mostWaiting);
  }

  #startNext(): void {
    while (this.free > 0) {
      const job = this.#urgent.shift() ?? this.#waiting.shift();
      if (job === undefined) return;
      clearTimeout(job.timer);
      job.signal?.removeEventListener("abort", job.onAbort);
      void this.#run(job);
    }
  }

  async #run(job: Job): Promise<void> {
    let worker: TaskWorker | undefined;
    const onAbort = () => worker?.kill(this.#cancelled());
    let settle: () => void;
    try {
      worker = this.#worker();
      job.signal?.addEventListener("abort", onAbort);
      const { timeMs, processorMs = Number.POSITIVE_INFINITY } = this.#options;
      const result = await worker.run({ ...job, timeMs, processorMs });
      settle = () => job.resolve(result);
    } catch (error) {
      settle = () => job.reject(error);
    }
    job.signal?.removeEventListener("abort", onAbort);
    if (worker !== undefined) this.#release(worker);
    settle();
    this.#startNext();
  }

  /** A worker without a task. Throws if none can be started. */
  #worker(): TaskWorker {
    const [found] = this.#idle;
    if (found !== undefined) {
      const [worker, timer] = found;
      clearTimeout(timer);
      this.#idle.delete(worker);
      return worker;
    }
    const worker = new TaskWorker(this.#workerOptions);
    this.#workers.add(worker);
    void worker.ended.then(() => {
      clearTimeout(this.#idle.get(worker));
      this.#idle.delete(worker);
      this.#workers.delete(worker);
      this.#startNext();
    });
    return worker;
  }

  #release(worker: TaskWorker): void {
    const { idleMs = 60_000 } = this.#options;
    if (worker.isEnding) return;
    const end = () => worker.kill(this.#stopped());
    if (idleMs === 0) end();
    else this.#idle.set(worker, setTimeout(end, idleMs).unref());
  }

  /** Rejects a job that waits. */
  #refuse(job: Job, error: WorkError): void {
    if (this.#queueOf(job).remove(job.owner, job)) this.#reject(job, error);
  }

  #reject(job: Job, error: WorkError): void {
    clearTimeout(job.timer);
    job.signal?.removeEventListener("abort", job.onAbort);
    job.reject(error);
  }

  #busy(): WorkError {
    return new WorkError("busy", `${this.#options.name} is busy: try again later.`);
  }

  #cancelled(): WorkError {
    return new WorkError("cancelled", `${this.#options.name} was cancelled.`);
  }

  #stopped(): WorkError {
    return new WorkError("stopped", "The gateway is stopping.");
  }
}
