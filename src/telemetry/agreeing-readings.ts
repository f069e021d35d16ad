/**
 * How a device reports its power: as that of the instant, which then applies until the next reading, or as the mean since the reading
 * before. Taken for the other, a device that starts appears an interval early or late.
 */
export type PowerMeaning = "instant" | "mean";

/** A quantity under both meanings of the powers that it comes from. */
export type ByMeaning<T> = Readonly<Record<PowerMeaning, T>>;

/** Energies by quarter-hour, kWh; undefined: not known. */
export type QuarterEnergies = readonly (number | undefined)[];

/** What the meter counted in a quarter-hour, kWh; undefined: not known. */
export interface MeterFlows {
  importKwh: number | undefined;
  exportKwh: number | undefined;
}

/** Energies of a quarter-hour behind the meter, kWh; undefined where a reading is missing. */
export interface MeasuredFlows {
  pvKwh: number | undefined;
  /** AC energies into the battery and out of it. */
  chargeKwh: number | undefined;
  dischargeKwh: number | undefined;
}

/** What a device measured in each quarter-hour. */
export interface DeviceEnergies {
  /** By its own counter. */
  counted: QuarterEnergies;
  byPower: ByMeaning<QuarterEnergies>;
}

/** The meanings of the powers of a site that agree with its meter; `devices` in the order in which they were given. */
export interface AgreeingMeanings {
  flows: PowerMeaning;
  devices: PowerMeaning[];
}

/** At equal fit the first one. */
const MEANINGS: readonly PowerMeaning[] = ["instant", "mean"];

/** The energies of a device: of its counter where it is known, else of its power. */
export function deviceQuarters(
  { counted, byPower }: DeviceEnergies,
  meaning: PowerMeaning,
): (number | undefined)[] {
  return byPower[meaning].map((kwh, index) => counted[index] ?? kwh);
}

/** Load less PV by the energy balance `import - export - charge + discharge` of each quarter-hour. */
export function balanceOf(
  meter: readonly MeterFlows[],
  flows: readonly MeasuredFlows[],
): (number | undefined)[] {
  return meter.map(({ importKwh, exportKwh }, index) => {
    const { chargeKwh, dischargeKwh } = flows[index]!;
    if (importKwh === undefined || exportKwh === undefined) return undefined;
    if (chargeKwh === undefined || dischargeKwh === undefined) return undefined;
    return importKwh - exportKwh - chargeKwh + dischargeKwh;
  });
}

/**
 * The one rule for how powers are read: the meanings under which the household, which is the load of the energy balance less the devices,
 * changes least from quarter-hour to quarter-hour. A battery or a device that appears early or late leaves a load in one quarter-hour and
 * its opposite in the next. Where the balance does not tell, a device is read as its own counter fits.
 */
export function agreeingMeanings(
  meter: readonly MeterFlows[],
  flows: ByMeaning<readonly MeasuredFlows[]>,
  devices: readonly DeviceEnergies[],
): AgreeingMeanings {
  return leastOf(
    MEANINGS.map((meaning) => {
      const load = balanceOf(meter, flows[meaning]).map((net, index) =>
        net === undefined ? undefined : net + (flows[meaning][index]!.pvKwh ?? 0),
      );
      const { household, meanings } = withoutDevices(load, devices);
      return { of: { flows: meaning, devices: meanings }, misfit: [variation(household)] };
    }),
  );
}

/** The load without its devices, each as it fits best. */
function withoutDevices(load: QuarterEnergies, devices: readonly DeviceEnergies[]) {
  const meanings: PowerMeaning[] = [];
  let household = load;
  for (const device of devices) {
    const best = leastOf(
      MEANINGS.map((meaning) => {
        const kwh = deviceQuarters(device, meaning);
        const rest = household.map((one, index) => (one === undefined ? one : one - (kwh[index] ?? 0)));
        return { of: { meaning, rest }, misfit: [variation(rest), distance(device, meaning)] };
      }),
    );
    meanings.push(best.meaning);
    household = best.rest;
  }
  return { household, meanings };
}

/** The candidate with the least misfit, by the first number that differs. */
function leastOf<T>(candidates: readonly { of: T; misfit: readonly number[] }[]): T {
  return candidates.reduce((best, one) => {
    const differs = one.misfit.findIndex((value, k) => Math.abs(value - best.misfit[k]!) > LEAST_KWH);
    return differs >= 0 && one.misfit[differs]! < best.misfit[differs]! ? one : best;
  }).of;
}

/** Less is rounding, kWh. */
const LEAST_KWH = 1e-6;

function variation(kwh: QuarterEnergies): number {
  return kwh.slice(1).reduce<number>((sum, one, index) => sum + Math.abs((one ?? 0) - (kwh[index] ?? 0)), 0);
}

/** Between the power and the counter of a device. */
function distance({ counted, byPower }: DeviceEnergies, meaning: PowerMeaning): number {
  return byPower[meaning].reduce<number>((sum, kwh, index) => {
    const counter = counted[index];
    return kwh === undefined || counter === undefined ? sum : sum + Math.abs(counter - kwh);
  }, 0);
}
