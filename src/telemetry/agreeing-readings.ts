/**
 * How a device reports its power: as that of the instant, which then applies until the next reading, or as the mean since the reading
 * before. Taken for the other, a device that starts appears an interval early or late. `corrected`: that of an instant, with what its state
 * of charge shows of the time between the readings.
 */
export type PowerMeaning = "instant" | "mean" | "corrected";

/** A quantity under each of the meanings of the powers that it comes from. */
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
export interface MeteredDevice {
  /** By its own counter. */
  counted: QuarterEnergies;
  byPower: ByMeaning<QuarterEnergies>;
}

/** The meanings of the powers of a site that agree with its meter; `devices` in the order in which they were given. */
export interface AgreeingMeanings {
  flows: PowerMeaning;
  devices: PowerMeaning[];
}

/** A difference up to this does not tell how the power of a device is read, kWh a day: then as that of an instant. */
const LEAST_KWH = 0.2;
/** Another counter than that of the power is never near it: by this factor the fitting meaning is nearer. */
const TIMES_NEARER = 2;
const MEANINGS: readonly PowerMeaning[] = ["instant", "mean", "corrected"];

/** The energies of a device: of its counter where it is known, else of its power. */
export function deviceQuarters(
  { counted, byPower }: MeteredDevice,
  meaning: PowerMeaning,
): (number | undefined)[] {
  return byPower[meaning].map((kwh, index) => counted[index] ?? kwh);
}

/** Load less PV by the energy balance `import - export - charge + discharge` of each quarter-hour. */
export function meterBalance(
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
  devices: readonly MeteredDevice[],
): AgreeingMeanings {
  return leastOf(
    MEANINGS.map((meaning) => {
      const load = meterBalance(meter, flows[meaning]).map((net, index) =>
        net === undefined ? undefined : net + (flows[meaning][index]!.pvKwh ?? 0),
      );
      const { household, meanings } = withoutDevices(load, devices);
      return { of: { flows: meaning, devices: meanings }, variation: variation(household), distance: 0 };
    }),
    0,
  );
}

/** How the power of something is read whose energy is counted too; an instant where that is not known. */
export function meaningByCounter(device: MeteredDevice): PowerMeaning {
  return withoutDevices([], [device]).meanings[0]!;
}

/** The load without its devices, each as it fits best. */
function withoutDevices(load: QuarterEnergies, devices: readonly MeteredDevice[]) {
  const meanings: PowerMeaning[] = [];
  let household = load;
  for (const device of devices) {
    const best = leastOf(
      MEANINGS.map((meaning) => {
        const kwh = deviceQuarters(device, meaning);
        const rest = household.map((one, index) => (one === undefined ? one : one - (kwh[index] ?? 0)));
        return { of: { meaning, rest }, variation: variation(rest), distance: distance(device, meaning) };
      }),
      LEAST_KWH,
    );
    meanings.push(best.meaning);
    household = best.rest;
  }
  return { household, meanings };
}

interface Candidate<T> {
  of: T;
  /** Of the household, kWh. */
  variation: number;
  /** From its own counter, kWh. */
  distance: number;
}

/** The candidate under which the household changes less by `leastKwh`, or else that which is clearly nearer to its counter, or else the first. */
function leastOf<T>(candidates: readonly Candidate<T>[], leastKwh: number): T {
  return candidates.reduce((best, one) => {
    const lessKwh = best.variation - one.variation;
    const isNearer = best.distance - one.distance > leastKwh && TIMES_NEARER * one.distance < best.distance;
    return lessKwh > leastKwh || (lessKwh >= -leastKwh && isNearer) ? one : best;
  }).of;
}

function variation(kwh: QuarterEnergies): number {
  return kwh.slice(1).reduce<number>((sum, one, index) => sum + Math.abs((one ?? 0) - (kwh[index] ?? 0)), 0);
}

/** Between the power and the counter of a device, where it is known under both meanings. */
function distance({ counted, byPower }: MeteredDevice, meaning: PowerMeaning): number {
  return counted.reduce<number>((sum, counter, index) => {
    const isKnown = MEANINGS.every((one) => byPower[one][index] !== undefined);
    return counter === undefined || !isKnown ? sum : sum + Math.abs(counter - byPower[meaning][index]!);
  }, 0);
}
