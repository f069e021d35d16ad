import type { Site } from "../config/site.js";
import { DeviceError } from "./command.js";
import type { Effect, MachineState } from "./machine/device-state.js";
import { MOST_ATTEMPTS } from "./machine/questions.js";
import { parseControls } from "./states.js";
import type { Wanted } from "./wanted.js";

/** How a command ended: shown by the device, taken by its controller, or taken but not followed. */
export type Outcome = "confirmed" | "accepted" | "declined";

export const TEST_RUN_MS = 60_000;

/** How a state is tested. */
export interface TestOptions {
  /** Left out: the power of the device in its settings. */
  powerKw?: number | undefined;
  /** Ends the test before its minute is over. */
  signal?: AbortSignal | undefined;
}

/** A state that a user sends now; it is kept for a minute. */
export class TestRun {
  readonly wanted: Wanted;
  untilMs: number;
  readonly outcome: Promise<Outcome>;
  #isSettled = false;
  #failedAttempts = 0;
  #hasFailed = false;
  #resolve!: (outcome: Outcome) => void;
  #reject!: (error: DeviceError) => void;

  constructor(wanted: Wanted, nowMs: number) {
    this.wanted = wanted;
    this.untilMs = nowMs + TEST_RUN_MS;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.outcome.catch(() => {});
  }

  /** Whether its time is over; a command that was still in progress has then failed. */
  isOver(nowMs: number): boolean {
    if (nowMs < this.untilMs) return false;
    this.fail(new DeviceError("not_confirmed", "the device has not taken the command within a minute"));
    return true;
  }

  /** Ends it with the signal; `onEnd`: it is over. */
  endOn(signal: AbortSignal, onEnd: () => void): void {
    const end = () => {
      this.untilMs = Number.NEGATIVE_INFINITY;
      this.fail(new DeviceError("not_confirmed", "the test was ended"));
      onEnd();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  }

  /** It could not run, or had no effect. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Sees a step of the machine. */
  follow(state: MachineState, effects: readonly Effect[]): undefined {
    if (this.#isSettled || state.target.kind !== "state" || !state.target.isTest) return;
    const { stand, wait, reading, error, owned } = state;
    this.#failedAttempts += effects.filter(
      (effect) => effect.kind === "note" && effect.event === "failed",
    ).length;
    const done = effects.find((effect) => effect.kind === "note" && isOutcome(effect.event));
    if (reading?.lockedTo !== undefined)
      return this.fail(
        new DeviceError("refused", `the device is locked: "${reading.lockedTo}" is kept meanwhile`),
      );
    if (stand.kind === "failed" || this.#failedAttempts >= MOST_ATTEMPTS)
      return this.fail(new DeviceError(error?.fault ?? "not_confirmed", error?.message ?? "no answer"));
    if (wait?.for === "device")
      return this.fail(new DeviceError("unreachable", reading?.open || "the device is not available"));
    if (
      state.isTestSent &&
      done?.kind === "note" &&
      owned?.state === this.wanted.state &&
      stand.kind === "holding"
    ) {
      this.#isSettled = true;
      this.#resolve(done.event as Outcome);
    }
  }

  fail(error: DeviceError): undefined {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#hasFailed = true;
    this.#reject(error);
  }
}

function isOutcome(event: string): event is Outcome {
  return event === "confirmed" || event === "accepted" || event === "declined";
}

/** Power of a test where the settings state none, kW. */
const TEST_KW = 1;

/** The power of the device that an actuator controls, by the settings of its site, kW. */
export function ratedPowerKw(site: Site | undefined, controls: string): number {
  const { control, slot } = parseControls(controls) ?? {};
  if (control === "battery") return site?.plant.battery?.max_charge_power_kw ?? TEST_KW;
  return site?.plant.slots.find((one) => one.slot === slot)?.power_kw ?? TEST_KW;
}
