import { DAY_MS, HOUR_MS, hoursOf, type Interval, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { ForecastHour } from "../../../src/forecast/price/forecast.js";
import { type MeasuredPvNodes, nodesOfRatios } from "../../../src/forecast/pv/nodes.js";
import { assemble } from "../../../src/plan/assemble.js";
import type { AssemblyInput, PlannedFlex } from "../../../src/plan/assembly-input.js";
import { jointQuestion, slotCostsOf } from "../../../src/plan/devices/joint-question.js";
import { planDevices } from "../../../src/plan/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import type { NetLoad } from "../../../src/plan/net-load.js";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { planSite } from "../../../src/plan/plan-site.js";
import type { Command } from "../../../src/plan/policy/policy-input.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { flexLoadKwh } from "../../../src/plan/windows/load.js";
import { SiteSlots } from "../../../src/plan/windows/site-slots.js";
import { slotMoment } from "../../../src/plan/windows/slot-schedule.js";
import { memoryDocuments } from "../../api/fake-services.js";
import type { Highs } from "../../support/highs.js";
import { publishedUntil } from "../closed-loop/data.js";
import { type DeviceEnergies, type HomeState, knownCourse } from "./known.js";
import { DAYS, KWH_PER_K, LOSS_KW_PER_K, ROOM_C, type SeededCarHome } from "./seeded-home.js";

const CAR = 1;
const BOILER = 2;
const PRICE_DAYS = 10;
const LEARNED_DAYS = 28;
const CERTAIN_PV: MeasuredPvNodes = { factors: [1], shares: [1], persistence: 0 };
/** Least expected energy of an hour of daylight, as a share of the peak power. */
const LEAST_SHARE = 0.02;
/** The thermostat of the tank opens at its highest temperature, and closes this much below. */
const HYSTERESIS_K = 3;

/** What the planner is told in place of its forecasts. */
export interface Told {
  load: boolean;
  pv: boolean;
  price: boolean;
}

export interface RunOptions {
  highs: Highs;
  /** Hours that are planned. */
  horizonHours: number;
  /** Quarter-hours from one plan of the devices to the next. */
  everyQuarters: number;
  told: Told;
}

export interface RunResult {
  /** Cost of each day from noon to noon, ct. */
  days: number[];
  /** Cost of the days and, everything known, of the day after, ct. */
  totalCt: number;
  /** Starts of the vehicle from noon to noon. */
  starts: number[];
  missedKwh: number;
  coldQuarters: number;
  devices: DeviceEnergies;
  planMs: number[];
}

/** Three days of a home in quarter-hours, carried out by the physics of its inverter. */
abstract class HomeRun {
  protected readonly home: SeededCarHome;
  protected state: HomeState;
  /** Household less PV of the quarter-hour before, kW. */
  protected measured: NetLoad = { netLoadKw: 0, pvKw: 0 };
  readonly #result: Omit<RunResult, "totalCt" | "planMs"> = {
    days: [],
    starts: [],
    missedKwh: 0,
    coldQuarters: 0,
    devices: { carKwh: [], boilerKwh: [] },
  };
  #isCharging = false;
  #isThermostatOpen = false;

  constructor(home: SeededCarHome) {
    this.home = home;
    this.state = startOf(home);
  }

  protected abstract control(ms: number): Promise<{ command: Command; carKw: number; heats: boolean }>;

  async run(highs: Highs): Promise<Omit<RunResult, "planMs">> {
    const { startMs } = this.home;
    const endMs = startMs + DAYS * DAY_MS;
    for (let ms = startMs; ms < endMs; ms += QUARTER_MS) {
      const day = Math.floor((ms - startMs) / DAY_MS);
      const { days, starts } = this.#result;
      days[day] = (days[day] ?? 0) + (await this.#quarter(ms));
      starts[day] ??= 0;
    }
    const totalCt =
      this.#result.days.reduce((sum, ct) => sum + ct, 0) +
      knownCourse(highs, this.home, { ms: endMs, ...this.state }).costCt;
    return { ...this.#result, totalCt };
  }

  async #quarter(ms: number): Promise<number> {
    const { home } = this;
    const { storage, car, boiler, wearCt } = home;
    const q = home.at(ms);
    this.state.carKwh -= q.usedKwh;
    const { command, carKw, heats } = await this.control(ms);
    const room = (car.capacityKwh - this.state.carKwh) / car.efficiency;
    const carKwh = q.carIsHome ? Math.max(0, Math.min(carKw / 4, room)) : 0;
    if (this.state.tankC <= boiler.maxC - HYSTERESIS_K) this.#isThermostatOpen = false;
    const fits = this.#isThermostatOpen ? 0 : Math.max(0, (boiler.maxC - this.state.tankC) * KWH_PER_K);
    // The thermostat keeps the water warm.
    const boilerKwh = heats || this.state.tankC < boiler.minC - 1 ? Math.min(boiler.powerKw / 4, fits) : 0;
    this.#isThermostatOpen ||= boilerKwh === fits;
    const flows = inverterStep({
      storage,
      command,
      step: { minutes: 15, loadKwh: q.householdKwh + carKwh + boilerKwh, pvKwh: q.pvKwh },
      socKwh: this.state.socKwh,
    });
    this.state = {
      socKwh: flows.socEndKwh,
      carKwh: this.state.carKwh + car.efficiency * carKwh,
      tankC:
        this.state.tankC +
        (boilerKwh - q.drawKwh - LOSS_KW_PER_K * 0.25 * (this.state.tankC - ROOM_C)) / KWH_PER_K,
    };
    this.measured = { netLoadKw: (q.householdKwh - q.pvKwh) * 4, pvKw: q.pvKwh * 4 };
    this.#note(ms, carKwh);
    this.#result.devices.carKwh.push(carKwh);
    this.#result.devices.boilerKwh.push(boilerKwh);
    return flows.importKwh * q.importCt - flows.exportKwh * q.exportCt + flows.dischargeKwh * wearCt;
  }

  #note(ms: number, carKwh: number): void {
    const result = this.#result;
    const day = Math.floor((ms - this.home.startMs) / DAY_MS);
    const isCharging = carKwh > 0.01;
    if (isCharging && !this.#isCharging) result.starts[day] = (result.starts[day] ?? 0) + 1;
    this.#isCharging = isCharging;
    if (this.state.tankC < this.home.boiler.minC - 1) result.coldQuarters++;
    if (this.home.at(ms).leavesAfter)
      result.missedKwh += Math.max(0, this.home.car.targetKwh - this.state.carKwh - 0.2);
  }
}

/** What a home holds at the start. */
export function startOf({ storage, car }: SeededCarHome): HomeState {
  return { socKwh: 0.5 * storage.capacityKwh, carKwh: car.targetKwh, tankC: 54 };
}

/** Devices run as soon as they can, the battery in self-consumption. */
export class UncontrolledRun extends HomeRun {
  protected async control() {
    const { car, storage } = this.home;
    const neededKwh = Math.max(0, car.targetKwh - this.state.carKwh) / car.efficiency;
    const command: Command = {
      mode: "free",
      chargePowerKw: 0,
      stopSocKwh: storage.maxSocKwh,
      dischargeCapKw: storage.maxDischargePowerKw,
      chargeCapKw: storage.maxChargePowerKw,
      valueCtKwh: 0,
      reason: "self_consumption",
    };
    return { command, carKw: Math.min(car.maxKw, 4 * neededKwh), heats: true };
  }
}

/** The home as the gateway controls it: learnt load, forecasts, prices as published, the schedules of its slots and the policy. */
export class ControlledRun extends HomeRun {
  readonly planMs: number[] = [];
  readonly #options: RunOptions;
  readonly #slots: SiteSlots;
  readonly #hours = new Map<number, ForecastHour>();
  #now: Date;
  #plugged: 0 | 1 | undefined;
  /** Last known state of charge of the vehicle, percent. */
  #carPct: number;
  #previous: SitePlan | undefined;
  #model: LoadModel | undefined;
  #nodes: MeasuredPvNodes | undefined;

  constructor(home: SeededCarHome, options: RunOptions) {
    super(home);
    this.#options = options;
    this.#now = new Date(home.startMs);
    this.#carPct = (100 * home.car.targetKwh) / home.car.capacityKwh;
    const { site, tariff } = home;
    this.#slots = new SiteSlots(site, this.#now, {
      knowledge: () => ({
        now: this.#now,
        hours: this.#forecast(),
        series: PriceSeries.of([]),
        tariff,
        priceMinutes: 60,
        breakPenaltyCtKwh: 1,
      }),
      onChange: () => {},
      onPlug: () => {},
      estimator: {
        state: (_, slot) => (slot === CAR ? { socPct: this.#carPct } : { temperatureC: this.state.tankC }),
      },
      switches: { startBudget: () => undefined, takenKw: (_site, _slot, askedKw) => askedKw },
      deliveries: { of: () => undefined },
      documents: memoryDocuments(),
      log: silentLog,
    });
  }

  protected async control(ms: number) {
    const { home } = this;
    this.#now = new Date(ms);
    const isHome = home.at(ms).carIsHome;
    if (isHome) this.#carPct = (100 * this.state.carKwh) / home.car.capacityKwh;
    this.#slots.count(this.#now, () => true);
    const plugged = isHome ? 1 : 0;
    if (plugged !== this.#plugged) await this.#slots.setPlugged(CAR, plugged);
    const isDue = ((ms - home.startMs) / QUARTER_MS) % this.#options.everyQuarters === 0;
    const arrives = plugged !== this.#plugged;
    this.#plugged = plugged;
    this.#slots.plan();
    if (isDue || arrives) this.#planDevices();
    const plans = this.#slots.current();
    const plan = planSite(
      {
        ...assemble(
          this.#facts({
            loadKwh: (steps) => flexLoadKwh(plans, steps),
            wallboxes: (steps) => steps.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
            batterySharePct: "auto",
          }),
          {},
        ),
        ...(this.#previous && { previous: this.#previous }),
      },
      { commandOnly: true },
    );
    this.#previous = plan;
    const powerOf = (slot: number) => {
      const slotPlan = plans.find((each) => each.slot === slot);
      return (slotPlan && slotMoment(slotPlan, this.#now)?.powerKw) ?? 0;
    };
    return { command: plan.command, carKw: powerOf(CAR), heats: powerOf(BOILER) > 0 };
  }

  #planDevices(): void {
    const began = process.cpuUsage();
    const site = assemble(
      this.#facts({
        loadKwh: (steps) => steps.map(() => 0),
        wallboxes: (steps) => steps.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
        batterySharePct: 0,
      }),
      {},
    );
    const question = jointQuestion(site, {
      plans: this.#slots.current(),
      stateOf: (slot) => (slot === CAR ? { socPct: this.#carPct } : { temperatureC: this.state.tankC }),
    });
    if (question !== undefined) {
      const start = relaxedEnergies(this.#options.highs, question.input);
      const plan = planDevices({ ...question.input, ...(start && { start }) });
      this.#slots.setCosts(slotCostsOf(question, plan));
    }
    const { user, system } = process.cpuUsage(began);
    this.planMs.push((user + system) / 1000);
  }

  #facts(flex: PlannedFlex): AssemblyInput {
    const { home } = this;
    const { told } = this.#options;
    const now = this.#now;
    const sum = ({ start, end }: Interval, of: (ms: number) => number) => {
      let kwh = 0;
      for (let ms = start.getTime(); ms < end.getTime(); ms += QUARTER_MS)
        kwh += of(ms) * Math.min(1, hoursOf({ start: new Date(ms), end }) * 4);
      return kwh;
    };
    return {
      siteId: "home",
      now,
      plant: home.site.plant,
      stepMinutes: 60,
      hours: this.#forecast(),
      quarter: ({ p50 }) => p50,
      tariff: home.tariff,
      soc: { pct: (100 * this.state.socKwh) / home.storage.capacityKwh, ageMinutes: 0, lost: false },
      evPowerKw: 0,
      sitePowerKw: undefined,
      measured: told.load
        ? {
            netLoadKw: (home.at(now.getTime()).householdKwh - home.at(now.getTime()).pvKwh) * 4,
            pvKw: home.at(now.getTime()).pvKwh * 4,
          }
        : this.measured,
      currentQuartile: 1,
      load: this.#learned(),
      pvNodes: told.pv ? CERTAIN_PV : this.#pvNodes(),
      pvKwh: (steps) =>
        steps.map((step) =>
          sum(step, (ms) => (told.pv ? home.at(ms).pvKwh : home.pvForecastKwh(ms, now.getTime()))),
        ),
      flex,
    };
  }

  #learned(): LoadModel {
    const nowMs = this.#now.getTime();
    if (this.#model === undefined || nowMs % DAY_MS === 0) {
      const history: { start: Date; kwh: number }[] = [];
      for (let ms = nowMs - LEARNED_DAYS * DAY_MS; ms < nowMs; ms += QUARTER_MS)
        history.push({ start: new Date(ms), kwh: this.home.at(ms).householdKwh });
      this.#model = learnLoad({ history, timeZone: VIENNA, now: this.#now });
    }
    return this.#model;
  }

  /** How the forecasts of the mornings before were met, as the gateway measures it. */
  #pvNodes(): MeasuredPvNodes | undefined {
    const nowMs = this.#now.getTime();
    if (this.#nodes !== undefined && nowMs % DAY_MS !== 0) return this.#nodes;
    const { home } = this;
    const days: number[][] = [];
    for (
      let dayMs = Math.floor(nowMs / DAY_MS - LEARNED_DAYS) * DAY_MS;
      dayMs + DAY_MS <= nowMs;
      dayMs += DAY_MS
    ) {
      const ratios: number[] = [];
      for (let hourMs = dayMs; hourMs < dayMs + DAY_MS; hourMs += HOUR_MS) {
        const sum = (of: (ms: number) => number) =>
          [0, 1, 2, 3].reduce((kwh, k) => kwh + of(hourMs + k * QUARTER_MS), 0);
        const expectedKwh = sum((ms) => home.pvForecastKwh(ms, dayMs));
        if (expectedKwh >= LEAST_SHARE * home.peakKw)
          ratios.push(sum((ms) => home.at(ms).pvKwh) / expectedKwh);
      }
      days.push(ratios);
    }
    this.#nodes = nodesOfRatios(days);
    return this.#nodes;
  }

  /** Published prices, then the median of the same hour on days of the same kind. */
  #forecast(): ForecastHour[] {
    const nowMs = this.#now.getTime();
    const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    const untilMs = publishedUntil(nowMs);
    return Array.from({ length: this.#options.horizonHours }, (_, h) => {
      const ms = firstMs + h * HOUR_MS;
      const isPublished = ms < untilMs || this.#options.told.price;
      const p50 = isPublished ? this.home.at(ms).eurPerMwh : this.#usual(ms, nowMs);
      const known = this.#hours.get(ms);
      if (known?.p50 === p50) return known;
      const source = isPublished ? ("day_ahead" as const) : ("forecast" as const);
      const hour = { start: new Date(ms), p10: p50, p50, p90: p50, source };
      this.#hours.set(ms, hour);
      return hour;
    });
  }

  #usual(ms: number, nowMs: number): number {
    const isWeekend = (at: number) => localTime(new Date(at), VIENNA).weekday >= 6;
    const past: number[] = [];
    for (let days = 1; past.length < PRICE_DAYS; days++) {
      const at = ms - days * DAY_MS;
      if (days > 28) break;
      if (at < nowMs && isWeekend(at) === isWeekend(ms)) past.push(this.home.at(at).eurPerMwh);
    }
    return past.sort((a, b) => a - b)[past.length >> 1]!;
  }
}
