import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { planDevices, withLoads } from "../../../src/plan/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import { loadHighs } from "../../support/highs.js";
import { jointOptimum, jointProgram } from "./joint-milp.js";
import { type SeededSite, seededSite } from "./seeded-site.js";

/**
 * `npm run bench -- joint [--from n] [--to n] [--seconds n] [--programs FOLDER]`: seeded homes with a vehicle, a boiler and two runs a day, planned by
 * `planDevices` and by the joint mixed-integer program with the battery's modes. Excess is the cost above the program's proved
 * bound, and above the best schedule known, each as a share of the cost range: what devices that run at once and an uncontrolled
 * battery cost more than that. The cost of the plan is that of the battery's policy carried out step by step. With
 * `--programs` each program is written as `home-n.lp`, to be solved by a native HiGHS, which is several times faster.
 */
export async function benchJoint(args: readonly string[]): Promise<void> {
  const option = (name: string, otherwise: number) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(args[at + 1]);
  };
  const folder = args.indexOf("--programs") < 0 ? undefined : args[args.indexOf("--programs") + 1];
  const highs = await loadHighs();
  const results: { aboveBound: number; aboveBest: number; ms: number; isProved: boolean }[] = [];
  for (let seed = option("from", 1); seed <= option("to", 20); seed++) {
    const home = seededSite(seed);
    if (folder !== undefined) writeFileSync(join(folder, `home-${seed}.lp`), jointProgram(home));
    const began = performance.now();
    const start = relaxedEnergies(highs, home);
    const plan = planDevices({ ...home, ...(start && { start }) });
    const ms = performance.now() - began;
    const plannedCt = carriedOutCt(home, plan.kwh);
    const { boundCt, foundCt } = jointOptimum(highs, home, { seconds: option("seconds", 60) });
    const bestCt = Math.min(plannedCt, foundCt);
    const plainCt = plainCostCt(home);
    const result = {
      aboveBound: (plannedCt - boundCt) / (plainCt - boundCt),
      aboveBest: (plannedCt - bestCt) / (plainCt - bestCt),
      ms,
      isProved: bestCt - boundCt < PROVED_SHARE * (plainCt - boundCt),
    };
    results.push(result);
    console.log(
      `${seed}: planned ${plannedCt.toFixed(1)}, bound ${boundCt.toFixed(1)}, found ${foundCt.toFixed(1)}, plain ${plainCt.toFixed(1)} ct: ${percent(result.aboveBound)} above the bound, ${percent(result.aboveBest)} above the best, ${ms.toFixed(0)} ms`,
    );
  }
  const meanOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const summary = (key: "aboveBound" | "aboveBest") => {
    const shares = results.map((result) => result[key]);
    return `mean ${percent(meanOf(shares))}, worst ${percent(Math.max(...shares))}`;
  };
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b);
  console.log(
    [
      `${results.length} homes, ${results.filter(({ isProved }) => isProved).length} with a best schedule proved to 0.1 % of the range`,
      `above the bound: ${summary("aboveBound")}`,
      `above the best: ${summary("aboveBest")}`,
      `median ${times[times.length >> 1]!.toFixed(0)} ms, slowest ${times.at(-1)!.toFixed(0)} ms`,
    ].join("\n"),
  );
}

/** A best schedule this near to the bound, as a share of the cost range, counts as proved. */
const PROVED_SHARE = 0.001;

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/** Cost of the week with the devices' energies, the battery by its policy; what is stored at the end is worth something. */
function carriedOutCt(home: SeededSite, kwh: readonly (readonly number[])[]): number {
  const { site } = withLoads(
    home.site,
    kwh.map((energies) => ({ kwh: energies, batteryServes: true })),
  );
  const { expectedCostCt, path } = planPolicy(site).simulate({ socKwh: home.socKwh, samples: 0 });
  const batteryWorthCt = site.terminal![0]!.ctKwh * path.at(-1)!.expected.socEndKwh;
  return expectedCostCt - batteryWorthCt - storedWorthCt(home, kwh);
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
