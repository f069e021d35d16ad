import { setPriority } from "node:os";
import { isMainThread, parentPort } from "node:worker_threads";
import { errorMessage } from "../error-message.js";

/** Does a task; `report` sends its progress. The worker does nothing else meanwhile. */
type TaskFunction = (input: never, report: (progress: number) => void) => unknown;

/** The tasks of a worker by name. */
export type Tasks = Record<string, TaskFunction>;

/** Messages to a worker: the first one, then tasks one at a time. */
export type ToWorker = { start: { data: unknown; niceness: number } } | { task: string; input: unknown };

export type FromWorker = { ready: true } | { progress: number } | { result: unknown } | { error: unknown };

/**
 * Makes this module the program of a worker of a `WorkPool`. `prepare` receives the data that the pool gives to each of its
 * workers, and returns the tasks.
 */
export function serveTasks<Data>(prepare: (data: Data) => Tasks | Promise<Tasks>): void {
  let tasks: Tasks = {};
  const answerTo = async (message: ToWorker): Promise<FromWorker> => {
    if ("start" in message) {
      const { data, niceness } = message.start;
      // Only Linux has a priority of its own for each thread; the priority of a process is set by the gateway.
      if (!isMainThread && process.platform === "linux") lowerPriority(niceness);
      tasks = await prepare(data as Data);
      return { ready: true };
    }
    const task = tasks[message.task];
    if (task === undefined) throw new RangeError(`There is no task "${message.task}".`);
    return { result: await task(message.input as never, (progress) => send({ progress })) };
  };
  const onMessage = async (message: ToWorker) => {
    try {
      send(await answerTo(message));
    } catch (error) {
      sendError(error);
    }
  };
  if (parentPort !== null) parentPort.on("message", onMessage);
  else {
    // Signals to the process group, from a terminal or systemd: the gateway ends its workers.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
    process.on("message", onMessage);
  }
}

function send(message: FromWorker): void {
  if (parentPort !== null) parentPort.postMessage(message);
  else process.send?.(message);
}

function sendError(error: unknown): void {
  try {
    send({ error });
  } catch {
    // It cannot be copied.
    send({ error: new Error(errorMessage(error)) });
  }
}

function lowerPriority(niceness: number): void {
  try {
    setPriority(niceness);
  } catch {
    // The system does not allow it; the priority is optional.
  }
}
