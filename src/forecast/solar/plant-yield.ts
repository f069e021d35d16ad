import { HOUR_MS } from "../../core/domain/interval.js";
import { checkWeather, type PvArray, type PvStep, pvYield } from "./pv-yield.js";
import type { Location } from "./sun.js";

/** An inverter that several arrays share. */
export interface PvInverter {
  id: string;
  /** Maximum AC power of all its arrays together. */
  kw: number;
}

/** An array of a plant. */
export interface PvPlantArray extends PvArray {
  /** Id of the inverter that the array shares; left out: its own, limited by `inverterKw`. */
  inverter?: string | undefined;
}

export interface PvPlantYieldInput extends Location {
  arrays: readonly PvPlantArray[];
  inverters?: readonly PvInverter[] | undefined;
  steps: readonly PvStep[];
}

/** Energy of the arrays on one shared inverter before its limit, or of all arrays with their own after theirs. */
export interface InverterYield {
  /** Maximum AC power; infinite where an array of its own has none. */
  limitKw: number;
  isShared: boolean;
  /** Energy of each step, kWh. */
  kwh: number[];
}

/**
 * AC energy of all arrays of a plant in each step, kWh, as by `pvYield`; those that share an inverter give at most its power
 * together, step by step. Throws RangeError that names an invalid field, or an inverter that is not listed.
 *
 * @example
 * pvPlantYield({ latitude: 48.2, longitude: 16.4, inverters: [{ id: "garage", kw: 5 }],
 *                arrays: [{ tiltDeg: 30, azimuthDeg: 120, peakKw: 6, inverter: "garage" },
 *                         { tiltDeg: 30, azimuthDeg: 240, peakKw: 6, inverter: "garage" }],
 *                steps: [{ start: new Date("2026-06-21T11:00Z"), end: new Date("2026-06-21T11:15Z"), ghi: 850 }] })
 */
export function pvPlantYield(input: PvPlantYieldInput): { kwh: number }[] {
  const yields = yieldByInverter(input);
  return input.steps.map(({ start, end }, index) => {
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    const kwh = yields.reduce((sum, one) => sum + Math.min(one.limitKw * hours, one.kwh[index]!), 0);
    return { kwh };
  });
}

/** The energy of a plant's arrays by inverter: first that of all arrays with their own, then that of each shared one. */
export function yieldByInverter(input: PvPlantYieldInput): InverterYield[] {
  checkWeather(input);
  const { arrays, inverters = [], steps, ...place } = input;
  checkList("arrays", arrays);
  checkList("inverters", inverters);
  for (const [index, { kw }] of inverters.entries())
    if (!(typeof kw === "number" && kw >= 0))
      throw new RangeError(`inverters[${index}].kw must be a number from 0; found ${String(kw)}.`);
  for (const [index, { inverter }] of arrays.entries())
    if (inverter !== undefined && !inverters.some(({ id }) => id === inverter))
      throw new RangeError(
        `arrays[${index}].inverter must be the id of an entry in inverters; found ${inverter}.`,
      );
  const sumOf = (of: readonly PvPlantArray[]): number[] => {
    const kwh = new Array<number>(steps.length).fill(0);
    for (const array of of)
      for (const [index, step] of pvYield({ ...place, ...array, steps }).entries()) kwh[index]! += step.kwh;
    return kwh;
  };
  const single = arrays.filter(({ inverter }) => inverter === undefined);
  const ownKw = single.reduce((sum, { inverterKw = Number.POSITIVE_INFINITY }) => sum + inverterKw, 0);
  return [
    { limitKw: ownKw, isShared: false, kwh: sumOf(single) },
    ...inverters.map(({ id, kw }) => ({
      limitKw: kw,
      isShared: true,
      kwh: sumOf(arrays.filter(({ inverter }) => inverter === id)),
    })),
  ];
}

function checkList(name: string, list: unknown): void {
  if (!Array.isArray(list) || !list.every((one) => typeof one === "object" && one !== null))
    throw new RangeError(`${name} must be a list of objects.`);
}
