import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import type { Device } from "../../../src/plan/devices/device.js";
import { planDevices, withLoads } from "../../../src/plan/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { Command, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import type { Policy } from "../../../src/plan/policy/solved-policy.js";
import { loadHighs } from "../../support/highs.js";
import { seeded } from "../../support/random.js";
import { type Cell, Course, type World } from "../closed-loop/course.js";
import { DAY_MS, HOUR_MS, Homes, publishedUntil, QUARTER_MS, readPrices, Sun } from "../closed-loop/data.js";
import { batteryOf } from "../closed-loop/run-cell.js";

type Strategy = "cost" | "price" | "thermostat" | "known";

const VEHICLE = { maxKwh: 50, targetKwh: 30, useKwh: 8, efficiency: 0.9, minPowerKw: 1.4, maxPowerKw: 11 };
const TANK = { maxKwh: 6, powerKw: 3, lossKwh: 0.05, dailyKwh: 6 };
const LEAVES = 7;
const RETURNS = 17.5;
const HORIZON_HOURS = 96;
const REPLAN_HOURS = 3;
const DRAW_HOURS: Readonly<Record<number, number>> = { 6: 0.3, 7: 0.2, 12: 0.1, 18: 0.2, 20: 0.2 };

/** A stay of the vehicle away from home, in ms. */
interface Trip {
  leavesMs: number;
  returnsMs: number;
}

/** What the home does with its devices: the same in each run. */
class Household {
  readonly trips: Trip[] = [];
  readonly #draws = new Map<number, number>();

  constructor(startMs: number, days: number) {
    const random = seeded(11);
    for (let ms = startMs - DAY_MS; ms < startMs + (days + 8) * DAY_MS; ms += HOUR_MS) {
      const { hour } = localTime(new Date(ms), VIENNA);
      if (hour === LEAVES) {
        // One evening in seven the vehicle comes back one to three hours late.
        const late = random.next() < 1 / 7 ? 1 + 2 * random.next() : 0;
        const away = Math.round((RETURNS - LEAVES + late) * 4) / 4;
        this.trips.push({ leavesMs: ms, returnsMs: ms + away * HOUR_MS });
      }
      const share = DRAW_HOURS[hour];
      if (share !== undefined) this.#draws.set(ms, TANK.dailyKwh * share * (0.5 + random.next()));
    }
  }

  isHome(ms: number): boolean {
    return !this.trips.some(({ leavesMs, returnsMs }) => ms >= leavesMs && ms < returnsMs);
  }

  leaves(ms: number): boolean {
    return this.trips.some(({ leavesMs }) => leavesMs === ms);
  }

  /** Hot water of a quarter-hour, kWh. */
  drawKwh(ms: number): number {
    return (this.#draws.get(Math.floor(ms / HOUR_MS) * HOUR_MS) ?? 0) / 4;
  }
}

interface Run {
  costCt: number;
  missed: number;
  coldHours: number;
}

/**
 * `npm run bench -- commuter --data FOLDER [--days n] [--home h] [--start date] [--peak kWp]`: two months of a recorded home with
 * battery, PV, a commuter's vehicle and a boiler, planned hourly on forecasts, by cost, by price alone, with a thermostat, and
 * with everything known.
 */
export async function benchCommuter(args: readonly string[]): Promise<void> {
  const option = (name: string, otherwise: string) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : args[at + 1]!;
  };
  const cell: Cell = {
    home: option("home", "h03_tyrol_2023"),
    start: option("start", "2023-06-01"),
    days: Number(option("days", "60")),
    peakKw: Number(option("peak", "5")),
    batteryKwh: 10,
    feedIn: "spot",
    set: "tuning",
    irregular: false,
  };
  const world: World = { homes: new Homes(), sun: new Sun(), prices: readPrices() };
  const highs = await loadHighs();
  const course = new Course(cell, world);
  const household = new Household(course.startMs, cell.days);
  for (const strategy of ["thermostat", "price", "cost", "known"] as const) {
    const began = performance.now();
    const { costCt, missed, coldHours } = new Simulation({ cell, course, household, highs, strategy }).run();
    console.log(
      `${strategy}: ${(costCt / 100).toFixed(2)} EUR, departures missed ${missed}, hours below the least temperature ${coldHours.toFixed(1)}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
  }
}

interface SimulationInput {
  cell: Cell;
  course: Course;
  household: Household;
  highs: Awaited<ReturnType<typeof loadHighs>>;
  strategy: Strategy;
}

class Simulation {
  readonly #of: SimulationInput;
  readonly #battery;
  #soc: number;
  #vehicle = VEHICLE.targetKwh;
  #tank = TANK.maxKwh / 2;
  /** Planned energies of the devices, kWh a quarter-hour, by its start. */
  #planned = [new Map<number, number>(), new Map<number, number>()];
  #policy: Policy | undefined;
  #previous: Command | undefined;
  #model: ReturnType<typeof learnLoad> | undefined;

  constructor(of: SimulationInput) {
    this.#of = of;
    this.#battery = batteryOf(of.cell.batteryKwh);
    this.#soc = 0.5 * of.cell.batteryKwh;
  }

  run(): Run {
    const { course, household, strategy } = this.#of;
    const run: Run = { costCt: 0, missed: 0, coldHours: 0 };
    for (let k = 0; k < course.count; k++) {
      const ms = course.startMs + k * QUARTER_MS;
      if (household.leaves(ms)) {
        if (this.#vehicle < VEHICLE.targetKwh - 0.2) run.missed++;
        this.#vehicle -= VEHICLE.useKwh;
      }
      const arrives = household.isHome(ms) && !household.isHome(ms - QUARTER_MS);
      const isDue = strategy === "known" ? k === 0 : k % (REPLAN_HOURS * 4) === 0 || arrives;
      if (isDue) this.#planDevices(ms);
      if (k % 4 === 0 || isDue) this.#planBattery(ms);
      const taken = [this.#charge(ms), this.#heat(ms)];
      this.#vehicle += VEHICLE.efficiency * taken[0]!;
      this.#tank += taken[1]! - household.drawKwh(ms) - TANK.lossKwh / 4;
      if (this.#tank < 0) {
        run.coldHours += 0.25;
        this.#tank = 0;
      }
      run.costCt += this.#step(k, taken[0]! + taken[1]!);
    }
    // What is left is worth a cheap kWh.
    run.costCt -= 15 * (this.#soc + this.#vehicle / VEHICLE.efficiency + this.#tank);
    return run;
  }

  #step(k: number, deviceKwh: number): number {
    const { course } = this.#of;
    const before = Math.max(0, k - 1);
    const command = this.#policy!.act({
      now: new Date(course.startMs + k * QUARTER_MS),
      socKwh: this.#soc,
      netLoadKw: (course.load[before]! - course.pv[before]! + deviceKwh) * 4,
      ...(this.#previous && { previous: this.#previous }),
    });
    this.#previous = command;
    const flows = inverterStep({
      storage: this.#battery,
      command,
      step: { minutes: 15, loadKwh: course.load[k]! + deviceKwh, pvKwh: course.pv[k]! },
      socKwh: this.#soc,
    });
    this.#soc = flows.socEndKwh;
    return (
      flows.importKwh * course.importCt[k]! -
      flows.exportKwh * course.exportCt[k]! +
      flows.dischargeKwh * this.#battery.wearCtKwh!
    );
  }

  #charge(ms: number): number {
    if (!this.#of.household.isHome(ms)) return 0;
    const room = Math.max(0, VEHICLE.maxKwh - this.#vehicle) / VEHICLE.efficiency;
    return Math.min(this.#planned[0]!.get(ms) ?? 0, room);
  }

  #heat(ms: number): number {
    const room = Math.max(0, TANK.maxKwh - this.#tank);
    const full = Math.min(TANK.powerKw / 4, room);
    // Each tank has a thermostat that keeps it from getting cold.
    if (this.#tank < 0.3) return full;
    if (this.#of.strategy === "thermostat") return this.#tank < TANK.maxKwh / 2 ? full : 0;
    return Math.min(this.#planned[1]!.get(ms) ?? 0, room);
  }

  #planDevices(ms: number): void {
    const { strategy, highs } = this.#of;
    if (strategy === "thermostat" || strategy === "price") {
      this.#planned = [this.#cheapestNight(ms), this.#cheapestHeat(ms)];
      return;
    }
    const site = this.#site(ms);
    const devices = this.#devices(ms, site.steps);
    const input = { site, socKwh: this.#soc, devices };
    const start = relaxedEnergies(highs, input);
    const { kwh } = planDevices({ ...input, ...(start && { start }), sweeps: 4 });
    const least = [VEHICLE.minPowerKw, TANK.powerKw];
    this.#planned = kwh.map((energies, d) => {
      const quarters = new Map<number, number>();
      for (const [t, energy] of energies.entries()) {
        const step = site.steps[t]!;
        const hours = step.minutes / 60;
        const powerKw = Math.max(least[d]!, energy / hours);
        let left = energy;
        for (
          let at = step.start.getTime();
          left > 1e-6 && at < step.start.getTime() + hours * HOUR_MS;
          at += QUARTER_MS
        ) {
          quarters.set(at, Math.min(left, powerKw / 4));
          left -= Math.min(left, powerKw / 4);
        }
      }
      return quarters;
    });
  }

  /** The hours with the lowest prices until the departure, at full power. */
  #cheapestNight(ms: number): Map<number, number> {
    const { course, household } = this.#of;
    const until = publishedUntil(ms);
    const departure = household.trips.find(({ leavesMs }) => leavesMs > ms)!.leavesMs;
    const quarters: number[] = [];
    for (let at = ms; at < departure; at += QUARTER_MS) if (household.isHome(ms)) quarters.push(at);
    quarters.sort((a, b) => course.spotForecast(a, until) - course.spotForecast(b, until) || a - b);
    const planned = new Map<number, number>();
    let left = Math.max(0, VEHICLE.targetKwh - this.#vehicle) / VEHICLE.efficiency;
    for (const at of quarters) {
      if (left <= 1e-6) break;
      planned.set(at, Math.min(left, VEHICLE.maxPowerKw / 4));
      left -= Math.min(left, VEHICLE.maxPowerKw / 4);
    }
    return planned;
  }

  /** The cheapest quarter-hours of the next 24 hours for what is drawn and lost in them. */
  #cheapestHeat(ms: number): Map<number, number> {
    if (this.#of.strategy === "thermostat") return new Map();
    const { course } = this.#of;
    const until = publishedUntil(ms);
    const quarters = Array.from({ length: 96 }, (_, q) => ms + q * QUARTER_MS).sort(
      (a, b) => course.spotForecast(a, until) - course.spotForecast(b, until) || a - b,
    );
    const need = Math.max(0, TANK.dailyKwh + 24 * TANK.lossKwh - this.#tank);
    const count = Math.ceil(need / (TANK.powerKw / 4));
    return new Map(quarters.slice(0, count).map((at) => [at, TANK.powerKw / 4]));
  }

  #planBattery(ms: number): void {
    const site = this.#site(ms);
    const loads = this.#planned.map((quarters) => ({
      kwh: site.steps.map((step) => {
        let sum = 0;
        for (
          let at = step.start.getTime();
          at < step.start.getTime() + step.minutes * 60_000;
          at += QUARTER_MS
        )
          sum += quarters.get(at) ?? 0;
        return sum;
      }),
      batteryServes: true,
    }));
    this.#policy = planPolicy(withLoads(site, loads).site);
  }

  #site(ms: number) {
    const { course, strategy, cell } = this.#of;
    const isKnown = strategy === "known";
    if (this.#model === undefined || (!isKnown && ms % DAY_MS === 0)) {
      const history = [...course.series]
        .filter(([at]) => at < ms && at >= ms - 70 * DAY_MS)
        .sort(([a], [b]) => a - b)
        .map(([at, kwh]) => ({ start: new Date(at), kwh }));
      this.#model = learnLoad({ history, timeZone: VIENNA, now: new Date(ms) });
    }
    const firstHour = Math.floor(ms / HOUR_MS) * HOUR_MS;
    const endMs = course.startMs + course.count * QUARTER_MS;
    const hours = isKnown ? Math.round((endMs - firstHour) / HOUR_MS) : HORIZON_HOURS;
    const until = publishedUntil(ms);
    const { loadKwh, ratios } = forecastLoad(this.#model, { start: new Date(firstHour), hours });
    const steps = Array.from({ length: hours }, (_, h): PolicyStep => {
      const hourMs = firstHour + h * HOUR_MS;
      const start = Math.max(hourMs, ms);
      const minutes = (hourMs + HOUR_MS - start) / 60_000;
      const spot = isKnown ? course.spot(hourMs) : course.spotForecast(hourMs, until);
      const sum = (of: (at: number) => number) => {
        let total = 0;
        for (let at = start; at < hourMs + HOUR_MS; at += QUARTER_MS) total += of(at);
        return total;
      };
      return {
        start: new Date(start),
        minutes,
        importCtKwh: (spot + 10.5) * 1.2,
        exportCtKwh: spot - 0.6,
        loadKwh: isKnown ? sum((at) => course.series.get(at) ?? 0) : (loadKwh[h]! * minutes) / 60,
        pvKwh: isKnown ? sum((at) => course.pvAt(at)) : (course.pvForecast(hourMs, ms) * minutes) / 60,
        published: isKnown || hourMs < until,
      };
    });
    return {
      now: new Date(ms),
      steps,
      ratios: isKnown ? [] : ratios,
      battery: batteryOf(cell.batteryKwh),
      controls: ["charge", "hold", "block"] as const,
    };
  }

  /** Vehicle and tank as the gateway would plan them: usual times, or the real ones where all is known. */
  #devices(ms: number, steps: readonly PolicyStep[]): Device[] {
    const { household, strategy } = this.#of;
    const isKnown = strategy === "known";
    const first = household.trips.find(({ leavesMs }) => leavesMs > ms)!.leavesMs;
    const isHomeNow = household.isHome(ms);
    const isHome = (at: number): boolean => {
      if (isKnown) return household.isHome(at);
      if (at < first) return isHomeNow || localTime(new Date(at), VIENNA).hour >= 18;
      const { hour } = localTime(new Date(at), VIENNA);
      return hour >= 18 || hour < LEAVES;
    };
    const leavesAt = (step: PolicyStep) =>
      localTime(step.start, VIENNA).hour === LEAVES && step.minutes === 60;
    return [
      {
        kind: "store",
        store: {
          stages: steps.map((step) => {
            const end = step.start.getTime() + step.minutes * 60_000;
            const leavesNext = localTime(new Date(end), VIENNA).hour === LEAVES;
            return {
              hours: step.minutes / 60,
              available: isHome(step.start.getTime()),
              drawKwh: leavesAt(step) ? VEHICLE.useKwh : 0,
              leastKwh: leavesNext ? VEHICLE.targetKwh : 0,
            };
          }),
          storedKwh: this.#vehicle,
          maxKwh: VEHICLE.maxKwh,
          efficiency: VEHICLE.efficiency,
          minPowerKw: VEHICLE.minPowerKw,
          maxPowerKw: VEHICLE.maxPowerKw,
          lossPerHour: 0,
          worthCtKwh: 15,
        },
      },
      {
        kind: "store",
        store: {
          stages: steps.map((step) => {
            const { hour } = localTime(step.start, VIENNA);
            let known = 0;
            for (
              let at = step.start.getTime();
              at < step.start.getTime() + step.minutes * 60_000;
              at += QUARTER_MS
            )
              known += household.drawKwh(at);
            const usual = (TANK.dailyKwh * (DRAW_HOURS[hour] ?? 0) * step.minutes) / 60;
            return {
              hours: step.minutes / 60,
              available: true,
              drawKwh: (isKnown ? known : usual) + (TANK.lossKwh * step.minutes) / 60,
              leastKwh: isKnown ? 0 : 0.5,
            };
          }),
          storedKwh: this.#tank,
          maxKwh: TANK.maxKwh,
          efficiency: 1,
          minPowerKw: TANK.powerKw,
          maxPowerKw: TANK.powerKw,
          lossPerHour: 0,
          worthCtKwh: 15,
        },
      },
    ];
  }
}
