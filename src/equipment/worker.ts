import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { DeviceError } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import { ExpressionError, type Variables } from "./expression.js";
import type { FoundValues } from "./found-values.js";
import type { OwnedState } from "./ledger.js";
import type { DeviceCommand, DeviceEvent, Effect } from "./machine/device-state.js";
import type { DeviceReader, Looked } from "./reader.js";
import type { DeviceSender } from "./sender.js";
import type { Transport } from "./transport/transport.js";
import { wantedState } from "./wanted.js";

/** With these faults the device has not received the command. */
const NOT_RECEIVED: readonly string[] = [
  "unreachable",
  "wrong_device",
  "no_broker",
  "not_local",
  "unauthorized",
  "not_found",
  "template",
];
const READ_AGAIN_MS = 1_000;

export interface DeviceWorkerOptions {
  device: DeviceCommands;
  transport: Transport;
  reader: DeviceReader;
  sender: DeviceSender;
  live(): Variables;
  /** What a reading is compared with. */
  looked(): Omit<Looked, "live" | "since">;
  /** Whether the device waits to be read back, so that an answer is not waited for. */
  isChecking(): boolean;
  /** Stores the ledger. */
  save(): Promise<void>;
  /** The values that were read before the first command; stored with the next save. */
  found: Pick<FoundValues, "isOpen" | "hasLeft" | "take">;
  onEvent(event: DeviceEvent): void;
  log: Log;
}

type Work = Exclude<Effect, { kind: "note" } | { kind: "cancel" }> | { kind: "glance" };

/** Does what the machine asks for, one thing after another: stores the ledger, sends, reads. */
export class DeviceWorker {
  readonly #options: DeviceWorkerOptions;
  readonly #queue: Work[] = [];
  #current: { kind: Work["kind"]; abort: AbortController } | undefined;
  #running: Promise<void> | undefined;
  /** Mark of the transport at the last command. */
  #sentAt = 0;

  constructor(options: DeviceWorkerOptions) {
    this.#options = options;
  }

  do(work: Work): void {
    // A reading that is due already, or a value that arrives meanwhile, needs no second one.
    if (work.kind === "glance" && this.#queue.some(({ kind }) => kind === "glance")) return;
    this.#queue.push(work);
    // A command does not wait for the answer to a question.
    if ((work.kind === "send" || work.kind === "save") && this.#current?.kind === "read")
      this.#current.abort.abort();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the command that is being sent. */
  cancel(): void {
    if (this.#current?.kind === "send") this.#current.abort.abort(new Error("changed"));
    else if (this.#queue.some(({ kind }) => kind === "send")) {
      // It has not begun.
      this.#queue.splice(0, this.#queue.length, ...this.#queue.filter(({ kind }) => kind !== "send"));
      this.#options.onEvent({ kind: "refused", fault: "cancelled", message: "", isReceived: false });
    }
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Ends what is in progress, and forgets what is left. */
  async stop(): Promise<void> {
    this.#queue.length = 0;
    this.#current?.abort.abort(new Error("stopped"));
    await this.idle().catch(() => {});
  }

  /** Leaves the device to itself at the end of the gateway, and waits until it shows that. Throws DeviceError. */
  async leave(
    owned: OwnedState,
    { isAfterRestart, signal }: { isAfterRestart: boolean; signal: AbortSignal },
  ): Promise<void> {
    const { device, sender, transport, reader } = this.#options;
    // What is known already costs no time of the end.
    if (transport.device?.() === undefined) await transport.refresh?.(signal, { isCommand: true });
    const live = this.#options.live();
    const exit = device.exit(live);
    if (exit === undefined || (owned.isConfirmed && owned.state === exit.state)) return;
    const since = transport.mark();
    const command = { ...owned, state: "exit" };
    await sender.send(requestsOf(device, command, { live, isAfterRestart }), signal);
    const checks = device.checks(exit.state, wantedState(device.neutral), live);
    const isDone = async () => {
      await transport.refresh?.(signal, { isCommand: true });
      for (const check of checks) if (!(await reader.holds(check, since, signal))) return false;
      return true;
    };
    while (!(await isDone())) await sender.sleep(READ_AGAIN_MS, signal);
  }

  async #run(): Promise<void> {
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      const abort = new AbortController();
      this.#current = { kind: work.kind, abort };
      try {
        await this.#work(work, abort.signal);
      } catch (error) {
        if (!abort.signal.aborted) this.#options.log.error({ err: error }, "An actuator failed.");
      } finally {
        this.#current = undefined;
      }
    }
  }

  async #work(work: Work, signal: AbortSignal): Promise<void> {
    const { onEvent } = this.#options;
    switch (work.kind) {
      case "read":
      case "glance":
        return onEvent({ kind: "reading", reading: await this.#read(work.kind === "read", signal) });
      case "save":
        return this.#save(signal);
      case "send":
        return this.#send(work, signal);
    }
  }

  /** The ledger is stored before the command that follows it, or at least tried. */
  async #save(signal: AbortSignal): Promise<void> {
    // The command that follows is queued after this.
    await Promise.resolve();
    const next = this.#queue.find(({ kind }) => kind === "send");
    try {
      const { found } = this.#options;
      if (next?.kind === "send" && (next.command.state !== "exit" || found.hasLeft)) await this.#find(signal);
      await this.#options.save();
    } catch (error) {
      if (next === undefined) throw error;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#refuse(error, signal);
    }
  }

  async #find(signal: AbortSignal): Promise<void> {
    const { device, reader, found } = this.#options;
    if (found.isOpen && Object.keys(device.found()).length > 0) found.take(await reader.found(signal));
  }

  async #send(
    { command, isAfterRestart, isRepetition }: Effect & { kind: "send" },
    signal: AbortSignal,
  ): Promise<void> {
    const { device, sender, transport, onEvent } = this.#options;
    this.#sentAt = transport.mark();
    try {
      await transport.refresh?.(signal, { isCommand: true });
      const live = this.#options.live();
      if (isAfterRestart && !isRepetition && command.state !== "exit")
        await sender.send(device.setup(live), signal);
      await sender.send(requestsOf(device, command, { live, isAfterRestart }), signal);
      onEvent({ kind: "accepted" });
    } catch (error) {
      this.#refuse(error, signal);
    }
  }

  #refuse(error: unknown, signal: AbortSignal): void {
    const { onEvent, log } = this.#options;
    if (signal.aborted) {
      onEvent({ kind: "refused", fault: "cancelled", message: "", isReceived: true });
      return;
    }
    if (!(error instanceof DeviceError || error instanceof ExpressionError))
      log.error({ err: error }, "An actuator failed.");
    const fault = error instanceof DeviceError ? error.fault : "template";
    onEvent({
      kind: "refused",
      fault,
      message: errorMessage(error),
      isReceived: !NOT_RECEIVED.includes(fault),
    });
  }

  /** `isAsking` requests new values where the device must be asked, and waits for them unless a command is read back. */
  async #read(isAsking: boolean, signal: AbortSignal) {
    const { device, transport, reader, sender, live, looked, isChecking } = this.#options;
    const isBack = isChecking();
    const isAsked = isAsking && !isBack && device.isAsked;
    const since = isBack ? this.#sentAt : isAsked ? transport.mark() : 0;
    const look = () => reader.look({ ...looked(), live: live(), since }, signal);
    let reading = await look();
    for (let leftMs = device.pace().deadlineMs; isAsked && leftMs > 0; leftMs -= READ_AGAIN_MS) {
      if (reading.link !== "up" || reading.verdict !== "unknown") return reading;
      await sender.sleep(READ_AGAIN_MS, signal);
      reading = await look();
    }
    // A device that is asked and does not answer.
    return isAsked && reading.verdict === "unknown" && reading.link === "up" && !reading.isAlive
      ? { ...reading, link: "silent" as const }
      : reading;
  }
}

/** The requests of a command. Throws ExpressionError. */
export function requestsOf(
  device: DeviceCommands,
  command: DeviceCommand,
  { live, isAfterRestart }: { live: Variables; isAfterRestart: boolean },
) {
  const first = isAfterRestart ? device.afterRestart(live) : [];
  if (command.state === "exit") return [...first, ...(device.exit(live)?.requests ?? [])];
  const { powerKw, socStopPct } = command;
  const state = command.state as typeof device.neutral;
  const requests = device.requests(wantedState(state, { powerKw, socStopPct }), live);
  return state === device.neutral ? [...first, ...requests] : requests;
}
