import { setTimeout as wait } from "node:timers/promises";
import { isStored } from "../../bench/sites/devices.js";
import type { Home, TestFleet } from "./fleet.js";

const DAY_MS = 86_400_000;

/** Samples of one home over HTTP and MQTT, each with a time and a value of its own, and requests for its plan. */
export class HomeTraffic {
  readonly home: Home;
  readonly #pauseMs: number;
  readonly #hasDevices: boolean;
  /** Values by time in ms that were acknowledged: over HTTP by the gateway, over MQTT by the broker. */
  readonly acknowledged = { soc_pct: new Map<number, number>(), pv_power_kw: new Map<number, number>() };
  /** Status of refused telemetry; 0 without an answer. */
  readonly refused = new Map<number, number>();
  /** Times without a plan, ms. */
  readonly gaps: number[] = [];
  plans = 0;
  readonly #fleet: TestFleet;
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> = Promise.resolve();
  #lastPlanMs = performance.now();

  /**
   * `pauseMs`: between two of each kind. `hasDevices`: its devices send too; its samples are of the day before then, because two
   * courses of the state of charge contradict each other.
   */
  constructor(fleet: TestFleet, home: Home, { pauseMs = 200, hasDevices = false } = {}) {
    this.#fleet = fleet;
    this.#hasDevices = hasDevices;
    this.home = home;
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#lastPlanMs = performance.now();
    this.#loops = Promise.all([this.#overHttp(), this.#overMqtt(), this.#plans()]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loops;
    this.#endGap();
  }

  /** Acknowledged samples that are not in the history. */
  async missing(): Promise<{ reading: string; at: string; value: number }[]> {
    const missing = [];
    for (const [reading, acknowledged] of Object.entries(this.acknowledged)) {
      const stored = await this.#fleet.history(this.home, reading);
      for (const [ms, value] of acknowledged)
        if (stored.get(ms) !== value) missing.push({ reading, at: new Date(ms).toISOString(), value });
    }
    return missing;
  }

  async #overHttp(): Promise<void> {
    const yesterday = Date.now() - DAY_MS;
    for (let index = 0; await this.#next(); index++) {
      // Each has a time of its own: the pause is longer than a millisecond.
      const at = this.#hasDevices ? yesterday + index * 1000 : Date.now();
      // What a battery can do in a second.
      const soc_pct = 50 + (index % 100) / 1000;
      const sample = { timestamp: new Date(at).toISOString(), soc_pct };
      const answer = await this.#fleet
        .call("/v1/plant/telemetry", this.home.key, sample)
        .catch(() => undefined);
      const stored = answer?.ok === true && isStored(await answer.text());
      if (stored) this.acknowledged.soc_pct.set(at, soc_pct);
      else this.refused.set(answer?.status ?? 0, (this.refused.get(answer?.status ?? 0) ?? 0) + 1);
    }
  }

  async #overMqtt(): Promise<void> {
    // The history keeps one sample of ten seconds of those that come over MQTT.
    const from = Math.floor((Date.now() - 80 * DAY_MS) / 10_000) * 10_000;
    for (let index = 0; await this.#next(); index++) {
      const at = from + index * 10_000;
      const pv_power_kw = index % 10;
      const sample = { timestamp: new Date(at).toISOString(), pv_power_kw };
      await this.#fleet.publish(`${this.home.topics}/telemetry`, JSON.stringify(sample));
      this.acknowledged.pv_power_kw.set(at, pv_power_kw);
    }
  }

  /** Of a home with a battery in its settings the plan in force: one for stated values is computed each time. */
  async #plans(): Promise<void> {
    while (await this.#next()) {
      const answer = await this.#fleet
        .call("/v1/decision/hours-demand", this.home.key, this.home.stated ?? {})
        .catch(() => undefined);
      const plan = answer?.ok === true ? ((await answer.json()) as { error?: unknown }) : undefined;
      if (plan === undefined || plan.error !== undefined) continue;
      this.plans++;
      this.#endGap();
    }
  }

  /** Two answers in a row are no gap. */
  #endGap(): void {
    const now = performance.now();
    if (now - this.#lastPlanMs > 2.5 * this.#pauseMs) this.gaps.push(Math.round(now - this.#lastPlanMs));
    this.#lastPlanMs = now;
  }

  async #next(): Promise<boolean> {
    const { signal } = this.#stopping;
    await wait(this.#pauseMs, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }
}
