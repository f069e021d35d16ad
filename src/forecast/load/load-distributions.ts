import { HOUR_MS } from "../../core/domain/interval.js";
import type { LoadModel } from "./load-model.js";
import { type LocalHour, LocalHours } from "./local-hours.js";

/** Probabilities of the ranks. The upper ones are narrower, because the cost of being wrong lies there. */
export const RANK_SHARES: readonly number[] = [0.25, 0.25, 0.25, 0.15, 0.1];

/** Days after which a measured hour has half the weight. */
const HALF_LIFE_DAYS = 4;
/** Weight of a day of another kind. */
const OTHER_KIND = 0.6;
/** With less weight than two days have, the other hours of the last days count, too, with the weight of half a day. */
const FEW_WEIGHT = 1 + 2 ** (-1 / HALF_LIFE_DAYS);
const OTHER_HOURS_DAYS = 7;
const OTHER_HOURS_WEIGHT = 0.5;
/** Load where nothing was measured, kWh in an hour. */
const UNKNOWN_KWH = 0.4;

interface Member extends LocalHour {
  kwh: number;
}

interface Weighted {
  kwh: number;
  weight: number;
}

/** The distribution of the load of an hour: the measured hours at its clock hour, recent and similar days weighing more. */
export class LoadDistributions {
  readonly #members: Member[][] = Array.from({ length: 24 }, () => []);
  readonly #nodes = new Map<number, number[]>();
  readonly #local: LocalHours;

  constructor({ timeZone, fromMs, hourKwh }: LoadModel) {
    this.#local = new LocalHours(timeZone);
    for (const [index, kwh] of hourKwh.entries()) {
      if (kwh === null) continue;
      const at = this.#local.at(fromMs + index * HOUR_MS);
      this.#members[at.hour]!.push({ ...at, kwh });
    }
  }

  /** The load of the clock hour at an instant by rank, kWh. */
  at(ms: number): readonly number[] {
    const { hour, kind } = this.#local.at(ms);
    const key = 3 * hour + kind;
    let nodes = this.#nodes.get(key);
    if (nodes === undefined) {
      nodes = nodesOf(this.#weighted(hour, kind));
      this.#nodes.set(key, nodes);
    }
    return nodes;
  }

  #weighted(hour: number, kind: number): Weighted[] {
    const own = this.#members[hour]!;
    const newest = own.at(-1)?.day ?? 0;
    const weighted = own.map((member) => ({
      kwh: member.kwh,
      weight: 2 ** ((member.day - newest) / HALF_LIFE_DAYS) * (member.kind === kind ? 1 : OTHER_KIND),
    }));
    const weight = weighted.reduce((sum, member) => sum + member.weight, 0);
    if (weight === 0 || weight >= FEW_WEIGHT) return weighted;
    const others = this.#members.flat().filter(({ day }) => day > newest - OTHER_HOURS_DAYS);
    return [...weighted, ...others.map(({ kwh }) => ({ kwh, weight: OTHER_HOURS_WEIGHT / others.length }))];
  }
}

/** Weighted means of the members in rising order, cut where the shares of the ranks end; a member on a cut is split. */
function nodesOf(members: Weighted[]): number[] {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0)) return RANK_SHARES.map(() => UNKNOWN_KWH);
  members.sort((a, b) => a.kwh - b.kwh);
  let next = 0;
  let least = 0;
  let left = members[0]!.weight;
  return RANK_SHARES.map((share) => {
    const wanted = share * total;
    let room = wanted;
    let sum = 0;
    while (room > 0 && next < members.length) {
      const taken = Math.min(left, room);
      sum += taken * members[next]!.kwh;
      room -= taken;
      left -= taken;
      if (left <= 0) left = members[++next]?.weight ?? 0;
    }
    // Rounding may leave the last rank without a member, and a rank a hair below the one before.
    least = Math.max(least, room < wanted ? sum / (wanted - room) : members.at(-1)!.kwh);
    return least;
  });
}
