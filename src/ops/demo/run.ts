import { DAY_MS, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { dayOf } from "../../core/time/zone.js";
import { storedWorthCt } from "../../money/ledger/runs.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { type HomeCommands, type HomeFlows, NO_FLOWS, type SimulatedHome } from "./home.js";
import type { MqttHome } from "./mqtt-home.js";
import { BATTERY, CAR, createHome, METER_DAYS_BEFORE, type Scenario, TARIFF } from "./scenario.js";

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

/** Money of all days so far. */
export interface DemoSummary {
  /** Whole days; undefined if the last one is not over. */
  days: number | undefined;
  controlledCt: number;
  uncontrolledCt: number;
  /**
   * Worth of what the controlled home stores more than its twin, ct: in the battery as in the ledger, in the vehicle at what charging cost
   * the twin, and in the water at what heating cost it on the day on which it took another energy.
   */
  storedCt: number;
}

/** Commands of the uncontrolled home: wallbox and boiler are always enabled, and the car stops at what is to be in it. */
const UNCONTROLLED: HomeCommands = { wallboxOn: true, boilerOn: true, carLimitPct: CAR.targetPct };
const TIME_ZONE = "Europe/Vienna";

/** A simulated home and its uncontrolled twin in the scenario. */
export class DemoRun {
  readonly #scenario: Scenario;
  readonly #prices = compileTariff(TARIFF, TIME_ZONE);
  readonly #home: SimulatedHome;
  readonly #twin: SimulatedHome;
  #at: Date;
  #sum = { days: 0, controlledCt: 0, uncontrolledCt: 0 };
  /** What the twin's wallbox took, and the boilers of both on this day, with the price for the twin. */
  readonly #wallbox = { kwh: 0, ct: 0 };
  #boiler = { homeKwh: 0, kwh: 0, ct: 0 };
  /** Worth of the water of the days before, ct. */
  #waterCt = 0;

  constructor(scenario: Scenario, seed: number, hasDevices = true) {
    this.#scenario = scenario;
    this.#home = createHome(seed, hasDevices);
    this.#twin = createHome(seed, hasDevices);
    this.#at = new Date(scenario.start.getTime() - METER_DAYS_BEFORE * DAY_MS);
  }

  get summary(): DemoSummary {
    const { days, ...sum } = this.#sum;
    const isWhole = this.#at.getTime() === this.#scenario.start.getTime() + days * DAY_MS;
    const [home, twin] = [this.#home.storedKwh, this.#twin.storedKwh];
    return {
      ...sum,
      days: isWhole ? days : undefined,
      storedCt:
        (home.battery - twin.battery) * storedWorthCt(this.#lastDay(), BATTERY) +
        (home.vehicle - twin.vehicle) * meanCt(this.#wallbox) +
        this.#waterCt +
        this.#waterOfDayCt(),
    };
  }

  #waterOfDayCt(): number {
    return (this.#boiler.homeKwh - this.#boiler.kwh) * meanCt(this.#boiler);
  }

  /** The prices of the day that was simulated last. */
  #lastDay(): { importCtKwh: number }[] {
    const { start, end } = dayOf(new Date(this.#at.getTime() - 1), TIME_ZONE);
    const count = (end.getTime() - start.getTime()) / QUARTER_MS;
    return Array.from({ length: count }, (_, t) => {
      const at = new Date(start.getTime() + t * QUARTER_MS);
      return { importCtKwh: this.#prices.importCtKwh(this.#scenario.priceAt(at) / 10, at) };
    });
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
   * Simulates up to `until` on the gateway's clock, in steps of `stepMinutes` (default 1), with the current commands. Publishes the meters every
   * `reportMinutes` (default: each step). `pause` waits until the clock has advanced; it returns false to end early. `onStep` is
   * called when the meters of a step are published.
   */
  async follow(options: {
    link: Pick<MqttHome, "commands" | "report" | "refused">;
    until: Date;
    stepMinutes?: number;
    reportMinutes?: number;
    now: () => Date;
    pause: () => Promise<boolean>;
    onStep?: (at: Date) => Promise<void>;
    onDay: (day: DayResult) => void;
  }): Promise<void> {
    const { link, now, until, stepMinutes = 1, reportMinutes = stepMinutes, onStep } = options;
    let result: DayResult = { ...EMPTY_DAY, day: 1 };
    while (this.#at < until) {
      const minutes = Math.min(stepMinutes, (until.getTime() - this.#at.getTime()) / MINUTE_MS);
      if (this.#at.getTime() + minutes * MINUTE_MS > now().getTime()) {
        if (!(await options.pause())) return;
        continue;
      }
      result = this.#step(minutes, link.commands, result);
      const isDue = this.#at.getTime() % (reportMinutes * MINUTE_MS) === 0 || minutes < stepMinutes;
      if (isDue) await link.report(this.#home, this.#at);
      await onStep?.(this.#at);
      if (this.#at.getTime() - this.#scenario.start.getTime() < result.day * DAY_MS) continue;
      options.onDay({ ...result, socPct: this.#home.socPct, refused: link.refused });
      this.#sum.days = result.day;
      this.#waterCt += this.#waterOfDayCt();
      this.#boiler = { homeKwh: 0, kwh: 0, ct: 0 };
      result = { ...EMPTY_DAY, day: result.day + 1 };
    }
  }

  #step(minutes: number, commands: HomeCommands, day: DayResult): DayResult {
    const step = this.#scenario.stepAt(this.#at, minutes);
    const controlled = this.#home.advance(step, commands);
    const uncontrolled = this.#twin.advance(step, UNCONTROLLED);
    const spot = this.#scenario.priceAt(this.#at) / 10;
    const importCtKwh = this.#prices.importCtKwh(spot, this.#at);
    const exportCtKwh = this.#prices.exportCtKwh(spot, this.#at);
    const cost = (flows: HomeFlows) => flows.importKwh * importCtKwh - flows.exportKwh * exportCtKwh;
    this.#at = new Date(this.#at.getTime() + minutes * MINUTE_MS);
    const [controlledCt, uncontrolledCt] = [cost(controlled), cost(uncontrolled)];
    this.#sum.controlledCt += controlledCt;
    this.#sum.uncontrolledCt += uncontrolledCt;
    const marginalCtKwh = uncontrolled.exportKwh > 0 ? exportCtKwh : importCtKwh;
    this.#wallbox.kwh += uncontrolled.wallboxKwh;
    this.#wallbox.ct += uncontrolled.wallboxKwh * marginalCtKwh;
    this.#boiler.homeKwh += controlled.boilerKwh;
    this.#boiler.kwh += uncontrolled.boilerKwh;
    this.#boiler.ct += uncontrolled.boilerKwh * marginalCtKwh;
    const sum = { ...day.controlled };
    for (const name of Object.keys(sum) as (keyof HomeFlows)[]) sum[name] += controlled[name];
    return {
      ...day,
      controlledCt: day.controlledCt + controlledCt,
      uncontrolledCt: day.uncontrolledCt + uncontrolledCt,
      controlled: sum,
    };
  }
}

const meanCt = ({ kwh, ct }: { kwh: number; ct: number }) => (kwh === 0 ? 0 : ct / kwh);

const EMPTY_DAY: Omit<DayResult, "day"> = {
  controlledCt: 0,
  uncontrolledCt: 0,
  controlled: NO_FLOWS,
  socPct: 0,
  refused: 0,
};
