import type { ChildProcess } from "node:child_process";
import { startBackgroundProcess } from "../../core/work/background-process.js";
import type { DevicePlan, DevicePlanInput } from "../devices/plan-devices.js";
import type { OptimizerAnswer } from "./answer.js";
import type { OptimizerRequest } from "./request.js";

/** Message to the solver process. */
export type SolverTask =
  | { kind: "evcc"; request: OptimizerRequest; limitSeconds: number }
  | { kind: "devices"; input: DevicePlanInput };

/** Message of the solver process. */
export type SolverAnswer = { answer: OptimizerAnswer | DevicePlan } | { failure: string };

/** The queue is full. */
export class OptimizerBusyError extends Error {}

/** The solver process failed or did not answer in time. */
export class OptimizerFailure extends Error {}

export interface OptimizerServiceOptions {
  /** Time limit of the solver for one request, s. */
  limitSeconds?: number;
  /** Time without a request after which the process ends, s. */
  idleSeconds?: number;
  /** Time beyond the limit after which the process is killed, s. */
  graceSeconds?: number;
}

interface Job {
  task: SolverTask;
  /** Who asks; one waiting request each. */
  client: string;
  signal: AbortSignal;
  resolve(answer: OptimizerAnswer | DevicePlan): void;
  reject(error: Error): void;
}

/** Requests of evcc that wait while one is solved. */
const MOST_WAITING = 4;

/**
 * Solves requests one at a time in a child process, which starts with the first request and ends when it is idle. So the
 * gateway stays responsive and returns the memory of the solver to the system.
 */
export class OptimizerService {
  readonly #limitSeconds: number;
  readonly #idleSeconds: number;
  readonly #graceSeconds: number;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ limitSeconds = 4, idleSeconds = 60, graceSeconds = 15 }: OptimizerServiceOptions = {}) {
    this.#limitSeconds = limitSeconds;
    this.#idleSeconds = idleSeconds;
    this.#graceSeconds = graceSeconds;
  }

  /**
   * Solves a request. `client` names who asks: a client has one waiting request at most. Rejects with OptimizerBusyError or
   * OptimizerFailure; a request whose `signal` is aborted while it waits is dropped.
   */
  optimise(request: OptimizerRequest, from: Pick<Job, "client" | "signal">): Promise<OptimizerAnswer> {
    const task: SolverTask = { kind: "evcc", request, limitSeconds: this.#limitSeconds };
    return this.#solve(task, from) as Promise<OptimizerAnswer>;
  }

  /** Plans the devices of a site together with its battery. Rejects as `optimise`. */
  planDevices(input: DevicePlanInput, from: Pick<Job, "client" | "signal">): Promise<DevicePlan> {
    return this.#solve({ kind: "devices", input }, from) as Promise<DevicePlan>;
  }

  #solve(task: SolverTask, { client, signal }: Pick<Job, "client" | "signal">): Promise<unknown> {
    if (this.#isStopped) return Promise.reject(new OptimizerFailure("The gateway is stopping."));
    const requests = this.#waiting.filter((job) => job.task.kind === task.kind).length;
    // Devices are planned once a site; how many sites there are is up to the owner.
    const isFull = task.kind === "evcc" && requests >= MOST_WAITING;
    if (isFull || this.#waiting.some((job) => job.client === client)) {
      return Promise.reject(new OptimizerBusyError("The optimizer is busy: try again in 30 seconds."));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, client, signal, resolve, reject });
      this.#next();
    });
  }

  /** Rejects what waits and ends the process. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#waiting.splice(0)) job.reject(new OptimizerFailure("The gateway is stopping."));
    await this.#end();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    let job = this.#waiting.shift();
    while (job?.signal.aborted) {
      job.reject(new OptimizerFailure("The client has disconnected."));
      job = this.#waiting.shift();
    }
    clearTimeout(this.#timer);
    if (job === undefined) {
      this.#timer = setTimeout(() => this.#end(), this.#idleSeconds * 1000).unref();
      return;
    }
    this.#running = job;
    this.#timer = setTimeout(
      () => this.#child?.kill("SIGKILL"),
      (this.#limitSeconds + this.#graceSeconds) * 1000,
    ).unref();
    // Errors are handled in `exit`.
    this.#process().send(job.task, () => {});
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#running;
    this.#running = undefined;
    if (job !== undefined) settle(job);
    this.#next();
  }

  #process(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = startBackgroundProcess(new URL("./solver-process.js", import.meta.url));
    // An idle solver does not keep the gateway running.
    child.unref();
    child.channel?.unref();
    this.#child = child;
    child.on("message", (message: SolverAnswer) =>
      this.#finish((job) =>
        "answer" in message ? job.resolve(message.answer) : job.reject(new OptimizerFailure(message.failure)),
      ),
    );
    const onEnd = (reason: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#finish((job) => job.reject(new OptimizerFailure(reason)));
    };
    child.on("error", (error) => {
      // Failed messages are errors too; only a process that did not start has no exit event.
      if (child.pid === undefined) onEnd(error.message);
    });
    child.once("exit", (code, signal) =>
      onEnd(
        signal === "SIGKILL"
          ? "The solver did not answer in time."
          : `The solver ended with ${signal ?? `code ${code}`}.`,
      ),
    );
    return child;
  }

  /** Ends the process, with the running request. */
  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    this.#running?.reject(new OptimizerFailure("The gateway is stopping."));
    this.#running = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGKILL");
    await exited;
  }
}
