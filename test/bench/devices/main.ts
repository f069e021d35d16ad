import { planDevices } from "../../../src/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/devices/relaxation.js";
import { loadHighs } from "../../support/highs.js";
import { jointOptimum } from "./joint-milp.js";
import { type SeededSite, seededSite } from "./seeded-site.js";

/**
 * `npm run bench -- devices [--from n] [--to n] [--seconds n]`: seeded homes with a vehicle, a boiler and two runs a day,
 * planned by `planDevices` and by the joint mixed-integer program. Excess is the cost above the proved bound, as a share of
 * what devices that run at once and an uncontrolled battery cost more than the bound.
 */
export async function benchDevices(args: readonly string[]): Promise<void> {
  const option = (name: string, otherwise: number) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(args[at + 1]);
  };
  const highs = await loadHighs();
  const excesses: number[] = [];
  const times: number[] = [];
  for (let seed = option("from", 1); seed <= option("to", 40); seed++) {
    const home = seededSite(seed);
    const began = performance.now();
    const start = relaxedEnergies(highs, home);
    const plan = planDevices({ ...home, ...(start && { start }) });
    const ms = performance.now() - began;
    const { boundCt, foundCt } = jointOptimum(highs, home, option("seconds", 20));
    const plainCt = plainCostCt(home);
    const plannedCt = plan.expectedCt - storedWorthCt(home, plan.kwh);
    const excess = (plannedCt - boundCt) / (plainCt - boundCt);
    excesses.push(excess);
    times.push(ms);
    console.log(
      `${seed}: planned ${plannedCt.toFixed(1)}, bound ${boundCt.toFixed(1)}, found ${foundCt.toFixed(1)}, plain ${plainCt.toFixed(1)} ct: excess ${(100 * excess).toFixed(2)} %, ${ms.toFixed(0)} ms`,
    );
  }
  const mean = excesses.reduce((sum, each) => sum + each, 0) / excesses.length;
  console.log(
    `${excesses.length} homes: mean excess ${(100 * mean).toFixed(2)} %, worst ${(100 * Math.max(...excesses)).toFixed(2)} %; median ${times.sort((a, b) => a - b)[times.length >> 1]!.toFixed(0)} ms, slowest ${times.at(-1)!.toFixed(0)} ms`,
  );
}

/** Worth of what the stores hold at the end, ct; throws where something wanted is missing. */
function storedWorthCt({ devices }: SeededSite, kwh: readonly (readonly number[])[]): number {
  let worth = 0;
  for (const [d, device] of devices.entries()) {
    if (device.kind !== "store") continue;
    const { store } = device;
    let stored = store.storedKwh;
    for (const [t, { drawKwh, leastKwh, available }] of store.stages.entries()) {
      const taken = kwh[d]![t]!;
      stored = stored * (1 - store.lossPerHour) + store.efficiency * taken - drawKwh;
      if (stored < leastKwh - 1e-4 || stored > store.maxKwh + 1e-4 || (taken > 0 && !available))
        throw new Error(
          `Device ${d} holds ${stored} kWh after step ${t}; wanted ${leastKwh} to ${store.maxKwh}.`,
        );
    }
    worth += store.worthCtKwh * stored;
  }
  return worth;
}

/** Devices that take their energy as soon as they can, and a battery in self-consumption. */
function plainCostCt({ site, socKwh, devices }: SeededSite): number {
  const loads = site.steps.map(({ loadKwh, pvKwh }) => loadKwh - pvKwh);
  let worth = 0;
  for (const device of devices) {
    if (device.kind === "runs") {
      for (const { from, kwh } of device.demands) {
        for (let t = from, left = kwh; left > 1e-9; t++, left -= device.powerKw)
          loads[t]! += Math.min(left, device.powerKw);
      }
      continue;
    }
    const { store } = device;
    const wanted = Math.max(...store.stages.map(({ leastKwh }) => leastKwh), store.maxKwh * 0.4);
    let stored = store.storedKwh;
    for (const [t, { available, drawKwh }] of store.stages.entries()) {
      stored *= 1 - store.lossPerHour;
      const taken = available
        ? Math.max(0, Math.min(store.maxPowerKw, (wanted - stored) / store.efficiency))
        : 0;
      stored = Math.max(0, stored + store.efficiency * taken - drawKwh);
      loads[t]! += taken;
    }
    worth += store.worthCtKwh * stored;
  }
  const { battery } = site;
  let soc = socKwh;
  let ct = 0;
  for (const [t, net] of loads.entries()) {
    const charged = Math.min(
      Math.max(0, -net),
      battery.maxChargePowerKw,
      (battery.maxSocKwh - soc) / battery.chargeEfficiency,
    );
    const given = Math.min(
      Math.max(0, net),
      battery.maxDischargePowerKw,
      (soc - battery.minSocKwh) * battery.dischargeEfficiency,
    );
    soc += charged * battery.chargeEfficiency - given / battery.dischargeEfficiency;
    const grid = net + charged - given;
    const { importCtKwh, exportCtKwh } = site.steps[t]!;
    ct += grid * (grid > 0 ? importCtKwh : exportCtKwh) + given * (battery.wearCtKwh ?? 1);
  }
  return ct - worth - site.terminal![0]!.ctKwh * soc;
}
