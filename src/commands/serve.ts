import type { Settings } from "../config/settings.js";
import { errorMessage } from "../error-message.js";
import { type CliCommand, configOption, EXIT, type Terminal } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { eraseSettings } from "./erase-settings.js";

/** How long stopping may take before the process ends without it. */
const STOP_LIMIT_MS = 5_000;

/** What serve needs of a gateway. */
export interface Startable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Where signals come from; `process` is one. */
export interface SignalSource {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

export const serveCommand: CliCommand = {
  name: "serve",
  summary: "Runs the gateway until SIGTERM or Ctrl-C.",
  usage: "[--config FILE]",
  options: { config: configOption },
  async run(args, terminal) {
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    if (!eraseSettings())
      terminal.error(
        "Secrets in the environment variables could not be erased: programs of the same user can read them in /proc. Prefer files (HOURGATE_…_FILE).",
      );
    // Loaded here so that the other commands do not pay for the servers.
    const { createGateway } = await import("../gateway.js");
    return serve(configuration.settings, { createGateway, signals: process, terminal });
  },
};

/**
 * Starts a gateway and waits for a signal, then stops it. Gives exit code 0 after a clean stop, 1 when it could not
 * start, did not stop within `stopLimitMs`, failed while stopping, or was signalled a second time.
 */
export async function serve(
  settings: Settings,
  {
    createGateway,
    signals,
    terminal,
    stopLimitMs = STOP_LIMIT_MS,
  }: {
    createGateway(settings: Settings): Startable;
    signals: SignalSource;
    terminal: Terminal;
    stopLimitMs?: number;
  },
): Promise<number> {
  const inbox = signalInbox(signals);
  try {
    const gateway = createGateway(settings);
    // A signal during the start does not wait for it: stop() takes down whatever stands by then.
    const started = gateway.start().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const failure = await Promise.race([inbox.next().then(() => undefined), started]);
    if (failure !== undefined) {
      terminal.error(`hourgate cannot start: ${sentence(failure.error)}`);
      await within(stopLimitMs, gateway.stop()).catch(() => {});
      return EXIT.failed;
    }
    await inbox.next();
    const stopped = within(stopLimitMs, gateway.stop());
    return await Promise.race([stopped.then(() => EXIT.done), inbox.second().then(() => EXIT.failed)]);
  } catch (error) {
    terminal.error(`hourgate ended: ${sentence(error)}`);
    return EXIT.failed;
  } finally {
    inbox.close();
  }
}

/** Counts signals from the moment it is made, so that none is lost between two waits. */
function signalInbox(signals: SignalSource) {
  let heard = 0;
  const waiting = new Set<() => void>();
  const listener = () => {
    heard++;
    for (const check of waiting) check();
  };
  signals.on("SIGTERM", listener);
  signals.on("SIGINT", listener);
  const reach = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (heard < count) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    next: () => reach(1),
    second: () => reach(2),
    close: () => {
      signals.off("SIGTERM", listener);
      signals.off("SIGINT", listener);
    },
  };
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`stopping took over ${limitMs / 1000} s.`)), limitMs);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** What went wrong, on one line and without a stack. */
function sentence(error: unknown): string {
  const text = errorMessage(error);
  const line = text.split("\n", 1)[0]!.trim();
  return line === "" ? "unknown error." : /[.!?]$/.test(line) ? line : `${line}.`;
}
