/**
 * Why a task has no result: the queue is full or the task has waited too long (`busy`); it exceeded its budget of `time` or
 * `memory`; its worker `ended` by itself; it was `cancelled` by its caller; the pool has been `stopped`.
 */
export type WorkFault = "busy" | "time" | "memory" | "ended" | "cancelled" | "stopped";

/** A task without a result, other than by an error that the task itself throws. */
export class WorkError extends Error {
  readonly fault: WorkFault;

  constructor(fault: WorkFault, message: string) {
    super(message);
    this.name = "WorkError";
    this.fault = fault;
  }
}
