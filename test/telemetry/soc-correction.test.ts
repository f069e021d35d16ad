import { describe, expect, it } from "vitest";
import type { EnergyStep } from "../../src/core/domain/interval.js";
import { agreeingMeanings, type PowerMeaning } from "../../src/telemetry/agreeing-readings.js";
import { powerPieces } from "../../src/telemetry/quarters.js";
import { measuredFlows } from "../../src/telemetry/reading-energies.js";
import { correctedBySoc } from "../../src/telemetry/soc-correction.js";

const START_MS = Date.parse("2026-05-04T00:00:00Z");
const DAY_MINUTES = 1440;
const at = (minute: number) => new Date(START_MS + minute * 60_000);
const STORAGE = { capacityKwh: 10, oneWayEfficiency: 0.95 };
const RANGE = { minKw: -7.5, maxKw: 7.5 };

/** Charges with 5 kW: the minute of the day, and how many. Readings every five minutes see 45 of these 53 minutes. */
const CHARGES = [
  [61, 3],
  [121, 2],
  [182, 3],
  [240, 37],
  [306, 3],
  [361, 2],
  [422, 3],
] as const;
/** 53 minutes of 5 kW, and 519 minutes of 0.6 kW. */
const [CHARGED_KWH, DISCHARGED_KWH] = [4.417, 5.19];

function powerKw(minute: number): number {
  const isCharging = CHARGES.some(([from, minutes]) => minute >= from && minute < from + minutes);
  return isCharging ? 5 : minute > 480 && minute < 1000 ? -0.6 : 0;
}

/** What a battery reports of the last minute, and the SOC of its true capacity. */
function read({
  everyMinutes = 5,
  stepPct = 0.1,
  capacityKwh = 10,
  shown = (pct: number, _minute: number) => pct,
} = {}) {
  const [power, soc] = [[], []] as { at: Date; value: number }[][];
  let storedKwh = 2;
  for (let minute = 0; minute <= DAY_MINUTES; minute++) {
    const kwh = minute === 0 ? 0 : powerKw(minute - 1) / 60;
    storedKwh += kwh > 0 ? kwh * 0.95 : kwh / 0.95;
    if (minute % everyMinutes !== 0) continue;
    power!.push({ at: at(minute), value: powerKw(minute - 1) });
    const pct = Math.round((100 * storedKwh) / capacityKwh / stepPct) * stepPct;
    soc!.push({ at: at(minute), value: Number(shown(pct, minute).toFixed(1)) });
  }
  return { power: power!, soc: soc! };
}

function energies(pieces: readonly EnergyStep[]): [chargedKwh: number, dischargedKwh: number] {
  const sum = (sign: number) => pieces.reduce((total, { kwh }) => total + Math.max(0, sign * kwh), 0);
  return [sum(1), sum(-1)];
}

describe("correctedBySoc", () => {
  const corrected = ({ power, soc } = read()) =>
    energies(correctedBySoc(powerPieces(power), soc, STORAGE, RANGE));

  it.each([
    ["of 0.1 %", read(), 0.02],
    ["of 0.1 % every ten minutes", read({ everyMinutes: 10 }), 0.02],
    // A step is 0.1 kWh.
    ["of 1 %", read({ stepPct: 1 }), 0.1],
    ["of 1 % every 15 minutes", read({ everyMinutes: 15, stepPct: 1 }), 0.11],
    ["of a battery that has aged", read({ capacityKwh: 8.5 }), 0.06],
    ["that lies a reading behind", read({ shown: late() }), 0.02],
    [
      "that is corrected by the battery",
      read({ shown: (pct, minute) => pct + (minute > 700 ? 12 : 0) }),
      0.02,
    ],
    ["that moves every half an hour", read({ shown: held(30) }), 0.02],
  ])("sees charges between the readings by a SOC %s", (_, readings, toleranceKwh) => {
    const [chargedKwh, dischargedKwh] = corrected(readings);
    expect(Math.abs(chargedKwh - CHARGED_KWH)).toBeLessThan(toleranceKwh);
    expect(Math.abs(dischargedKwh - DISCHARGED_KWH)).toBeLessThan(toleranceKwh);
  });

  it("leaves powers alone that come each minute", () => {
    const [chargedKwh, dischargedKwh] = corrected(read({ everyMinutes: 1, capacityKwh: 7 }));
    expect(chargedKwh).toBeCloseTo(CHARGED_KWH, 3);
    expect(dischargedKwh).toBeCloseTo(DISCHARGED_KWH, 6);
  });

  it("does not discharge a vehicle that comes home with less", () => {
    const minutes = [0, 5, 10, 15, 20];
    const power = minutes.map((minute) => ({ at: at(minute), value: 0 }));
    const soc = [60, 60, 58, 52, 52].map((value, k) => ({ at: at(minutes[k]!), value }));
    const pieces = powerPieces(power);
    expect(energies(correctedBySoc(pieces, soc, STORAGE, { minKw: 0, maxKw: 11 }))).toEqual([0, 0]);
  });

  it("is used where the meter agrees, and a SOC that stands still is not", () => {
    const day = { start: at(0), end: at(DAY_MINUTES) };
    // A household of 1 kW.
    const meter = Array.from({ length: 96 }, (_, t) => {
      const batteryKw = Array.from({ length: 15 }, (_, k) => powerKw(15 * t + k));
      return { importKwh: 0.25 + batteryKw.reduce((sum, kw) => sum + kw / 60, 0), exportKwh: 0 };
    });
    const meaning = ({ power, soc }: ReturnType<typeof read>) => {
      const flows = (of: PowerMeaning) =>
        measuredFlows({ battery_power_kw: power, soc_pct: soc }, day, STORAGE, { meaning: of });
      const byMeaning = { instant: flows("instant"), mean: flows("mean"), corrected: flows("corrected") };
      return agreeingMeanings(meter, byMeaning, []).flows;
    };
    expect(meaning(read())).toBe("corrected");
    expect(meaning(read({ shown: () => 50 }))).not.toBe("corrected");
  });
});

function late() {
  const shown: number[] = [];
  return (pct: number) => {
    shown.push(pct);
    return shown.at(-2) ?? pct;
  };
}

function held(minutes: number) {
  let last = 0;
  return (pct: number, minute: number) => {
    if (minute % minutes === 0) last = pct;
    return last;
  };
}
