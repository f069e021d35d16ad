import { shareOut } from "../../src/plan/battery-plans.js";
import { type PlanBatteryInput, planBattery } from "../../src/plan/exact/plan-battery.js";
import { type Highs, loadHighs } from "../support/highs.js";
import { type Random, seeded } from "../support/random.js";

const HOURS = 72;
const START_MS = Date.parse("2026-01-01T00:00:00Z");
const SITES = 40;
/** Below this saving of the joint programme, ct, the loss is related to it. */
const LEAST_RANGE_CT = 50;

interface Unit {
  capacityKwh: number;
  minKwh: number;
  socKwh: number;
  chargeKw: number;
  dischargeKw: number;
  oneWay: number;
  wearCt: number;
}

interface Site {
  importCt: number[];
  exportCt: number[];
  loadKwh: number[];
  pvKwh: number[];
  units: Unit[];
}

type Range = readonly [low: number, high: number];

interface Kind {
  name: string;
  count?: number;
  roundTrip: readonly Range[];
  wearCt: readonly Range[];
  sameSoc?: boolean;
}

const KINDS: readonly Kind[] = [
  { name: "alike, same SOC", roundTrip: [[0.9, 0.9]], wearCt: [[1, 1]], sameSoc: true },
  { name: "alike, any SOC", roundTrip: [[0.9, 0.9]], wearCt: [[1, 1]] },
  { name: "85 to 95 %, wear 0.5 to 1.5", roundTrip: [[0.85, 0.95]], wearCt: [[0.5, 1.5]] },
  {
    name: "90 to 95 % and 80 to 88 %, wear 0 to 2",
    roundTrip: [
      [0.9, 0.95],
      [0.8, 0.88],
    ],
    wearCt: [[0, 2]],
  },
  { name: "three, 80 to 95 %, wear 0 to 2", count: 3, roundTrip: [[0.8, 0.95]], wearCt: [[0, 2]] },
  {
    name: "92 to 96 % and 70 to 80 %, wear 0.5 and 3",
    roundTrip: [
      [0.92, 0.96],
      [0.7, 0.8],
    ],
    wearCt: [
      [0.3, 0.7],
      [2, 4],
    ],
  },
];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** A site with a two-peaked day of prices, a household load and PV. */
function randomSite(random: Random, { count = 2, roundTrip, wearCt, sameSoc = false }: Kind): Site {
  const { between, chance } = random;
  const site: Site = { importCt: [], exportCt: [], loadKwh: [], pvKwh: [], units: [] };
  const feedInCt = chance(0.5) ? between(4, 9) : undefined;
  const [gridCt, level, swing, baseKw] = [between(8, 16), between(6, 14), between(2, 10), between(0.2, 0.6)];
  const peakKw = chance(0.3) ? 0 : between(3, 12);
  const sun = [between(0, 1), between(0, 1), between(0, 1)];
  for (let t = 0; t < HOURS; t++) {
    const hour = t % 24;
    const clear = sun[Math.floor(t / 24)]!;
    const wave = Math.sin(((hour - 13) / 6) * Math.PI) + 0.4 * Math.sin((hour / 12) * Math.PI);
    const midday = hour > 10 && hour < 16 ? 0.5 * peakKw * clear : 0;
    const spotCt = Math.max(0.2, level + swing * wave + between(-1.5, 1.5) - midday);
    site.importCt.push(spotCt + gridCt);
    site.exportCt.push(feedInCt ?? 0.9 * spotCt);
    const morning = hour >= 6 && hour < 9 ? between(0, 1.2) : 0;
    const evening = hour >= 17 && hour < 22 ? between(0.3, 1.8) : 0;
    site.loadKwh.push(baseKw + between(0, 0.5) + morning + evening);
    const height = hour > 6 && hour < 19 ? Math.sin(((hour - 6) / 13) * Math.PI) : 0;
    site.pvKwh.push(peakKw * height * clear * between(0.6, 1));
  }
  for (let index = 0; index < count; index++) {
    const capacityKwh = between(4, 14);
    site.units.push({
      capacityKwh,
      minKwh: 0.1 * capacityKwh,
      socKwh: capacityKwh * (sameSoc ? 0.4 : between(0.1, 0.9)),
      chargeKw: capacityKwh * between(0.25, 0.7),
      dischargeKw: capacityKwh * between(0.25, 0.7),
      oneWay: Math.sqrt(between(...roundTrip[index % roundTrip.length]!)),
      wearCt: between(...wearCt[index % wearCt.length]!),
    });
  }
  return site;
}

/** Least cost of all batteries together, ct: a linear programme. */
function jointCt(highs: Highs, { importCt, exportCt, loadKwh, pvKwh, units }: Site): number {
  const cost: string[] = [];
  const rows: string[] = [];
  const bounds: string[] = [];
  for (let t = 0; t < HOURS; t++) {
    const net = loadKwh[t]! - pvKwh[t]!;
    cost.push(`+ ${importCt[t]} i${t} - ${exportCt[t]} e${t}`);
    rows.push(`i${t} - e${t} ${units.map((_, k) => `- c${k}_${t} + d${k}_${t}`).join(" ")} = ${net}`);
    rows.push(`${units.map((_, k) => `+ d${k}_${t}`).join(" ")} <= ${Math.max(0, net)}`);
    for (const [k, unit] of units.entries()) {
      cost.push(`+ ${unit.wearCt} d${k}_${t}`);
      bounds.push(`c${k}_${t} <= ${unit.chargeKw}`, `d${k}_${t} <= ${unit.dischargeKw}`);
      bounds.push(`${unit.minKwh} <= s${k}_${t} <= ${unit.capacityKwh}`);
      const before = t === 0 ? "" : `- s${k}_${t - 1} `;
      rows.push(
        `s${k}_${t} ${before}- ${unit.oneWay} c${k}_${t} + ${1 / unit.oneWay} d${k}_${t} = ${t === 0 ? unit.socKwh : 0}`,
      );
    }
  }
  const text = [
    "Minimize",
    ` obj: ${cost.join(" ")}`,
    "Subject To",
    ...rows.map((row, n) => ` r${n}: ${row}`),
  ];
  const { Status, ObjectiveValue } = highs.solve(
    [...text, "Bounds", ...bounds.map((bound) => ` ${bound}`), "End"].join("\n"),
    { output_flag: false },
  );
  if (Status !== "Optimal") throw new Error(`HiGHS: ${Status}`);
  return ObjectiveValue;
}

const gridCt = (site: Site, t: number, netKwh: number) =>
  netKwh * (netKwh > 0 ? site.importCt[t]! : site.exportCt[t]!);

function sumOf(units: readonly Unit[]): PlanBatteryInput["battery"] {
  const total = (value: (unit: Unit) => number) => sum(units.map(value));
  const capacityKwh = total((unit) => unit.capacityKwh);
  const weighted = (value: (unit: Unit) => number) =>
    total((unit) => value(unit) * unit.capacityKwh) / capacityKwh;
  const oneWay = Math.sqrt(weighted((unit) => unit.oneWay ** 2));
  return {
    capacityKwh,
    socKwh: total((unit) => unit.socKwh),
    minSocKwh: total((unit) => unit.minKwh),
    maxSocKwh: capacityKwh,
    maxChargePowerKw: total((unit) => unit.chargeKw),
    maxDischargePowerKw: total((unit) => unit.dischargeKw),
    chargeEfficiency: oneWay,
    dischargeEfficiency: oneWay,
    wearCtKwh: weighted((unit) => unit.wearCt),
    exportAllowed: false,
  };
}

/** Cost of the sum planned anew every hour, with its power shared out as by `batteryPlans`, ct. */
function splitCt(site: Site): number {
  const units = site.units.map((unit) => ({ ...unit }));
  let cost = 0;
  for (let t = 0; t < HOURS; t++) {
    const { steps } = planBattery({
      start: new Date(START_MS + t * 3_600_000),
      stepMinutes: 60,
      importPriceCtKwh: site.importCt.slice(t),
      exportPriceCtKwh: site.exportCt.slice(t),
      loadKwh: site.loadKwh.slice(t),
      pvKwh: site.pvKwh.slice(t),
      battery: sumOf(units),
      terminalValueCtKwh: 0,
    });
    const { chargeKwh, dischargeKwh } = steps[0]!;
    const room = units.map((unit) => Math.max(0, unit.capacityKwh - unit.socKwh));
    const held = units.map((unit) => Math.max(0, unit.socKwh - unit.minKwh));
    const inKwh = shareOut(
      chargeKwh,
      room,
      units.map((unit, k) => Math.min(unit.chargeKw, room[k]! / unit.oneWay)),
    );
    const outKwh = shareOut(
      dischargeKwh,
      held,
      units.map((unit, k) => Math.min(unit.dischargeKw, held[k]! * unit.oneWay)),
    );
    for (const [k, unit] of units.entries()) {
      unit.socKwh += inKwh[k]! * unit.oneWay - outKwh[k]! / unit.oneWay;
      cost += outKwh[k]! * unit.wearCt;
    }
    cost += gridCt(site, t, site.loadKwh[t]! - site.pvKwh[t]! + sum(inKwh) - sum(outKwh));
  }
  return cost;
}

/** What planning several batteries as their sum loses against a joint programme, in percent of what that saves. */
export async function benchBatteries(): Promise<void> {
  const highs = await loadHighs();
  for (const kind of KINDS) {
    const losses = Array.from({ length: SITES }, (_, index) => {
      const site = randomSite(seeded(1000 + index), kind);
      const idleCt = sum(site.loadKwh.map((load, t) => gridCt(site, t, load - site.pvKwh[t]!)));
      const bestCt = jointCt(highs, site);
      return (100 * (splitCt(site) - bestCt)) / Math.max(LEAST_RANGE_CT, idleCt - bestCt);
    });
    const [mean, worst] = [sum(losses) / SITES, Math.max(...losses)];
    console.log(`${kind.name.padEnd(48)} mean ${mean.toFixed(2)} %  worst ${worst.toFixed(2)} %`);
  }
}
