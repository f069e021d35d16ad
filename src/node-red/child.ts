import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { AnswerMessage, MessageFromNodeRed, StartMessage } from "./messages.js";

/** A process that says nothing for so long hangs in a flow that never yields. */
const HANGS_AFTER_MS = 60_000;
/** Nodes get this long to let go of their devices; the gateway itself has 5 s to stop. */
const STOP_GRACE_MS = 1_500;

export interface ChildOptions {
  start: StartMessage;
  /** Local time of its flows where the machine does not say one. */
  timezone: string;
  isMessage: (value: unknown) => value is MessageFromNodeRed;
  /** Called with what it says, except that it is alive. */
  onMessage: (message: MessageFromNodeRed, answer: (yes: boolean) => void) => void;
  /** A line that it wrote to its standard output or error. */
  onLine: (stream: "stdout" | "stderr", line: string) => void;
}

/** What is left of its output is waited for this long; a program that a node started may hold it open for ever. */
const LAST_LINES_MS = 500;

/** A Node-RED process that runs. */
export interface Child {
  pid: number | undefined;
  /** Resolves, once, when it has ended, with the reason as the second half of a sentence. */
  ended: Promise<string>;
  /** Asks it to stop, kills it when it does not, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** Starts Node-RED as a process of its own. */
export function startChild({ start, timezone, isMessage, onMessage, onLine }: ChildOptions): Child {
  const { file, execArgv } = entry();
  const child = fork(file, [], {
    cwd: start.userFolder,
    env: childEnvironment(process.env, timezone),
    execArgv,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let killedBecause: string | undefined;
  let silence: NodeJS.Timeout | undefined;
  // Before anything that can throw: an error that nobody listens to would end the gateway.
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      const because = killedBecause ?? reason(code, signal);
      child.once("close", () => resolve(because));
      setTimeout(() => resolve(because), LAST_LINES_MS).unref();
    });
    child.on("error", (error) => {
      // A failed signal or message is an error too; only a process that never started does not exit.
      if (child.pid === undefined) resolve(`it could not be started (${error.message})`);
    });
  }).finally(() => clearTimeout(silence));
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      killedBecause = `a flow kept it busy for ${HANGS_AFTER_MS / 1000} s`;
      child.kill("SIGKILL");
    }, HANGS_AFTER_MS);
  };
  heard();

  for (const stream of ["stdout", "stderr"] as const) {
    const lines = createInterface({ input: child[stream]! });
    lines.on("line", (line) => onLine(stream, line));
  }
  child.on("message", (message: unknown) => {
    heard();
    if (!isMessage(message) || message.type === "alive") return;
    onMessage(message, (yes) => {
      if (!("id" in message) || !child.connected) return;
      child.send({ type: "answer", id: message.id, yes } satisfies AnswerMessage, ignoreFailure);
    });
  });
  child.send(start, ignoreFailure);

  return { pid: child.pid, ended, stop: () => stopChild(child, ended) };
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
  await ended;
  clearTimeout(timer);
}

/** A message to a process that has just ended is not worth a word: its end is told anyway. */
function ignoreFailure(): void {}

/** The built file starts as it is; from the sources, as tests run, what reads TypeScript has to be loaded first. */
function entry(): { file: string; execArgv: string[] } {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(isSource ? "./runtime.ts" : "./runtime.js", import.meta.url));
  return { file, execArgv: isSource ? ["--import", import.meta.resolve("tsx")] : [] };
}

/**
 * The environment without the gateway's own settings, which hold secrets: every flow can read what is left. In a container
 * nobody sets the zone, and a flow that shall run at six means six at the plant.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv, timezone: string): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(HOURGATE_|CREDENTIALS_DIRECTORY$)/i.test(name),
  );
  return { TZ: timezone, ...Object.fromEntries(kept) };
}

function reason(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
}
