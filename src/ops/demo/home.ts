import type { StorageLimits } from "../../core/domain/battery.js";
import { type InverterCommand, inverterStep } from "../../plan/physics/inverter.js";
import { seededRandom } from "../../plan/physics/random.js";

/** What the gateway publishes and a home obeys; a value that has not arrived yet is undefined. */
export interface HomeCommands {
  /** O1, O2 and O9. */
  chargeNow?: boolean;
  chargePowerKw?: number;
  chargeStopSocPct?: number;
  /** O12. */
  dischargeCapKw?: number;
  /** O14. */
  chargeCapKw?: number;
  /** O15. */
  feedInLimitKw?: number;
  /** O16. */
  dischargeSetKw?: number;
  wallboxOn?: boolean;
  /** Charging power; undefined: what the wallbox can. */
  wallboxKw?: number;
  /** State of charge at which the vehicle stops; undefined: full. */
  carLimitPct?: number;
  boilerOn?: boolean;
}

export interface HomeOptions {
  storage: StorageLimits & { capacityKwh: number };
  startSocKwh: number;
  wallbox?: { powerKw: number; capacityKwh: number; startKwh: number };
  boiler?: { powerKw: number; litres: number; minC: number; maxC: number; lossKw: number; startC: number };
  seed: number;
}

/** What happens to the home from outside in one step. */
export interface HomeStep {
  minutes: number;
  householdKw: number;
  pvKw: number;
  /** Whether the car stands at the wallbox, and what it has used on the road since the last step, kWh. */
  carIsHome?: boolean;
  carUsedKwh?: number;
  /** Hot water drawn, litres of 38 °C. */
  drawnLitres?: number;
}

/** Energies of a step on the AC side, kWh. */
export interface HomeFlows {
  importKwh: number;
  exportKwh: number;
  loadKwh: number;
  pvKwh: number;
  chargeKwh: number;
  dischargeKwh: number;
  wallboxKwh: number;
  boilerKwh: number;
}

/** Standby of inverter and battery, kW, always drawn. */
const STANDBY_KW = 0.02;
/** Power meters are this far off, relative. */
const METER_NOISE = 0.01;
const WATER_KWH_PER_LITRE_K = 0.001163;
const COLD_WATER_C = 12;

/** The inverter's setting that the outputs ask for, in the order of precedence charge, discharge, standby, block, hold. */
export function inverterCommand(commands: HomeCommands, capacityKwh: number): InverterCommand {
  const caps: Omit<InverterCommand, "mode"> = {
    ...(commands.dischargeCapKw !== undefined && { dischargeCapKw: commands.dischargeCapKw }),
    ...(commands.chargeCapKw !== undefined && { chargeCapKw: commands.chargeCapKw }),
    feedInLimitKw: commands.feedInLimitKw ?? null,
  };
  if (commands.chargeNow)
    return {
      ...caps,
      mode: "charge",
      chargePowerKw: commands.chargePowerKw ?? Number.POSITIVE_INFINITY,
      stopSocKwh: (capacityKwh * (commands.chargeStopSocPct ?? 100)) / 100,
    };
  if ((commands.dischargeSetKw ?? 0) > 0)
    return { ...caps, mode: "discharge", dischargeCapKw: commands.dischargeSetKw! };
  if (commands.chargeCapKw === 0)
    return { ...caps, mode: commands.dischargeCapKw === 0 ? "standby" : "block" };
  if (commands.dischargeCapKw === 0) return { ...caps, mode: "hold" };
  return { ...caps, mode: "free" };
}

/**
 * A simulated home with PV, a self-consumption inverter, a wallbox and a boiler. It stores surplus and serves the load on
 * its own and obeys the commands it is given; the wallbox charges and the boiler heats only when switched on, except that
 * the boiler's thermostat keeps the water above its minimum.
 */
export class SimulatedHome {
  readonly #options: HomeOptions;
  readonly #noise;
  #socKwh: number;
  #carKwh: number;
  #boilerC: number;
  #boilerHeats = false;
  #importKwh = 0;
  #exportKwh = 0;
  #boilerKwh = 0;
  #last: HomeFlows & { minutes: number } = { ...NO_FLOWS, minutes: 1 };
  #carIsHome = false;

  constructor(options: HomeOptions) {
    this.#options = options;
    this.#noise = seededRandom(options.seed);
    this.#socKwh = options.startSocKwh;
    this.#carKwh = options.wallbox?.startKwh ?? 0;
    this.#boilerC = options.boiler?.startC ?? 0;
  }

  get socPct(): number {
    return (this.#socKwh / this.#options.storage.capacityKwh) * 100;
  }
  get carPct(): number {
    return (this.#carKwh / (this.#options.wallbox?.capacityKwh ?? 1)) * 100;
  }
  get boilerC(): number {
    return this.#boilerC;
  }
  /** What the battery and the vehicle hold, kWh. */
  get storedKwh(): { battery: number; vehicle: number } {
    return { battery: this.#socKwh, vehicle: this.#carKwh };
  }

  /** Lets one step happen under the commands and returns its energies. */
  advance(step: HomeStep, commands: HomeCommands): HomeFlows {
    const hours = step.minutes / 60;
    const wallboxKwh = this.#charge(step, commands, hours);
    const boilerKwh = this.#heat(step, commands.boilerOn ?? false, hours);
    const loadKwh = (step.householdKw + STANDBY_KW) * hours + wallboxKwh + boilerKwh;
    const pvKwh = step.pvKw * hours;
    const { storage } = this.#options;
    const flows = inverterStep({
      storage,
      command: inverterCommand(commands, storage.capacityKwh),
      step: { minutes: step.minutes, loadKwh, pvKwh },
      socKwh: this.#socKwh,
    });
    this.#socKwh = flows.socEndKwh;
    this.#importKwh += flows.importKwh;
    this.#exportKwh += flows.exportKwh;
    this.#boilerKwh += boilerKwh;
    const { importKwh, exportKwh, chargeKwh, dischargeKwh } = flows;
    const usedPvKwh = pvKwh - flows.curtailedKwh;
    const result = {
      importKwh,
      exportKwh,
      loadKwh,
      pvKwh: usedPvKwh,
      chargeKwh,
      dischargeKwh,
      wallboxKwh,
      boilerKwh,
    };
    this.#last = { ...result, minutes: step.minutes };
    return result;
  }

  /** The meters as the gateway's telemetry names them: powers are means of the last step with the meters' noise. */
  readings() {
    const { minutes, ...last } = this.#last;
    const power = (kwh: number) => round((kwh / minutes) * 60 * (1 + METER_NOISE * this.#noise.normal()), 3);
    return {
      soc_pct: round(this.socPct, 1),
      import_kwh: round(this.#importKwh, 4),
      export_kwh: round(this.#exportKwh, 4),
      pv_power_kw: power(last.pvKwh),
      load_power_kw: power(last.loadKwh),
      battery_power_kw: power(last.chargeKwh - last.dischargeKwh),
      ...(this.#options.wallbox && {
        ev_power_kw: power(last.wallboxKwh),
        ev_connected: this.#carIsHome ? 1 : 0,
        // The wallbox has no state of charge of a vehicle that is away.
        ...(this.#carIsHome && { slot_1_soc_pct: Math.round(this.carPct) }),
      }),
      ...(this.#options.boiler && {
        slot_2_power_kw: power(last.boilerKwh),
        slot_2_energy_kwh: round(this.#boilerKwh, 4),
      }),
    };
  }

  #charge(
    step: HomeStep,
    { wallboxOn = false, wallboxKw, carLimitPct = 100 }: HomeCommands,
    hours: number,
  ): number {
    const { wallbox } = this.#options;
    if (wallbox === undefined) return 0;
    this.#carIsHome = step.carIsHome ?? false;
    this.#carKwh = Math.max(0, this.#carKwh - (step.carUsedKwh ?? 0));
    if (!wallboxOn || !this.#carIsHome) return 0;
    const limitKwh = (wallbox.capacityKwh * carLimitPct) / 100;
    const powerKw = Math.min(wallbox.powerKw, wallboxKw ?? wallbox.powerKw);
    const kwh = Math.max(0, Math.min(powerKw * hours, limitKwh - this.#carKwh));
    this.#carKwh += kwh;
    return kwh;
  }

  #heat(step: HomeStep, on: boolean, hours: number): number {
    const { boiler } = this.#options;
    if (boiler === undefined) return 0;
    const kwhPerK = boiler.litres * WATER_KWH_PER_LITRE_K;
    const drawnKwh = (step.drawnLitres ?? 0) * WATER_KWH_PER_LITRE_K * (38 - COLD_WATER_C);
    this.#boilerC -= (drawnKwh + boiler.lossKw * hours) / kwhPerK;
    if (this.#boilerC < boiler.minC) this.#boilerHeats = true;
    if (this.#boilerC > boiler.minC + 5) this.#boilerHeats = false;
    if (!on && !this.#boilerHeats) return 0;
    const kwh = Math.max(0, Math.min(boiler.powerKw * hours, (boiler.maxC - this.#boilerC) * kwhPerK));
    this.#boilerC += kwh / kwhPerK;
    return kwh;
  }
}

/** Flows of zero; the start of a sum. */
export const NO_FLOWS: Readonly<HomeFlows> = {
  importKwh: 0,
  exportKwh: 0,
  loadKwh: 0,
  pvKwh: 0,
  chargeKwh: 0,
  dischargeKwh: 0,
  wallboxKwh: 0,
  boilerKwh: 0,
};

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;
