import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { componentText } from "../../texts/index.js";
import { type Child, type ChildOptions, startChild } from "./child.js";
import type { MessageFromNodeRed, StartMessage } from "./messages.js";
import type { EditorSignIn } from "./sign-in.js";
import { type ProcessUser, SetUpError } from "./user-folder.js";

const WINDOW_MS = 10_000;
/** A flow that logs in a loop must not fill the disk. */
const LINES_PER_WINDOW = 100;
const LONGEST_LINE = 2_000;

/** Texts that must not be logged: keys, signing secrets, tokens and passwords in addresses. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bhg_live_[A-Za-z0-9_-]+/g, "hg_live_…"],
  [/\bwhsec_[A-Za-z0-9_-]+/g, "whsec_…"],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi, "$1 …"],
  [/([?&](?:access_token|token|key|api_?key|password)=)[^&\s"']+/gi, "$1…"],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@]+@/gi, "$1…@"],
  [/(\/c\/)[A-Za-z0-9_-]{16,}/g, "$1…"],
];

/** A text without secrets of a known form, shortened to the longest line of the log. */
export function redactLogLine(text: string): string {
  const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} …` : text;
  return SECRETS.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), cut);
}

/** Forwards Node-RED's lines to the gateway's log, so many in ten seconds; what is left out is counted. */
export function createLineForwarder(log: Log, wallNowMs: () => number = Date.now) {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let dropped = 0;
  /** `level` as in Node-RED: 10 fatal, 20 error, 30 warn, 40 info, more: debug. */
  return (level: number, text: string): void => {
    const nowMs = wallNowMs();
    if (nowMs - windowStartMs >= WINDOW_MS) {
      if (dropped > 0)
        log.warn({ component: "node_red", dropped }, "Node-RED wrote more lines than are kept.");
      windowStartMs = nowMs;
      written = 0;
      dropped = 0;
    }
    if (written >= LINES_PER_WINDOW) {
      dropped++;
      return;
    }
    written++;
    const method = level <= 20 ? "error" : level <= 30 ? "warn" : level <= 40 ? "info" : "debug";
    log[method]({ component: "node_red" }, `Node-RED: ${redactLogLine(text.trim())}`);
  };
}

/** Who ran this long had started well: what ended it then is a new cause. */
const STEADY_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** After so many ends in a row, each within the first minute, the flows are not started any more. */
const SAFE_AFTER = 5;
/** Then they are tried again: what ended them may have been a device that was off. */
const SAFE_MODE_MS = 15 * 60_000;

/** How Node-RED is to be started after it has ended. */
interface Restart {
  /** Ends in a row, each soon after the start; 1 = the first. */
  failures: number;
  waitMs: number;
  /** Start without running the flows, so that they can be corrected in the editor. */
  safeMode: boolean;
}

/** What follows an end after `ranMs`, with `failures` of the kind before it: 1 s, doubled each time, up to 1 min. */
export function restartAfter({ ranMs, failures: before }: { ranMs: number; failures: number }): Restart {
  const failures = ranMs >= STEADY_AFTER_MS ? 1 : before + 1;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return { failures, waitMs, safeMode: failures >= SAFE_AFTER };
}

/** Failures in a row after which the component is down. */
const DOWN_AFTER = 3;

export interface SupervisorOptions {
  /** Settings of the process, prepared at each start. Rejects with an Error that says what to do. */
  prepare(): Promise<Omit<StartMessage, "type" | "safeMode">>;
  timezone: string;
  user?: ProcessUser | undefined;
  signIn: EditorSignIn;
  components: Pick<HealthRegistry, "report">;
  log: Log;
  /** Replaces the process in tests. */
  start?: (options: ChildOptions) => Child;
}

/** Keeps a Node-RED process running: starts it, monitors it and restarts it with backoff. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #forward: (level: number, text: string) => void;
  #child: Child | undefined;
  #port: number | undefined;
  #startedMs = 0;
  #restart: Restart = { failures: 0, waitMs: 0, safeMode: false };
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #launching: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#forward = createLineForwarder(options.log);
  }

  /** Port of Node-RED on the loopback address; undefined while it is not running. */
  get port(): number | undefined {
    return this.#port;
  }

  /** The running process, if any. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the process without waiting for it. Never rejects: the gateway also runs without Node-RED. */
  async start(): Promise<void> {
    this.#report("degraded", [{ code: "node_red_starting" }]);
    this.#launch();
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#launching;
    this.#port = undefined;
    await this.#child?.stop();
  }

  #launch(): void {
    this.#launching = this.#startChild().catch((error: unknown) =>
      this.#scheduleRestart(
        error instanceof SetUpError
          ? error.sentence
          : { code: "node_red_failed", message: errorMessage(error) },
        0,
      ),
    );
  }

  async #startChild(): Promise<void> {
    const prepared = await this.#options.prepare();
    if (this.#stopping) return;
    this.#startedMs = performance.now();
    const { safeMode } = this.#restart;
    const child = (this.#options.start ?? startChild)({
      start: { type: "start", ...prepared, safeMode },
      timezone: this.#options.timezone,
      user: this.#options.user,
      onMessage: (message, answer) => this.#take(message, answer),
      onLine: (stream, line) => this.#forward(stream === "stderr" ? 30 : 40, line),
    });
    this.#child = child;
    void child.ended.then((reason) => {
      this.#child = undefined;
      this.#port = undefined;
      clearTimeout(this.#timer);
      if (!this.#stopping)
        this.#scheduleRestart(
          { code: "node_red_failed", message: `Node-RED has ended: ${reason}.` },
          performance.now() - this.#startedMs,
        );
    });
  }

  #scheduleRestart(cause: ComponentSentence, ranMs: number): void {
    if (this.#stopping) return;
    this.#restart = restartAfter({ ranMs, failures: this.#restart.failures });
    const { failures, waitMs, safeMode } = this.#restart;
    const sentences: ComponentSentence[] = [
      cause,
      { code: "node_red_restart", seconds: waitMs / 1000, safeMode },
    ];
    this.#report(failures >= DOWN_AFTER ? "down" : "degraded", sentences);
    this.#options.log.warn({ component: "node_red", failures }, componentText(sentences, "en"));
    this.#timer = setTimeout(() => this.#launch(), waitMs);
  }

  #take(message: MessageFromNodeRed, answer: (text: string | undefined) => void): void {
    switch (message.type) {
      case "ready":
        this.#port = message.port;
        this.#ready();
        break;
      case "flows_started":
        if (this.#restart.safeMode) this.#leaveSafeMode();
        break;
      case "log":
        this.#forward(message.level, message.text);
        break;
      case "sign_in":
        void this.#options.signIn.signIn(message).then(answer);
        break;
      case "token":
        answer(this.#options.signIn.user(message.token));
        break;
      case "sign_out":
        this.#options.signIn.signOut(message.token);
    }
  }

  #ready(): void {
    const ms = Math.round(performance.now() - this.#startedMs);
    // "pid" in log lines is the gateway's own.
    this.#options.log.info({ component: "node_red", process: this.pid, ms }, "Node-RED is running.");
    if (!this.#restart.safeMode) {
      this.#report("ok", [{ code: "node_red_ok" }]);
      return;
    }
    const minutes = SAFE_MODE_MS / 60_000;
    this.#report("degraded", [{ code: "node_red_safe_mode", minutes }]);
    this.#timer = setTimeout(() => {
      this.#restart = { ...this.#restart, safeMode: false };
      this.#options.log.info({ component: "node_red" }, "Node-RED is restarted with its flows.");
      void this.#child?.stop();
    }, SAFE_MODE_MS);
  }

  /** Called after a deploy, which starts the flows. */
  #leaveSafeMode(): void {
    clearTimeout(this.#timer);
    this.#restart = { ...this.#restart, safeMode: false };
    this.#report("ok", [{ code: "node_red_ok" }]);
  }

  #report(state: "ok" | "degraded" | "down", detail: readonly ComponentSentence[]): void {
    this.#options.components.report("node_red", state, detail);
  }
}
