import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread with a compiled module; from the sources, as in tests, the thread first loads TypeScript support. */
function startThread(module: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(module, options);
  const file = module.href.replace(/\.js$/, ".ts");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json"));
  const support = new URL("./dist/esm/api/index.mjs", tsx).href;
  const code = `import("${support}").then(({ register }) => { register(); return import("${file}"); });`;
  return new Worker(code, { ...options, eval: true });
}

/** A message of a thread about the task that it does. */
export interface TaskProgress {
  progress: number;
}

/** A thread that does one task at a time. It receives a task as a message, and posts its progress and then the result. */
export class TaskThread<Task, Result extends object> {
  readonly #worker: Worker;
  #hasEnded = false;

  constructor(module: URL, options: WorkerOptions) {
    this.#worker = startThread(module, options);
    this.#worker.once("exit", () => {
      this.#hasEnded = true;
    });
    // An error between two tasks has no other listener; the next task is then rejected.
    this.#worker.on("error", () => {});
  }

  /** Rejects with the error that ended the thread, or with ThreadEndedError. */
  run(task: Task, onProgress: (progress: number) => void = () => {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(new ThreadEndedError());
      const settle = (finish: () => void) => {
        this.#worker.off("message", onMessage);
        this.#worker.off("error", onError);
        this.#worker.off("exit", onExit);
        finish();
      };
      const onMessage = (message: TaskProgress | Result) => {
        if ("progress" in message) onProgress(message.progress);
        else settle(() => resolve(message));
      };
      const onError = (error: unknown) => settle(() => reject(error));
      const onExit = () => settle(() => reject(new ThreadEndedError()));
      this.#worker.on("message", onMessage);
      this.#worker.on("error", onError);
      this.#worker.on("exit", onExit);
      this.#worker.postMessage(task);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A thread ended before its task was done. */
export class ThreadEndedError extends Error {
  constructor() {
    super("The thread ended before its task was done.");
  }
}
