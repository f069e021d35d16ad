import { DAY_MS, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { type HomeCommands, type HomeFlows, NO_FLOWS, type SimulatedHome } from "../../plan/physics/home.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import type { MqttHome } from "./mqtt-home.js";
import { createHome, METER_DAYS_BEFORE, type Scenario, TARIFF } from "./scenario.js";

/** Money and energy of one simulated day. */
export interface DayResult {
  /** 1 for the first day. */
  day: number;
  /** Cost of the controlled home and of its uncontrolled twin, ct. */
  controlledCt: number;
  uncontrolledCt: number;
  controlled: HomeFlows;
  socPct: number;
  /** Messages that the gateway refused so far. */
  refused: number;
}

/** Commands of the uncontrolled home: wallbox and boiler are always enabled. */
const UNCONTROLLED: HomeCommands = { wallboxOn: true, boilerOn: true };
const TIME_ZONE = "Europe/Vienna";

/** A simulated home and its uncontrolled twin in the scenario, minute by minute. */
export class DemoRun {
  readonly #scenario: Scenario;
  readonly #prices = compileTariff(TARIFF, TIME_ZONE);
  readonly #home: SimulatedHome;
  readonly #twin: SimulatedHome;
  #at: Date;

  constructor(scenario: Scenario, seed: number, hasDevices = true) {
    this.#scenario = scenario;
    this.#home = createHome(seed, hasDevices);
    this.#twin = createHome(seed, hasDevices);
    this.#at = new Date(scenario.start.getTime() - METER_DAYS_BEFORE * DAY_MS);
  }

  get home(): SimulatedHome {
    return this.#home;
  }

  /** Runs both homes without control up to the scenario's start and returns the meter readings of each quarter-hour. */
  history(): Record<string, unknown>[] {
    const samples: Record<string, unknown>[] = [];
    while (this.#at < this.#scenario.start) {
      const step = this.#scenario.stepAt(this.#at, 15);
      this.#home.advance(step, UNCONTROLLED);
      this.#twin.advance(step, UNCONTROLLED);
      this.#at = new Date(this.#at.getTime() + QUARTER_MS);
      const { ev_connected: _, ...readings } = this.#home.readings();
      samples.push({ timestamp: this.#at.toISOString(), ...readings });
    }
    return samples;
  }

  /**
   * Simulates `days` days on the gateway's clock, minute by minute, with the current commands. Publishes the meters every
   * `reportMinutes` (default 1). `pause` waits until the clock has advanced; it returns false to end early.
   */
  async follow(options: {
    link: MqttHome;
    days: number;
    reportMinutes?: number;
    now: () => Date;
    pause: () => Promise<boolean>;
    onDay: (day: DayResult) => void;
  }): Promise<void> {
    const { link, now, reportMinutes = 1 } = options;
    for (let day = 1; day <= options.days; day++) {
      const end = new Date(this.#scenario.start.getTime() + day * DAY_MS);
      let result: DayResult = { ...EMPTY_DAY, day };
      while (this.#at < end) {
        if (this.#at.getTime() + MINUTE_MS > now().getTime()) {
          if (!(await options.pause())) return;
          continue;
        }
        result = this.#minute(link.commands, result);
        if (this.#at.getTime() % (reportMinutes * MINUTE_MS) === 0) await link.report(this.#home, this.#at);
      }
      options.onDay({ ...result, socPct: this.#home.socPct, refused: link.refused });
    }
  }

  #minute(commands: HomeCommands, day: DayResult): DayResult {
    const step = this.#scenario.stepAt(this.#at, 1);
    const controlled = this.#home.advance(step, commands);
    const uncontrolled = this.#twin.advance(step, UNCONTROLLED);
    const spot = this.#scenario.priceAt(this.#at) / 10;
    const cost = (flows: HomeFlows) =>
      flows.importKwh * this.#prices.importCtKwh(spot, this.#at) -
      flows.exportKwh * this.#prices.exportCtKwh(spot, this.#at);
    this.#at = new Date(this.#at.getTime() + MINUTE_MS);
    const sum = { ...day.controlled };
    for (const name of Object.keys(sum) as (keyof HomeFlows)[]) sum[name] += controlled[name];
    return {
      ...day,
      controlledCt: day.controlledCt + cost(controlled),
      uncontrolledCt: day.uncontrolledCt + cost(uncontrolled),
      controlled: sum,
    };
  }
}

const EMPTY_DAY: Omit<DayResult, "day"> = {
  controlledCt: 0,
  uncontrolledCt: 0,
  controlled: NO_FLOWS,
  socPct: 0,
  refused: 0,
};
