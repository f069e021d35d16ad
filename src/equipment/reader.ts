import type { Clock } from "../core/time/clock.js";
import { type Check, type DeviceCondition, DeviceError, type DeviceSource, sourcePlace } from "./command.js";
import { type Compared, compared, type ReadValue } from "./compared.js";
import type { DeviceCommands } from "./device-commands.js";
import { ExpressionError, type Variables } from "./expression.js";
import { UNKNOWN } from "./found-values.js";
import type { DeviceCommand, Look, Verdict } from "./machine/device-state.js";
import type { ActuatorState } from "./states.js";
import type { Evidence, Transport } from "./transport/transport.js";
import { isNothing, matches } from "./values.js";
import { wantedState } from "./wanted.js";

/** A start of the device is later than the one before by at least this time; its clock and the gateway's differ. */
const START_SLACK_MS = 30_000;

/** A device that says that it is there publishes its first value within this time, or it is commanded without. */
const FIRST_VALUE_MS = 10_000;

/** With these faults a device says that it does not have a value. */
const LACKING: readonly string[] = ["not_found", "refused"];

/** What a device shows: the state that its values match, and the values with their topic or address. */
export interface DeviceReading {
  state: ActuatorState | undefined;
  values: { place: string; value: string }[];
}

/** What a reading is compared with. */
export interface Looked {
  /** The command in progress, or the one of the ledger; undefined: the device is left to itself. */
  command: DeviceCommand | undefined;
  /** The state that is wanted, which a lock may replace. */
  wanted: ActuatorState | undefined;
  /** When the command of the ledger was sent, ms since 1970. */
  sentAtMs: number;
  /** Mark of the transport; older values confirm nothing. */
  since: number;
  live: Variables;
}

interface ReaderOptions {
  device: DeviceCommands;
  transport: Transport;
  clock: Clock;
}

/** Reads a device: its state compared with a command, signs of its starts, and what else is known of it. */
export class DeviceReader {
  readonly #options: ReaderOptions;
  /** The last sign of a start of the device. */
  #start:
    | { changes: number | undefined; startedAtMs: number | undefined; boots: string | undefined }
    | undefined;
  /** Since then a device that says that it is there has published nothing else. */
  #silentSinceMs: number | undefined;
  /** Texts of the template about a control of the neighbour that acts, by their number. */
  neighbours: readonly number[] = [];

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** One look at the device. Never throws but for an abort. */
  async look(looked: Looked, signal: AbortSignal): Promise<Look> {
    const { device, transport } = this.#options;
    let fault: DeviceError | undefined;
    const known = new Map<string, Promise<Evidence | undefined>>();
    const read: ReadValue = (source) => {
      const key = JSON.stringify(source);
      const before = known.get(key);
      if (before !== undefined) return before;
      const value = transport.read(source, looked.since, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        if (error instanceof DeviceError) fault = error;
        else if (!(error instanceof ExpressionError)) throw error;
        return undefined;
      });
      known.set(key, value);
      return value;
    };
    await transport.refresh?.(signal).catch((error: unknown) => {
      if (!(error instanceof DeviceError)) throw error;
      fault = error;
    });
    const { command, wanted } = looked;
    const live = { ...looked.live, device: transport.device?.() };
    const { link, isAlive, hasRestarted } = await this.#link(looked, read);
    const nothing = {
      verdict: "unknown",
      isNew: false,
      isApplied: undefined,
      isDeclined: false,
      shown: undefined,
    } as const;
    const lockedTo = wanted === undefined || link === "away" ? undefined : await this.#lockedTo(wanted, read);
    if (link === "away" || link === "starting")
      return {
        ...nothing,
        link,
        isAlive,
        hasRestarted,
        lockedTo,
        open: await this.#open(looked, read),
        fault: undefined,
      };
    const { neutral } = device;
    const state = command?.state ?? neutral;
    const wantedValues = command ?? wantedState(neutral);
    const checks = device.checks(state, wantedValues, live);
    const { verdict: first, isNew } = await this.#compared(checks, read);
    const isUnread = first === "unknown" && fault === undefined;
    const absent = isUnread ? await this.#absent(checks, read, signal) : undefined;
    if (absent !== undefined)
      return { ...nothing, link: "away", isAlive, hasRestarted, lockedTo, open: absent, fault: "absent" };
    const isRest = first === "differ" && (await this.#isResting(looked, read));
    const verdict: Verdict = first === "differ" ? (isRest ? "rest" : "other") : first;
    const shown = verdict === "match" ? state : await this.#shown(live, read);
    const applied = await this.#compared(device.applied(state, wantedValues, live), read);
    this.neighbours = await this.#active(device.neighbours(live), read);
    // The state itself may have nothing that shows it.
    const isOtherwiseAlive =
      isAlive ||
      (transport.refresh !== undefined && fault === undefined) ||
      (checks.length === 0 && (await this.#hasAnyValue(live, read)));
    const isSilent = fault !== undefined && verdict === "unknown";
    return {
      link: isSilent ? "silent" : "up",
      verdict,
      isNew,
      isAlive: isOtherwiseAlive && !isSilent,
      hasRestarted,
      isApplied: applied.verdict === "unknown" ? undefined : applied.verdict === "match",
      isDeclined:
        verdict !== "match" && (await this.#active(device.conditions("declines", live), read)).length > 0,
      lockedTo,
      shown,
      open:
        verdict === "match"
          ? applied.open
          : ((fault as DeviceError | undefined)?.message ?? (await this.#open(looked, read))),
      fault: isSilent ? (fault as DeviceError | undefined)?.fault : undefined,
    };
  }

  /** Reads the values that confirm a state, and finds the state that they match. */
  async shown(live: Variables, since: number, signal: AbortSignal): Promise<DeviceReading> {
    const { device, transport } = this.#options;
    await transport.refresh?.(signal);
    const read: ReadValue = (source) => transport.read(source, since, signal);
    const values = new Map<string, string>();
    for (const state of device.states())
      for (const { source } of device.checks(state, wantedState(state), live)) {
        const place = device.redact(sourcePlace(source));
        if (values.has(place)) continue;
        const evidence = await read(source);
        if (evidence !== undefined) values.set(place, device.redact(evidence.value.slice(0, 100)));
      }
    const state = await this.#shown(live, read);
    return { state, values: [...values].map(([place, value]) => ({ place, value })) };
  }

  /** The values that a template reads before the first command. Throws DeviceError. */
  async found(signal: AbortSignal): Promise<Record<string, string>> {
    const { device, transport } = this.#options;
    const values: Record<string, string> = {};
    await transport.refresh?.(signal);
    for (const [name, source] of Object.entries(device.found())) {
      const evidence = await transport.read(source, 0, signal).catch((error: unknown) => {
        const isLacking = error instanceof DeviceError && LACKING.includes(error.fault);
        if (source.isOptional !== true || !isLacking) throw error;
        return undefined;
      });
      if (evidence !== undefined && !isNothing(evidence.value)) values[name] = evidence.value;
      else if (source.isOptional === true) values[name] = UNKNOWN;
      else throw new DeviceError("not_confirmed", `"${name}" could not be read`);
    }
    return values;
  }

  async holds(condition: DeviceCondition, since: number, signal: AbortSignal): Promise<boolean> {
    const verdict = await compared(condition, (source) =>
      this.#options.transport.read(source, since, signal),
    );
    return verdict.verdict === "match";
  }

  async #link(
    { sentAtMs }: Looked,
    read: ReadValue,
  ): Promise<{ link: Look["link"]; isAlive: boolean; hasRestarted: boolean }> {
    const { device, transport } = this.#options;
    if (!transport.isConnected) {
      this.#start = undefined;
      return { link: "away", isAlive: false, hasRestarted: false };
    }
    const available = device.available();
    const isThere = available === undefined ? "match" : (await compared(available, read)).verdict;
    const start = {
      changes: available === undefined ? undefined : transport.changes(available.source),
      startedAtMs: await this.#startedAtMs(read),
      boots: await this.#text(device.sign("boots"), read),
    };
    const before = this.#start;
    this.#start = start;
    const hasRestarted =
      before === undefined
        ? (start.startedAtMs ?? -Infinity) > sentAtMs + 1_000
        : (before.changes !== undefined && start.changes !== undefined && start.changes !== before.changes) ||
          (start.startedAtMs ?? -Infinity) > (before.startedAtMs ?? Infinity) + START_SLACK_MS ||
          (before.boots !== undefined && start.boots !== undefined && before.boots !== start.boots);
    if (isThere === "differ") return { link: "away", isAlive: false, hasRestarted };
    const alive = device.sign("alive");
    if (alive === undefined) return { link: "up", isAlive: false, hasRestarted };
    const evidence = await read(alive);
    const isAlive = evidence !== undefined && !isNothing(evidence.value);
    if (device.kind === "http") return { link: "up", isAlive, hasRestarted };
    // A value of before its start says nothing.
    const isNewer = available === undefined || transport.isNewer(alive, available.source);
    if (isAlive && isNewer) this.#silentSinceMs = undefined;
    else this.#silentSinceMs = hasRestarted ? this.#nowMs() : (this.#silentSinceMs ?? this.#nowMs());
    if (this.#silentSinceMs === undefined) return { link: "up", isAlive, hasRestarted };
    // It may publish on a change only, and is there by its own word.
    const isOverdue = isThere === "match" && this.#nowMs() - this.#silentSinceMs >= FIRST_VALUE_MS;
    return { link: isOverdue ? "up" : "starting", isAlive: isOverdue, hasRestarted };
  }

  async #startedAtMs(read: ReadValue): Promise<number | undefined> {
    const text = await this.#text(this.#options.device.sign("uptime"), read);
    return text === undefined || !Number.isFinite(Number(text))
      ? undefined
      : this.#nowMs() - Number(text) * 1000;
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  async #text(source: DeviceSource | undefined, read: ReadValue): Promise<string | undefined> {
    const value = source && (await read(source))?.value;
    return value === undefined || isNothing(value) ? undefined : value;
  }

  /** The state that replaces the wanted one while the device is locked. */
  async #lockedTo(state: ActuatorState, read: ReadValue): Promise<ActuatorState | undefined> {
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
    for (const [index, condition] of lock.all.entries())
      if (perLevel[index] === undefined && (await compared(condition, read)).verdict !== "match")
        return undefined;
    return lock.use;
  }

  /** Whether the device is as without a command: left to itself, after the end of a lease, or after its own start. */
  async #isResting({ live }: Looked, read: ReadValue): Promise<boolean> {
    const { device } = this.#options;
    for (const state of [device.neutral, "exit", "rest"]) {
      const checks = device.checks(state, wantedState(device.neutral), live);
      if (checks.length > 0 && (await this.#compared(checks, read)).verdict === "match") return true;
    }
    return false;
  }

  /** Whether any value that confirms a state is there. */
  async #hasAnyValue(live: Variables, read: ReadValue): Promise<boolean> {
    const { device } = this.#options;
    for (const state of device.states())
      for (const check of device.checks(state, wantedState(state), live))
        if ((await compared(check, read)).verdict !== "unknown") return true;
    return false;
  }

  async #shown(live: Variables, read: ReadValue): Promise<ActuatorState | undefined> {
    const { device } = this.#options;
    for (const state of device.states()) {
      const checks = device.checks(state, wantedState(state), live);
      if (checks.length > 0 && (await this.#compared(checks, read)).verdict === "match") return state;
    }
    return undefined;
  }

  /** By what the device shows that it lacks what the parameters name; what has shown its state once is there. */
  async #absent(checks: readonly Check[], read: ReadValue, signal: AbortSignal): Promise<string | undefined> {
    const { device, transport } = this.#options;
    const conditions = device.conditions("absent");
    if (conditions.length === 0) return undefined;
    for (const { source } of checks) {
      const { ask, ...last } = source;
      const evidence = await (ask === undefined ? read(source) : transport.read(last, 0, signal));
      if (evidence !== undefined && !isNothing(evidence.value)) return undefined;
    }
    for (const condition of conditions) {
      const { source } = condition;
      if ((await compared(condition, read)).verdict === "match")
        return device.redact(`${sourcePlace(source)} is ${(await read(source))?.value.slice(0, 60)}`);
    }
    return undefined;
  }

  async #active(conditions: readonly DeviceCondition[], read: ReadValue): Promise<number[]> {
    const active: number[] = [];
    for (const [index, condition] of conditions.entries())
      if ((await compared(condition, read)).verdict === "match") active.push(index);
    return active;
  }

  async #compared(checks: readonly Check[], read: ReadValue): Promise<Compared> {
    const all: Compared[] = [];
    for (const check of checks) all.push(await compared(check, read));
    const isNew = all.every((one) => one.isNew);
    const worst =
      all.find(({ verdict }) => verdict === "differ") ?? all.find(({ verdict }) => verdict === "unknown");
    if (worst !== undefined) return { ...worst, open: this.#options.device.redact(worst.open), isNew };
    return { verdict: all.length === 0 ? "unknown" : "match", isNew, open: "" };
  }

  /** What is missing for the command to be confirmed, or for the device to be there. */
  async #open({ command, live }: Looked, read: ReadValue): Promise<string> {
    const { device } = this.#options;
    const available = device.available();
    if (available !== undefined) {
      const { verdict, open } = await compared(available, read);
      if (verdict === "differ") return device.redact(open);
    }
    const state = command?.state ?? device.neutral;
    const { open } = await this.#compared(
      device.checks(state, command ?? wantedState(device.neutral), live),
      read,
    );
    return open;
  }
}
