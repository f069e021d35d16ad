import { programModule } from "../../core/installation.js";
import { WorkPool, type WorkPoolOptions } from "../../core/work/work-pool.js";
import type { DevicePlan, DevicePlanInput } from "../devices/plan-devices.js";
import type { OptimizerReply, SolverTasks } from "./solver-worker.js";

interface OptimizerServiceOptions {
  /** Time limit of the solver for one request, s. */
  limitSeconds?: number;
  /** Time without a request after which the process ends, s. */
  idleSeconds?: number;
  /** Time beyond the limit after which the process is killed, s. */
  graceSeconds?: number;
}

/** Who asks; an owner has one waiting request at most. */
interface Asking {
  owner: string;
  /** Somebody waits for the answer. */
  urgent?: boolean;
  /** Drops the request. */
  signal: AbortSignal;
}

/** Requests of evcc that wait while one is solved. How many devices are planned is up to the owner of the gateway. */
const MOST_WAITING = 4;
/** The largest request takes 180 MB; together with the gateway it fits into a container of 512 MB. */
const MEMORY_MB = 300;
/** Lets the gateway and other programs of the computer go first. */
const NICENESS = 10;
/** A killed solver costs evcc one advice; less than a killed training. */
const OUT_OF_MEMORY_SCORE = 800;

/**
 * Solves in child processes: one for evcc's requests, and one for the gateway's devices, which do not wait for evcc. Each takes one at a
 * time, the owners in turn. Rejects with WorkError.
 */
export class OptimizerService {
  readonly #limitSeconds: number;
  readonly #requests: WorkPool<SolverTasks>;
  readonly #devices: WorkPool<SolverTasks>;

  /** evcc waits for 90 s. */
  constructor({ limitSeconds = 70, idleSeconds = 60, graceSeconds = 15 }: OptimizerServiceOptions = {}) {
    this.#limitSeconds = limitSeconds;
    const options: WorkPoolOptions = {
      module: programModule("plan/solver/solver-worker"),
      kind: "process",
      name: "The solver",
      timeMs: (limitSeconds + graceSeconds) * 1000,
      memoryMb: MEMORY_MB,
      idleMs: idleSeconds * 1000,
      niceness: NICENESS,
      outOfMemoryScore: OUT_OF_MEMORY_SCORE,
    };
    this.#requests = new WorkPool({ ...options, mostWaiting: MOST_WAITING });
    this.#devices = new WorkPool(options);
  }

  /** Reads and solves a request of evcc, a JSON body; only the process of the solver parses it. */
  optimise(body: Uint8Array, asking: Asking): Promise<OptimizerReply> {
    return this.#requests.run("optimise", { body, limitSeconds: this.#limitSeconds }, asking);
  }

  /** Starts the process that plans devices. */
  prepareDevices(): void {
    this.#devices.prepare();
  }

  /** Plans the devices of a site together with its battery. */
  planDevices(input: DevicePlanInput, asking: Asking): Promise<DevicePlan> {
    return this.#devices.run("planDevices", input, asking);
  }

  /** Rejects all requests and ends the processes. */
  async stop(): Promise<void> {
    await Promise.all([this.#requests.stop(), this.#devices.stop()]);
  }
}
