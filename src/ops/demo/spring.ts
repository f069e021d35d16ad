import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { localTime } from "../../core/time/zone.js";
import { clearSkyGhi, cloudTransmission } from "../../forecast/solar/irradiance.js";
import { type Location, sunPosition } from "../../forecast/solar/sun.js";
import { type SeededRandom, seededRandom } from "../../plan/physics/random.js";

/** One generated quarter-hour. */
export interface SpringQuarter {
  start: Date;
  /** Day-ahead price, EUR/MWh; the same for the four quarters of an hour. */
  eurPerMwh: number;
  /** Weather as a forecast service gives it: hourly, without the passing clouds. */
  forecast: { ghiWm2: number; temperatureC: number; cloudCoverPct: number; windSpeedMs: number };
  /** Global irradiance that arrives, W/m2. */
  ghiWm2: number;
  /** Mean power of the household without wallbox and boiler, kW. */
  householdKw: number;
}

export interface SpringOptions extends Location {
  /** A full hour. */
  start: Date;
  days: number;
  seed: number;
  timeZone: string;
}

const LOAD_BASE_KW = 0.18;

/**
 * Generates sunny, windy spring days: a market with a deep dip at noon (negative when sun and wind are strong, deepest on
 * Sundays) and two daily peaks, weather, and a household that cooks in the evening. Ascending quarter-hours; the same
 * options give the same days. Generated data, not a model of the market.
 */
export function springQuarters({ start, days, seed, timeZone, ...place }: SpringOptions): SpringQuarter[] {
  const random = seededRandom(seed);
  const sky = clouds(random);
  const household = householdLoad(random);
  const quarters: SpringQuarter[] = [];
  let wind = 0;
  for (let hour = 0; hour < days * 24; hour++) {
    const hourStart = new Date(start.getTime() + hour * HOUR_MS);
    const local = localTime(hourStart, timeZone);
    const middle = new Date(hourStart.getTime() + HOUR_MS / 2);
    wind = 0.97 * wind + 0.24 * random.normal();
    const cover = sky.ofHour(hour);
    const clear = clearSkyGhi(sunPosition(middle, place).altitudeDeg);
    const ghiWm2 = clear * cloudTransmission(cover);
    const eurPerMwh = price({ hour: local.hour, weekday: local.weekday, ghiWm2, wind, random });
    const temperatureC = 11 + 6 * Math.sin(((local.hour - 9) / 12) * Math.PI) - 2 * (cover / 100);
    const forecast = { ghiWm2, temperatureC, cloudCoverPct: cover, windSpeedMs: Math.max(0.5, 5 + 3 * wind) };
    for (let quarter = 0; quarter < 4; quarter++) {
      const quarterStart = new Date(hourStart.getTime() + quarter * QUARTER_MS);
      quarters.push({
        start: quarterStart,
        eurPerMwh,
        forecast,
        ghiWm2: Math.max(0, ghiWm2 * sky.passing()),
        householdKw: household(local.hour + quarter / 4, local.weekday),
      });
    }
  }
  return quarters;
}

/** Cloud cover that changes over days, and clouds that pass within the hour. */
function clouds(random: SeededRandom) {
  let slow = 0;
  let fast = 0;
  return {
    /** Cover of an hour, percent. */
    ofHour: (hour: number) => {
      if (hour % 6 === 0) slow = 0.75 * slow + 0.6 * random.normal();
      return Math.round(Math.min(100, Math.max(0, 35 + 30 * slow)));
    },
    /** Factor on the hour's irradiance in the next quarter-hour. */
    passing: () => {
      fast = 0.7 * fast + 0.12 * random.normal();
      return Math.min(1.15, Math.max(0.3, 1 + fast));
    },
  };
}

function price(at: { hour: number; weekday: number; ghiWm2: number; wind: number; random: SeededRandom }) {
  const weekend = at.weekday >= 6;
  const peaks = 38 * bell(at.hour, 7.5, 1.6) * (weekend ? 0.5 : 1) + 75 * bell(at.hour, 19.5, 2);
  const sun = 125 * (at.ghiWm2 / 850) * (at.weekday === 7 ? 1.5 : weekend ? 1.2 : 1);
  const eurPerMwh = 92 + peaks - sun - 28 * at.wind - (weekend ? 14 : 0) + 4 * at.random.normal();
  return Math.round(Math.max(-250, eurPerMwh) * 100) / 100;
}

/** Power of a household, kW: base, breakfast, cooking in the evening, a machine or two at other times. */
function householdLoad(random: SeededRandom) {
  let machineQuarters = 0;
  return (clock: number, weekday: number) => {
    const weekend = weekday >= 6;
    const breakfast = 0.7 * bell(clock, weekend ? 9 : 6.75, 0.7);
    const noon = (weekend ? 1.3 : 0.25) * bell(clock, 12.5, 0.8);
    const cooking = 1.9 * bell(clock, 18.75, 0.9);
    const evening = 0.35 * bell(clock, 21, 1.8);
    const awake = clock >= 8 && clock < 21;
    if (machineQuarters === 0 && awake && random.uniform() < 0.012) machineQuarters = 5;
    const machine = machineQuarters > 0 ? 1.1 : 0;
    machineQuarters = Math.max(0, machineQuarters - 1);
    const noise = Math.exp(0.22 * random.normal());
    return (LOAD_BASE_KW + breakfast + noon + cooking + evening) * noise + machine;
  };
}

const bell = (x: number, centre: number, width: number) => Math.exp(-0.5 * ((x - centre) / width) ** 2);
