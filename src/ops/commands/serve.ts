import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import { openEarly } from "../../core/net/early-ports.js";
import type { Startable } from "../servers.js";
import { command, configOption, EXIT, type Terminal } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { eraseSettings } from "./erase-settings.js";

/** How long stopping may take before the process ends without it. */
const STOP_LIMIT_MS = 5_000;

/** Source of signals, such as `process`. */
export interface SignalSource {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

export const serveCommand = command({
  name: "serve",
  summary: "Runs the gateway until SIGTERM or Ctrl-C.",
  options: { config: configOption },
  async run(args, terminal, { loadGateway }) {
    const { settings, warnings } = loadConfiguration(args, terminal);
    for (const warning of warnings) terminal.error(warning);
    eraseSettings(terminal);
    const { isFleet } = await import("../fleet/settings.js");
    if (!isFleet(settings)) await openPorts(settings);
    const { createGateway } = await loadGateway();
    if (!isFleet(settings)) return serve(settings, { createGateway, signals: process, terminal });
    const { FleetWorker } = await import("../fleet/worker.js");
    const { createLog } = await import("../../core/log.js");
    const log = createLog(settings.log);
    return serve(settings, {
      createGateway: (_settings, { onStoreLost }) =>
        new FleetWorker({ settings, createGateway, onLost: onStoreLost, log }),
      signals: process,
      terminal,
    });
  },
});

/** The ports that clients connect to, before the gateway is loaded, which takes a second or more. */
async function openPorts({ http, mqtt }: Settings): Promise<void> {
  const hasBroker = mqtt.broker.enabled && mqtt.external.url === null;
  await Promise.all(
    [http, ...(hasBroker ? [mqtt.broker] : [])].map(({ host, port }) => openEarly({ host, port })),
  );
}

/**
 * Starts a gateway, waits for a signal and stops it. Exit code 0 after a clean stop; 1 if it could not start, did not
 * stop within `stopLimitMs`, failed while stopping, received a second signal, or another process took over its data.
 */
export async function serve(
  settings: Settings,
  {
    createGateway,
    signals,
    terminal,
    stopLimitMs = STOP_LIMIT_MS,
  }: {
    createGateway(settings: Settings, options: { onStoreLost(fault: Error): void }): Startable;
    signals: SignalSource;
    terminal: Terminal;
    stopLimitMs?: number;
  },
): Promise<number> {
  const received = countSignals(signals);
  try {
    let lose = (_fault: Error) => {};
    const lost = new Promise<Error>((resolve) => {
      lose = resolve;
    });
    const gateway = createGateway(settings, { onStoreLost: (fault) => lose(fault) });
    // A signal during the start is handled immediately: stop() also stops a partially started gateway.
    const started = gateway.start().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const failure = await Promise.race([received.next().then(() => undefined), started]);
    if (failure !== undefined) {
      terminal.error(`hourgate cannot start: ${sentence(failure.error)}`);
      await within(stopLimitMs, gateway.stop()).catch(() => {});
      return EXIT.failed;
    }
    const fault = await Promise.race([received.next().then(() => undefined), lost]);
    if (fault !== undefined) terminal.error(`hourgate ends: ${sentence(fault)}`);
    const stopped = within(stopLimitMs, gateway.stop());
    const code = fault === undefined ? EXIT.done : EXIT.failed;
    return await Promise.race([stopped.then(() => code), received.second().then(() => EXIT.failed)]);
  } catch (error) {
    terminal.error(`hourgate ended: ${sentence(error)}`);
    return EXIT.failed;
  } finally {
    received.close();
  }
}

/** Counts signals from its creation, so that none is lost between two waits. */
function countSignals(signals: SignalSource) {
  let count = 0;
  const waiting = new Set<() => void>();
  const listener = () => {
    count++;
    for (const check of waiting) check();
  };
  signals.on("SIGTERM", listener);
  signals.on("SIGINT", listener);
  const reach = (number: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (count < number) return;
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

/** The first line of the error message, ending with a full stop. */
function sentence(error: unknown): string {
  const text = errorMessage(error);
  const line = text.split("\n", 1)[0]!.trim();
  return line === "" ? "unknown error." : /[.!?]$/.test(line) ? line : `${line}.`;
}
