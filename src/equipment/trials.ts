import type { Site } from "../config/site.js";
import type { DeviceFault, TrialVerdict } from "../core/domain/actuator.js";
import type { LiveState } from "../core/domain/sample.js";
import type { Clock } from "../core/time/clock.js";
import { DeviceError } from "./command.js";
import { type BatteryPowers, batteryPowers, effectFault } from "./effect-proof.js";
import { keyOf } from "./held-actuators.js";
import { ActuatorInputError } from "./input-error.js";
import type { ActuatorService } from "./service.js";
import { TEST_RUN_MS } from "./test-run.js";

/** What a trial run has shown; the measured power is that of its end. */
export interface TrialResult {
  outcome: TrialVerdict;
  /** The probable cause of `missed` and `failed`. */
  fault: DeviceFault | undefined;
  message: string;
  wantedKw: number;
  /** Before the command, and at the end; positive while charging. */
  beforeKw: number | undefined;
  measuredKw: number | undefined;
  socPct: number | undefined;
  /** The device is as it was before. */
  isRestored: boolean;
  at: Date;
}

/** The trial run of a device: in progress since, or its result. */
export type TrialState = { since: Date } | { result: TrialResult };

interface TrialServiceOptions {
  clock: Clock;
  actuators: Pick<ActuatorService, "list" | "test">;
  sites: { get(id: string): Site | undefined };
  live(siteId: string): LiveState;
}

/** Power of a trial run, kW. */
const TRIAL_KW = 1;
/** Readings before show what the battery did without the command. */
const SETTLE_MS = 15_000;
const LOOK_MS = 2_000;
/** Time in which the device is left as it was. */
const RESTORE_MS = 20_000;
/** What `charge` does to a battery. */
const EFFECT = { servesLoad: false, storesPv: true, setsPower: true };

/**
 * Trial runs before the commands of a device are switched on: the battery charges with 1 kW for a minute, and the measured power
 * is watched. Everything is restored at the end, also of the gateway: what was sent is in the ledger of the device.
 */
export class TrialService {
  readonly #options: TrialServiceOptions;
  readonly #states = new Map<string, TrialState>();

  constructor(options: TrialServiceOptions) {
    this.#options = options;
  }

  /** The last trial run of a device since the start of the gateway. */
  stateOf(siteId: string, id: string): TrialState | undefined {
    return this.#states.get(keyOf(siteId, id));
  }

  /** Runs a trial until its minute is over, or until the signal. Throws ActuatorInputError. */
  async run(
    siteId: string,
    id: string,
    { powerKw = TRIAL_KW, signal }: { powerKw?: number; signal?: AbortSignal } = {},
  ): Promise<TrialResult> {
    const { clock, actuators } = this.#options;
    const key = keyOf(siteId, id);
    const status = actuators.list(siteId).find((one) => one.id === id);
    if (status === undefined) throw new ActuatorInputError(`There is no device "${id}" that takes commands.`);
    if (status.controls !== "battery")
      throw new ActuatorInputError(`A trial run is for a battery; "${id}" controls ${status.controls}.`);
    if (!status.states.includes("charge"))
      throw new ActuatorInputError(`"${id}" cannot charge on command; it can ${status.states.join(", ")}.`);
    const running = this.#states.get(key);
    if (running !== undefined && "since" in running)
      throw new ActuatorInputError(`A trial run of "${id}" is in progress; wait for its end.`);
    this.#states.set(key, { since: clock.now() });
    const result = await this.#tried(siteId, id, { powerKw, signal }).catch((error: unknown) => {
      this.#states.delete(key);
      throw error;
    });
    // Its site may have been removed meanwhile.
    if (this.#states.has(key)) this.#states.set(key, { result });
    return result;
  }

  /** Forgets the trial runs of a site that is removed. */
  forget(siteId: string): void {
    for (const key of this.#states.keys()) if (key.startsWith(keyOf(siteId, ""))) this.#states.delete(key);
  }

  async #tried(
    siteId: string,
    id: string,
    { powerKw, signal }: { powerKw: number; signal: AbortSignal | undefined },
  ): Promise<TrialResult> {
    const { clock, actuators } = this.#options;
    const before = this.#measured(siteId);
    const end = new AbortController();
    const startMs = clock.now().getTime();
    const stop = () => end.abort();
    signal?.addEventListener("abort", stop, { once: true });
    let failure: DeviceError | undefined;
    try {
      if (signal?.aborted) stop();
      await actuators.test(siteId, id, "charge", { powerKw, signal: end.signal });
      while (!end.signal.aborted && clock.now().getTime() - startMs < TEST_RUN_MS - LOOK_MS)
        await this.#wait(LOOK_MS);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      failure = error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
    const isEnded = end.signal.aborted;
    const after = this.#measured(siteId);
    end.abort();
    const isRestored = await this.#isRestored(siteId, id);
    return {
      ...this.#verdict({ powerKw, startMs, after, isEnded, failure }),
      wantedKw: powerKw,
      beforeKw: before?.powerKw,
      measuredKw: after?.powerKw,
      socPct: after?.socPct,
      isRestored,
      at: clock.now(),
    };
  }

  #verdict(of: {
    powerKw: number;
    startMs: number;
    after: BatteryPowers | undefined;
    isEnded: boolean;
    failure: DeviceError | undefined;
  }): Pick<TrialResult, "outcome" | "fault" | "message"> {
    const { powerKw, startMs, after, isEnded, failure } = of;
    if (isEnded) return { outcome: "ended", fault: undefined, message: "The trial run was ended." };
    if (failure !== undefined)
      return {
        outcome: "failed",
        fault: failure.fault,
        message: `The device did not take the command: ${failure.message}.`,
      };
    if (after === undefined || after.at.getTime() < startMs + SETTLE_MS)
      return {
        outcome: "unmeasured",
        fault: undefined,
        message: "The device has taken the command, but no reading shows the power of the battery.",
      };
    const fault = effectFault({ state: "charge", powerKw, socStopPct: 100 }, EFFECT, after);
    const measured = `measured are ${after.powerKw.toFixed(1)} kW of ${powerKw.toFixed(1)} kW`;
    if (fault === undefined) return { outcome: "shown", fault, message: `The battery charges: ${measured}.` };
    return { outcome: "missed", fault, message: `The battery does not charge as commanded: ${measured}.` };
  }

  /** Waits until the device is as the plan or its dry run wants it. */
  async #isRestored(siteId: string, id: string): Promise<boolean> {
    const { clock, actuators } = this.#options;
    const untilMs = clock.now().getTime() + RESTORE_MS;
    for (;;) {
      const status = actuators.list(siteId).find((one) => one.id === id);
      const isDone =
        status !== undefined &&
        status.phase !== "sending" &&
        (status.accepted === null || status.accepted.state === status.wanted?.state);
      if (isDone || clock.now().getTime() >= untilMs) return isDone;
      await this.#wait(500);
    }
  }

  #measured(siteId: string): BatteryPowers | undefined {
    const { sites, live } = this.#options;
    return batteryPowers(sites.get(siteId), () => live(siteId));
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => clock.at(new Date(clock.now().getTime() + ms), resolve));
  }
}
