/** Factors of units to that of their kind in a reading's name. */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  kW: { W: 1e-3, kW: 1, MW: 1e3, mW: 1e-6, VA: 1e-3 },
  kWh: {
    Wh: 1e-3,
    kWh: 1,
    MWh: 1e3,
    GWh: 1e6,
    mWh: 1e-6,
    Ws: 1 / 3_600_000,
    J: 1 / 3_600_000,
    kJ: 1 / 3_600,
    MJ: 1 / 3.6,
    GJ: 1e3 / 3.6,
  },
  "%": { "%": 1, Pct: 1, pct: 1 },
  "°C": { "°C": 1, C: 1 },
  "": {},
};

/** Factor to the wanted unit; undefined: it is another quantity. */
export function unitFactor(from: string, to: string): number | undefined {
  if (to === "") return 1;
  return FACTORS[to]?.[from] ?? FACTORS[to]?.[from.trim()];
}

const NUMBER_WITH_UNIT = /^\s*([-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)\s*(\S*)\s*$/i;

/** The number of a text such as "1.2 kW", with its unit. */
export function numberWithUnit(text: string): { value: number; unit: string } | undefined {
  const match = NUMBER_WITH_UNIT.exec(text);
  return match === null ? undefined : { value: Number(match[1]!.replace(",", ".")), unit: match[2]! };
}
