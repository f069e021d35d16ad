import type { Clock } from "../core/time/clock.js";
import {
  type DeviceCondition,
  DeviceError,
  type DeviceRequest,
  type DeviceSource,
  requestText,
} from "./command.js";
import type { Check, DeviceCommands } from "./device-commands.js";
import { ExpressionError, type Variables } from "./expression.js";
import type { ActuatorState } from "./states.js";
import type { Evidence, Transport } from "./transport/transport.js";
import { matches } from "./values.js";
import { type Wanted, wantedState } from "./wanted.js";

/** Interval of the reads while a command is not confirmed. */
const READ_AGAIN_MS = 1_000;

/** Whether the device has the state; `unknown` without evidence. */
export type Verdict = "match" | "differ" | "unknown";

/** How a command ended: confirmed, or accepted but not followed by the device. */
export type Outcome = "confirmed" | "declined";

/** What a device shows: the state that its values match, and the values with their topic or address. */
export interface DeviceReading {
  state: ActuatorState | undefined;
  values: { place: string; value: string }[];
}

export interface SessionOptions {
  device: DeviceCommands;
  transport: Transport;
  clock: Clock;
  /** Called with each request before it is sent. */
  onSend(text: string): void;
}

/** Sends the commands of one device in their order and compares its readings. Throws DeviceError. */
export class DeviceSession {
  readonly #options: SessionOptions;
  #readError: DeviceError | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Sends requests one after another, each after the answer to the one before. */
  async send(requests: readonly DeviceRequest[], signal: AbortSignal): Promise<void> {
    const { transport, device, onSend } = this.#options;
    for (const request of requests) {
      signal.throwIfAborted();
      const since = transport.mark();
      onSend(device.redact(requestText(request)));
      await transport.send(request, signal);
      if (request.pauseMs > 0) await this.sleep(request.pauseMs, signal);
      if (request.until !== undefined) {
        const { condition, deadlineMs } = request.until;
        await this.#await([condition], { since, deadlineMs, signal });
      }
    }
  }

  /** Sends a command and waits until the device shows its state. */
  async command(
    {
      requests,
      state,
      wanted,
      live,
    }: { requests: readonly DeviceRequest[]; state: string; wanted: Wanted; live: Variables },
    signal: AbortSignal,
    deadlineMs?: number,
  ): Promise<Outcome> {
    const { device, transport } = this.#options;
    const { settleMs, deadlineMs: preset } = device.pace();
    const since = transport.mark();
    await this.send(requests, signal);
    const checks = device.checks(state, wanted, live);
    if (checks.length === 0) return "confirmed";
    if (settleMs > 0) await this.sleep(settleMs, signal);
    try {
      await this.#await(checks, { since, deadlineMs: deadlineMs ?? preset, signal });
      return "confirmed";
    } catch (error) {
      if (!(error instanceof DeviceError) || signal.aborted) throw error;
      if (await this.isDeclined(live, signal)) return "declined";
      throw error;
    }
  }

  /** Why the last reading failed; undefined if the device has answered. */
  get readError(): DeviceError | undefined {
    return this.#readError;
  }

  /** Whether the device accepts commands, but does not follow them now. */
  async isDeclined(live: Variables, signal: AbortSignal): Promise<boolean> {
    for (const condition of this.#options.device.declines(live))
      if ((await this.#holds(condition, 0, signal)) === "match") return true;
    return false;
  }

  /** Compares the device with a state; `isAsking` requests new values where the device must be asked. */
  async inspect(
    state: string,
    wanted: Pick<Wanted, "powerKw" | "socStopPct">,
    { live, signal, isAsking }: { live: Variables; signal: AbortSignal; isAsking: boolean },
  ): Promise<Verdict> {
    const { device, transport } = this.#options;
    const checks = device.checks(state, wanted, live);
    if (checks.length === 0) return "unknown";
    const isAsked = isAsking && checks.some(({ source }) => source.ask !== undefined);
    const since = isAsked ? transport.mark() : 0;
    let verdict = await this.#all(checks, since, signal);
    if (isAsked && verdict === "unknown") {
      const until = this.#options.clock.now().getTime() + device.pace().deadlineMs;
      while (verdict === "unknown" && this.#options.clock.now().getTime() < until) {
        await this.sleep(READ_AGAIN_MS, signal, true);
        verdict = await this.#all(checks, since, signal);
      }
    }
    return verdict;
  }

  /** Reads the values that confirm a state, and finds the state that they match. */
  async shown(live: Variables, signal: AbortSignal): Promise<DeviceReading> {
    const { device, transport } = this.#options;
    const states = device.states();
    const values = new Map<string, string>();
    let state: ActuatorState | undefined;
    for (const one of states) {
      const verdict = await this.inspect(one, wantedState(one), {
        live,
        signal,
        isAsking: one === states[0],
      });
      if (verdict === "match") state ??= one;
      for (const { source } of device.checks(one, wantedState(one), live)) {
        const place = device.redact(source.topic ?? source.url ?? "");
        if (values.has(place)) continue;
        const evidence = await transport.read({ ...source, ask: undefined }, 0, signal);
        if (evidence !== undefined) values.set(place, device.redact(evidence.value.slice(0, 100)));
      }
    }
    return { state, values: [...values].map(([place, value]) => ({ place, value })) };
  }

  /** Whether the device can be commanded now; true if the template has no such condition. */
  async isAvailable(signal: AbortSignal): Promise<boolean> {
    const condition = this.#options.device.available();
    return condition === undefined || (await this.#holds(condition, 0, signal)) !== "differ";
  }

  /** The state that replaces the wanted one while the device is locked; undefined while it is not. */
  async lockedTo(state: ActuatorState, signal: AbortSignal): Promise<ActuatorState | undefined> {
    const lock = this.#options.device.lock();
    if (lock === undefined || !lock.states.includes(state)) return undefined;
    const perLevel = lock.all.map(({ source, expected, isNegated, tolerance }) => {
      const values = source.topic?.includes("+") ? this.#options.transport.values(source) : undefined;
      return (
        values &&
        new Set(
          [...values]
            .filter(([, value]) => matches(value, expected, tolerance) !== isNegated)
            .map(([key]) => key),
        )
      );
    });
    const common = perLevel.filter((one) => one !== undefined);
    const [first] = common;
    if (first !== undefined && ![...first].some((key) => common.every((one) => one.has(key))))
      return undefined;
    for (const [index, condition] of lock.all.entries()) {
      if (perLevel[index] !== undefined) continue;
      if ((await this.#holds(condition, 0, signal)) !== "match") return undefined;
    }
    return lock.use;
  }

  /** The values that a template reads before the first command. */
  async found(signal: AbortSignal): Promise<Record<string, string>> {
    const { device, transport } = this.#options;
    const values: Record<string, string> = {};
    for (const [name, source] of Object.entries(device.found())) {
      const evidence = await transport.read(source, 0, signal);
      if (evidence === undefined) throw new DeviceError("not_confirmed", `"${name}" could not be read`);
      values[name] = evidence.value;
    }
    return values;
  }

  /** Seconds since the device started; undefined where it does not say so. */
  async uptimeS(signal: AbortSignal): Promise<number | undefined> {
    const source = this.#options.device.uptime();
    if (source === undefined) return undefined;
    const value = (await this.#tryRead(source, 0, signal))?.value;
    return value === undefined || !Number.isFinite(Number(value)) ? undefined : Number(value);
  }

  /** Waits by the clock; ends early when a message arrives if `isWoken`. Throws when aborted. */
  sleep(ms: number, signal: AbortSignal, isWoken = false): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", abort);
        this.#wakers.delete(end);
        resolve();
      };
      const abort = () => {
        cancel();
        this.#wakers.delete(end);
        reject(signal.reason as Error);
      };
      const cancel = clock.at(new Date(clock.now().getTime() + ms), end);
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      if (isWoken) this.#wakers.add(end);
    });
  }

  readonly #wakers = new Set<() => void>();

  /** To be called when a message has arrived. */
  wake(): void {
    for (const end of [...this.#wakers]) end();
  }

  async #await(
    checks: readonly DeviceCondition[],
    { since, deadlineMs, signal }: { since: number; deadlineMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { clock } = this.#options;
    const until = clock.now().getTime() + deadlineMs;
    for (;;) {
      const open = await this.#firstOpen(checks, since, signal);
      if (open === undefined) return;
      const leftMs = until - clock.now().getTime();
      if (leftMs <= 0) throw new DeviceError("not_confirmed", open);
      await this.sleep(Math.min(READ_AGAIN_MS, leftMs), signal, true);
    }
  }

  /** Why a command is not confirmed yet; undefined when all checks match. */
  async #firstOpen(
    checks: readonly DeviceCondition[],
    since: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (const { source, expected, isNegated, tolerance } of checks) {
      let evidence: Evidence | undefined;
      try {
        evidence = await this.#options.transport.read(source, since, signal);
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        return error.message;
      }
      const place = source.topic ?? source.url ?? "";
      if (evidence === undefined) return this.#options.device.redact(`${place} has no value`);
      const isEqual = matches(evidence.value, expected, tolerance) !== isNegated;
      if (!isEqual || !(evidence.isNew || source.retained))
        return this.#options.device.redact(
          `${place} is ${isEqual ? "not reported anew" : evidence.value.slice(0, 60)}, expected ${expected.join(" or ")}`,
        );
    }
    return undefined;
  }

  async #all(checks: readonly Check[], since: number, signal: AbortSignal): Promise<Verdict> {
    let isKnown = true;
    for (const check of checks) {
      const verdict = await this.#holds(check, since, signal);
      if (verdict === "differ") return "differ";
      if (verdict === "unknown") isKnown = false;
    }
    return isKnown ? "match" : "unknown";
  }

  async #holds(condition: DeviceCondition, since: number, signal: AbortSignal): Promise<Verdict> {
    const evidence = await this.#tryRead(condition.source, since, signal);
    if (evidence === undefined) return "unknown";
    return matches(evidence.value, condition.expected, condition.tolerance) !== condition.isNegated
      ? "match"
      : "differ";
  }

  async #tryRead(source: DeviceSource, since: number, signal: AbortSignal): Promise<Evidence | undefined> {
    this.#readError = undefined;
    try {
      return await this.#options.transport.read(source, since, signal);
    } catch (error) {
      if (error instanceof DeviceError) this.#readError = error;
      else if (!(error instanceof ExpressionError)) throw error;
      return undefined;
    }
  }
}
