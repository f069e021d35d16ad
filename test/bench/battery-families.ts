import type { ControlledMode } from "../../src/core/domain/battery.js";
import { batteryModes } from "../../src/equipment/battery-modes.js";
import { DeviceReader } from "../../src/equipment/reader.js";
import { ModbusTransport } from "../../src/equipment/transport/modbus.js";
import { ModbusException } from "../../src/equipment/transport/modbus-frames.js";
import { wantedOfBattery, wantedState } from "../../src/equipment/wanted.js";
import { inverterStep, socAfter } from "../../src/plan/physics/inverter.js";
import { planPolicy } from "../../src/plan/policy/plan-policy.js";
import type { Command, PolicyBattery, PolicyStep } from "../../src/plan/policy/policy-input.js";
import type { Policy } from "../../src/plan/policy/solved-policy.js";
import { storedWorth } from "../../src/plan/simulated-run.js";
import { commandsOf } from "../equipment/commanded-rig.js";
import { COMMANDED } from "../equipment/simulated/commanded.js";
import { CommandedDevice, type CommandedFamily, MOST_W } from "../equipment/simulated/commanded-device.js";
import { manualClock } from "../support/manual-clock.js";
import { type HomeWeek, homeWeek, type WeekQuarter } from "./home-week.js";

/** The battery of the simulated devices: 10 kWh, which they empty to 5 %. */
const BATTERY: PolicyBattery = {
  capacityKwh: 10,
  minSocKwh: 0.5,
  maxSocKwh: 10,
  maxChargePowerKw: MOST_W / 1000,
  maxDischargePowerKw: MOST_W / 1000,
  chargeEfficiency: Math.sqrt(0.9),
  dischargeEfficiency: Math.sqrt(0.9),
  wearCtKwh: 1,
};
/** Equally likely factors on the expected load. */
const RATIOS = [0.55, 0.75, 0.95, 1.15, 1.6];
const IDEAL: readonly ControlledMode[] = ["charge", "hold", "block"];
/** Minutes between two looks at the home; a charge is looked at each minute, since it ends at its stop. */
const LOOK_MINUTES = 5;

/** The policy at the beginning of an hour. */
function policyOf({ quarters }: HomeWeek, t: number, controls: readonly ControlledMode[]): Policy {
  const steps: PolicyStep[] = [];
  for (let first = t; first + 4 <= quarters.length && steps.length < 48; first += 4) {
    const hour = quarters.slice(first, first + 4);
    const sum = (value: (one: WeekQuarter) => number) => hour.reduce((total, one) => total + value(one), 0);
    steps.push({
      start: hour[0]!.start,
      minutes: 60,
      importCtKwh: hour[0]!.importCt,
      exportCtKwh: hour[0]!.exportCt,
      loadKwh: sum(({ expectedLoadKwh }) => expectedLoadKwh),
      pvKwh: sum(({ expectedPvKwh }) => expectedPvKwh),
      published: true,
    });
  }
  const { start } = quarters[t]!;
  return planPolicy({ now: start, steps, ratios: steps.map(() => RATIOS), battery: BATTERY, controls });
}

/** A battery in the home: carries out a command for a while and says what it took or gave, kWh at AC. */
interface Inverter {
  command(command: Command): void | Promise<void>;
  step(of: { minutes: number; loadKwh: number; pvKwh: number; socKwh: number }): number | Promise<number>;
}

/** What the inverter of the plan's model does. */
function idealInverter(): Inverter {
  let now: Command | undefined;
  return {
    command: (command) => {
      now = command;
    },
    step: ({ socKwh, ...step }) => {
      const flows = inverterStep({ storage: BATTERY, command: now ?? { mode: "free" }, step, socKwh });
      return flows.chargeKwh - flows.dischargeKwh;
    },
  };
}

/** A simulated device that is reached by the requests of its template alone, as the gateway's engine sends them. */
async function modbusInverter(family: CommandedFamily): Promise<Inverter> {
  const { device } = await commandsOf(family);
  const simulated = new CommandedDevice(family);
  const { registers, limits } = device.modbus();
  const { holding, input } = simulated.unit();
  const transport = new ModbusTransport({
    connection: {
      cuts: 0,
      epoch: 1,
      sunSpec: new Map(),
      read: async (_unit, code, address, count) =>
        Array.from({ length: count }, (_, index) => {
          const word = (code === 3 ? holding : input)?.get(address + index);
          if (word === undefined) throw new ModbusException(2);
          return word;
        }),
      write: async (_unit, code, address, words) => {
        if (!simulated.unit().write!(address, words, code)) throw new ModbusException(3);
      },
    },
    release: () => {},
    registers,
    limits,
    now: () => 0,
  });
  const { signal } = new AbortController();
  const clock = manualClock(new Date(0));
  const found = await new DeviceReader({ device, transport, clock }).found(signal);
  let wanted = wantedState("free");
  const send = async () => {
    await transport.refresh(signal);
    const live = {
      load_w: simulated.home.loadW,
      pv_w: simulated.home.pvW,
      battery_w: simulated.batteryW,
      grid_w: simulated.gridW,
      soc_pct: simulated.home.socPct,
      found,
      device: transport.device(),
    };
    for (const request of device.requests(device.possible(wanted, live), live))
      await transport.send(request, signal);
  };
  const inverter: Inverter = {
    command: async (command) => {
      wanted = wantedOfBattery({
        chargeNow: command.mode === "charge" ? 1 : 0,
        chargePowerKw: command.chargePowerKw,
        chargeStopSocPct: (100 * command.stopSocKwh) / BATTERY.capacityKwh,
        dischargeSetKw: command.mode === "discharge" ? command.dischargeCapKw : 0,
        dischargePowerKw: command.dischargeCapKw,
        dischargeReason: command.dischargeCapKw > 0 ? "full" : "cheap_hold",
        chargeCapKw: command.chargeCapKw,
        chargeCapReason: command.chargeCapKw > 0 ? "full" : "pv_later",
        adaptiveDischarge: true,
      })!;
      await send();
    },
    step: async ({ minutes, loadKwh, pvKwh, socKwh }) => {
      const hours = minutes / 60;
      simulated.home.loadW = (1000 * loadKwh) / hours;
      simulated.home.pvW = (1000 * pvKwh) / hours;
      simulated.home.socPct = (100 * socKwh) / BATTERY.capacityKwh;
      // Set-points that follow the home.
      if (device.needs.length > 0) await send();
      // The battery itself ends at its band, within the step too.
      const mostKwh = (BATTERY.maxSocKwh - socKwh) / BATTERY.chargeEfficiency;
      const leastKwh = -Math.max(0, socKwh - BATTERY.minSocKwh) * BATTERY.dischargeEfficiency;
      return Math.max(leastKwh, Math.min(mostKwh, (simulated.batteryW / 1000) * hours));
    },
  };
  return inverter;
}

interface Lived {
  costCt: number;
  /** Changes of the command. */
  changes: number;
}

/** Lives through a week; the plan is made hourly, asked each quarter-hour, and when a charge has reached its stop. */
async function live(
  week: HomeWeek,
  inverter: Inverter,
  controls: readonly ControlledMode[] | undefined,
): Promise<Lived> {
  const { quarters, count } = week;
  let socKwh = BATTERY.minSocKwh;
  let costCt = 0;
  let changes = 0;
  let policy: Policy | undefined;
  let command: Command | undefined;
  for (let t = 0; t < count; t++) {
    const quarter = quarters[t]!;
    if (controls !== undefined && t % 4 === 0) policy = policyOf(week, t, controls);
    for (let minute = 0, minutes = 1; minute < 15; minute += minutes) {
      const isReached = command?.mode === "charge" && socKwh >= command.stopSocKwh - 0.01;
      if (policy !== undefined && (minute === 0 || isReached)) {
        const before = quarters[t - 1];
        const now = new Date(quarter.start.getTime() + minute * 60_000);
        const next: Command = policy.act({
          now,
          socKwh,
          ...(before && { netLoadKw: 4 * (before.loadKwh - before.pvKwh) }),
          ...(command && { previous: command }),
        });
        if (next.mode !== command?.mode) changes++;
        command = next;
        await inverter.command(command);
      }
      minutes = command?.mode === "charge" ? 1 : Math.min(LOOK_MINUTES, 15 - minute);
      const [loadKwh, pvKwh] = [(quarter.loadKwh * minutes) / 15, (quarter.pvKwh * minutes) / 15];
      const acKwh = await inverter.step({ minutes, loadKwh, pvKwh, socKwh });
      const gridKwh = loadKwh - pvKwh + acKwh;
      costCt += gridKwh > 0 ? gridKwh * quarter.importCt : gridKwh * quarter.exportCt;
      costCt += Math.max(0, -acKwh) * BATTERY.wearCtKwh!;
      socKwh = Math.min(BATTERY.maxSocKwh, socAfter(socKwh, acKwh, BATTERY));
    }
  }
  const prices = quarters.slice(0, count).map(({ start, importCt, exportCt }) => ({
    start,
    importCtKwh: importCt,
    exportCtKwh: exportCt,
    loadKwh: 0,
    pvKwh: 0,
    counts: true,
  }));
  return { costCt: costCt - socKwh * storedWorth(prices, BATTERY), changes };
}

/** The savings of a family in a week against self-consumption, ct. */
interface FamilySavings {
  modes: readonly ControlledMode[];
  /** Of an inverter that can charge, hold and block, and of the same that has the modes of the family. */
  idealCt: number;
  sameModesCt: number;
  /** Over Modbus. */
  ct: number;
  changesPerDay: number;
}

/** What a week costs with an inverter of the plan's model, by its modes; undefined: uncontrolled. */
class IdealCosts {
  readonly #week: HomeWeek;
  readonly #known = new Map<string, Promise<Lived>>();

  constructor(week: HomeWeek) {
    this.#week = week;
  }

  async ct(controls: readonly ControlledMode[] | undefined): Promise<number> {
    const key = controls?.toSorted().join(" ") ?? "";
    const known = this.#known.get(key) ?? live(this.#week, idealInverter(), controls);
    this.#known.set(key, known);
    return (await known).costCt;
  }
}

async function familySavings(
  week: HomeWeek,
  family: CommandedFamily,
  costs: IdealCosts,
): Promise<FamilySavings> {
  const { template } = await commandsOf(family);
  const modes = batteryModes(template, { host: "127.0.0.1", ...family.with }).filter(
    (mode) => mode !== "discharge",
  );
  const days = week.count / 96;
  const freeCt = await costs.ct(undefined);
  const lived = await live(week, await modbusInverter(family), modes);
  return {
    modes,
    idealCt: freeCt - (await costs.ct(IDEAL)),
    sameModesCt: freeCt - (await costs.ct(modes)),
    ct: freeCt - lived.costCt,
    changesPerDay: lived.changes / days,
  };
}

/** The families whose commands are proven. */
const PROVEN: readonly CommandedFamily[] = COMMANDED.filter(({ template }) =>
  ["fronius-gen24", "huawei-sun2000", "sungrow-sh", "goodwe-et", "sma-hybrid", "victron-gx"].includes(
    template,
  ),
);

/** A winter and a spring week of a home that is driven over Modbus by each proven family. */
export async function benchFamilies(): Promise<object[]> {
  const weeks = [
    homeWeek({ name: "winter", from: "2026-01-12T00:00:00Z", loadShare: 1.6, pvShare: 0.2 }),
    homeWeek({ name: "spring", from: "2026-05-04T00:00:00Z" }),
  ];
  const rows = [];
  for (const week of weeks) {
    const costs = new IdealCosts(week);
    for (const family of PROVEN) {
      const { modes, idealCt, sameModesCt, ct, changesPerDay } = await familySavings(week, family, costs);
      const eur = (value: number) => (value / 100).toFixed(2);
      const missing = IDEAL.filter((mode) => !modes.includes(mode));
      rows.push({
        week: week.name,
        family: `${family.template} (${family.title})`,
        modes: modes.join(" "),
        "ideal EUR": eur(idealCt),
        "its modes EUR": eur(sameModesCt),
        "Modbus EUR": eur(ct),
        "of ideal %": ((100 * ct) / idealCt).toFixed(1),
        "lost without":
          missing.length === 0 ? "" : `${missing.join(", ")}: ${eur(idealCt - sameModesCt)} EUR`,
        "changes/day": changesPerDay.toFixed(1),
      });
    }
  }
  return rows;
}
