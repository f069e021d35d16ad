import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import { programModule, requirePackage } from "../../core/installation.js";
import { programOf } from "../../core/work/worker-channel.js";
import { type AnswerMessage, type MessageFromNodeRed, messageCheck, type StartMessage } from "./messages.js";
import type { ProcessUser } from "./user-folder.js";

/** A process without a message for this long is blocked by a flow. */
const HANGS_AFTER_MS = 60_000;
/** Time for nodes to close; the gateway itself has 5 s to stop. */
const STOP_GRACE_MS = 1_500;

export interface ChildOptions {
  start: StartMessage;
  /** Time zone of its flows if the machine has none set. */
  timezone: string;
  /** Absent: the gateway's own. */
  user?: ProcessUser | undefined;
  /** Called with its messages except `alive`. */
  onMessage: (message: MessageFromNodeRed, answer: (text: string | undefined) => void) => void;
  /** A line of its standard output or error. */
  onLine: (stream: "stdout" | "stderr", line: string) => void;
}

/** Time to wait for the rest of its output; a program started by a node may keep it open. */
const LAST_LINES_MS = 500;

/** A running Node-RED process. */
export interface Child {
  pid: number | undefined;
  /** Resolves when it has ended, with the reason as a clause. */
  ended: Promise<string>;
  /** Stops it, kills it after a timeout, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the Node-RED process. */
export function startChild({ start, timezone, user, onMessage, onLine }: ChildOptions): Child {
  const { file, execArgv } = childProgram();
  const child = fork(file, [], {
    cwd: start.userFolder,
    env: {
      ...childEnvironment(process.env, timezone),
      // The home of the gateway's user is not readable for another one.
      ...(user !== undefined && { HOME: start.userFolder }),
    },
    // Other groups of the gateway's user are dropped too.
    ...user,
    execArgv,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let killedBecause: string | undefined;
  let silence: NodeJS.Timeout | undefined;
  // First, since an error event without a listener would end the gateway.
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      const because = killedBecause ?? reason(code, signal);
      child.once("close", () => resolve(because));
      setTimeout(() => resolve(because), LAST_LINES_MS).unref();
    });
    child.on("error", (error) => {
      // Failed signals and messages are errors too; only a process that did not start has no exit event.
      if (child.pid === undefined) resolve(`it could not be started (${error.message})`);
    });
  }).finally(() => clearTimeout(silence));
  const resetSilence = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      killedBecause = `a flow kept it busy for ${HANGS_AFTER_MS / 1000} s`;
      child.kill("SIGKILL");
    }, HANGS_AFTER_MS);
  };
  resetSilence();

  for (const stream of ["stdout", "stderr"] as const) {
    const lines = createInterface({ input: child[stream]! });
    lines.on("line", (line) => onLine(stream, line));
  }
  child.on("message", (message: unknown) => {
    resetSilence();
    if (!messageCheck.fits(message) || message.type === "alive") return;
    onMessage(message, (text) => {
      if (!("id" in message) || !child.connected) return;
      const answer: AnswerMessage = { type: "answer", id: message.id, ...(text !== undefined && { text }) };
      child.send(answer, ignoreFailure);
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

/** A failed message to an ended process needs no handling: its end is reported. */
function ignoreFailure(): void {}

/** Whether the optional package `node-red` is there. */
export function isNodeRedInstalled(): boolean {
  try {
    requirePackage.resolve("node-red/package.json");
    return true;
  } catch {
    return false;
  }
}

/** The program of the Node-RED process. */
export const childProgram = () => programOf(programModule("edges/node-red/runtime"));

/**
 * The environment without the gateway's own settings, which contain secrets: every flow can read the rest. Containers have
 * no time zone set, so that of the plant is used for the schedules of flows.
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
