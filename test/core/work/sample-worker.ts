import { serveTasks } from "../../../src/core/work/serve-tasks.js";

const held: unknown[] = [];

const tasksOf = (data: { add: number }) => ({
  add: ({ numbers }: { numbers: readonly number[] }) => numbers.reduce((sum, one) => sum + one, data.add),
  bytes: ({ bytes }: { bytes: Uint8Array }) => bytes.length,
  fail: ({ message }: { message: string }) => {
    throw new RangeError(message);
  },
  failWithFunction: () => {
    throw Object.assign(new Error("It has a function."), { cause: () => {} });
  },
  pid: () => process.pid,
  steps: ({ count }: { count: number }, report: (progress: number) => void) => {
    for (let step = 1; step <= count; step++) report(step);
    return count;
  },
  sleep: ({ ms }: { ms: number }) => new Promise<string>((resolve) => setTimeout(() => resolve("slept"), ms)),
  loop: () => {
    for (;;);
  },
  fillHeap: () => {
    for (;;) held.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  },
  fillBuffers: () => {
    for (;;) held.push(Buffer.alloc(10_000_000, 1));
  },
  /** Exceeds a limit of V8, which then aborts the whole process. */
  abort: () => "x".repeat(2 ** 29 - 24).split("").length,
  exit: ({ code }: { code: number }) => process.exit(code),
  throwLater: () => {
    setImmediate(() => {
      throw new Error("Nobody catches this.");
    });
    return new Promise<void>(() => {});
  },
});

export type SampleTasks = ReturnType<typeof tasksOf>;

serveTasks(tasksOf);
