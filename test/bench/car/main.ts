import { QUARTER_MS } from "../../../src/core/domain/interval.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { loadHighs } from "../../support/highs.js";
import { ControlledRun, startOf, type Told, UncontrolledRun } from "./home-run.js";
import { type DeviceEnergies, knownCourse } from "./known.js";
import { type SeededCarHome, seededCarHome } from "./seeded-home.js";

/**
 * `npm run bench -- car [--from n] [--to n] [--hours n] [--every n] [--told load,pv,price] [--compare] [--switched]`: three days of seeded homes
 * with battery, PV, a commuter's vehicle and a boiler, controlled by the gateway's own planning functions on forecasts, uncontrolled, and at least
 * cost with everything known. Captured is the part of the saving of the last one. With `--switched` its boiler runs for half an hour at least,
 * which takes minutes and gives a proved and a found cost; without, all powers are free, and no control reaches the least cost.
 */
export async function benchCar(args: readonly string[]): Promise<void> {
  const option = (name: string, otherwise: string) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : args[at + 1]!;
  };
  const told = option("told", "").split(",");
  const knows: Told = {
    load: told.includes("load"),
    pv: told.includes("pv"),
    price: told.includes("price"),
  };
  const highs = await loadHighs();
  const sum = { possible: 0, captured: 0, starts: 0 };
  const shares: number[] = [];
  for (let seed = Number(option("from", "1")); seed <= Number(option("to", "10")); seed++) {
    const home = seededCarHome(seed);
    const none = await new UncontrolledRun(home).run(highs);
    const controlled = new ControlledRun(home, {
      highs,
      horizonHours: Number(option("hours", "72")),
      everyQuarters: Number(option("every", "1")),
      told: knows,
    });
    const run = await controlled.run(highs);
    const start = { ms: home.startMs, switched: args.includes("--switched"), ...startOf(home) };
    const known = knownCourse(highs, home, start);
    const { costCt: knownCt } = known;
    if (args.includes("--compare")) compare(home, run.devices, known);
    // What is left where only the battery could still be controlled better.
    const fixedCt = (fixed: DeviceEnergies) =>
      knownCourse(highs, home, { ...start, switched: false, fixed }).costCt;
    const batteryCt = fixedCt(run.devices);
    // The other device free: what one of them loses alone.
    const carCt = fixedCt({ ...run.devices, boilerKwh: [] });
    const boilerCt = fixedCt({ ...run.devices, carKwh: [] });
    const possible = none.totalCt - knownCt;
    const captured = none.totalCt - run.totalCt;
    shares.push(captured / possible);
    sum.possible += possible;
    sum.captured += captured;
    sum.starts = Math.max(sum.starts, ...run.starts);
    const ms = controlled.planMs.sort((a, b) => a - b);
    console.log(
      `${seed}: none ${none.totalCt.toFixed(0)}, plan ${run.totalCt.toFixed(0)}, known ${knownCt.toFixed(0)} ct (found ${known.foundCt.toFixed(0)}): ${percent(captured / possible)}, lost by the devices ${percent((batteryCt - knownCt) / possible)} (vehicle alone ${percent((carCt - knownCt) / possible)}, boiler alone ${percent((boilerCt - knownCt) / possible)}), by the battery ${percent((run.totalCt - batteryCt) / possible)}; starts ${run.starts.join(", ")}; days ${run.days.map((ct, d) => `${none.days[d]!.toFixed(0)} -> ${ct.toFixed(0)}`).join(", ")}; missed ${run.missedKwh.toFixed(1)} kWh, cold ${run.coldQuarters}; a plan ${ms[ms.length >> 1]!.toFixed(0)} ms`,
    );
  }
  const mean = shares.reduce((total, share) => total + share, 0) / shares.length;
  console.log(
    `${shares.length} homes: ${percent(sum.captured / sum.possible)} of the sum, mean ${percent(mean)}, worst ${percent(Math.min(...shares))}, most starts a night ${sum.starts}`,
  );
}

/** The devices in each hour beside everything known, kWh. */
function compare(home: SeededCarHome, plan: DeviceEnergies, known: DeviceEnergies): void {
  const hourly = (kwh: readonly number[], k: number) =>
    kwh
      .slice(k, k + 4)
      .reduce((total, each) => total + each, 0)
      .toFixed(1);
  for (let k = 0; k < plan.carKwh.length; k += 4) {
    const ms = home.startMs + k * QUARTER_MS;
    const { day, hour } = localTime(new Date(ms), VIENNA);
    const { importCt, exportCt, householdKwh, pvKwh } = home.at(ms);
    console.log(
      `${day}/${hour} import ${importCt.toFixed(1)}, export ${exportCt.toFixed(1)}, net ${(4 * (householdKwh - pvKwh)).toFixed(1)} kW: car ${hourly(plan.carKwh, k)} (known ${hourly(known.carKwh, k)}), boiler ${hourly(plan.boilerKwh, k)} (known ${hourly(known.boilerKwh, k)})`,
    );
  }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
