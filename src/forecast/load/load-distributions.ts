import { HOUR_MS } from "../../core/domain/interval.js";
import { DAY_PARTS, dayPartOf, type LoadCorrection } from "./load-corrections.js";
import type { LoadModel } from "./load-model.js";
import { nodesOf, RANK_SHARES, type Weighted } from "./load-nodes.js";
import { type LocalHour, LocalHours } from "./local-hours.js";
import { type PresenceKind, type PresencePeriod, presenceAt } from "./presence.js";

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

/** Share of the usual hours, the lowest or the highest, that stand for an absence or guests where none were measured. */
const STAND_IN_SHARE: Record<PresenceKind, number> = { away: 0.25, guests: 0.5 };
/** With fewer days of the same presence measured at a clock hour the usual hours stand in. */
const FEWEST_OWN_DAYS = 2;

interface Member extends LocalHour {
  kwh: number;
  presence: PresenceKind | undefined;
}

/** The distribution of the load of an hour: the measured hours at its clock hour, recent and similar days weighing more. */
export class LoadDistributions {
  readonly #members: Member[][] = Array.from({ length: 24 }, () => []);
  readonly #nodes = new Map<string, number[]>();
  readonly #periods: readonly PresencePeriod[];
  readonly #local: LocalHours;

  readonly #corrections: readonly LoadCorrection[];

  constructor({ timeZone, fromMs, hourKwh, periods = [], corrections = [] }: LoadModel) {
    this.#corrections = corrections;
    this.#local = LocalHours.of(timeZone);
    this.#periods = periods;
    for (const [index, kwh] of hourKwh.entries()) {
      if (kwh === null) continue;
      const ms = fromMs + index * HOUR_MS;
      const { hour, kind, day } = this.#local.at(ms);
      const presence = periods.length === 0 ? undefined : presenceAt(periods, ms)?.kind;
      this.#members[hour]!.push({ hour, kind, day, kwh, presence });
    }
    // Sorted here once, the members of each kind of day need no sorting.
    for (const members of this.#members) members.sort((a, b) => a.kwh - b.kwh);
  }

  /** The load of the clock hour at an instant by rank, kWh. */
  at(ms: number): readonly number[] {
    const { hour, kind } = this.#local.at(ms);
    const presence = presenceAt(this.#periods, ms)?.kind;
    const key = `${hour} ${kind} ${presence}`;
    let nodes = this.#nodes.get(key);
    if (nodes === undefined) {
      nodes = nodesOf(this.#ofPresence(hour, kind, presence), UNKNOWN_KWH);
      const factor = presence === undefined ? this.#correction(hour, kind) : 1;
      if (factor !== 1) nodes = nodes.map((kwh) => factor * kwh);
      this.#nodes.set(key, nodes);
    }
    return nodes;
  }

  /** The factor that gives a part of the days the mean power that somebody says. */
  #correction(hour: number, kind: number): number {
    const part = dayPartOf(hour);
    const days = kind === 0 ? "workdays" : "weekends";
    const said = this.#corrections.find((one) => one.part === part && one.days === days);
    if (said === undefined) return 1;
    const [from, until] = DAY_PARTS[part];
    let sumKwh = 0;
    for (const one of kind === 0 ? [0] : [1, 2])
      for (let at = from; at < until; at++) {
        const nodes = nodesOf(this.#ofPresence(at, one, undefined), UNKNOWN_KWH);
        sumKwh += nodes.reduce((sum, kwh, rank) => sum + RANK_SHARES[rank]! * kwh, 0);
      }
    const meanKw = sumKwh / ((until - from) * (kind === 0 ? 1 : 2));
    return meanKw > 0 ? said.kw / meanKw : 1;
  }

  /** Days of the same presence; until there are enough, the usual days with the lowest or the highest load stand in. */
  #ofPresence(hour: number, kind: number, presence: PresenceKind | undefined): Weighted[] {
    const own = this.#members[hour]!.filter((member) => member.presence === presence);
    if (presence === undefined) return this.#weighted(own, kind);
    if (own.length >= FEWEST_OWN_DAYS) return this.#weighted(own, kind);
    const usual = this.#weighted(
      this.#members[hour]!.filter((member) => member.presence === undefined),
      kind,
    );
    return partOf(usual, STAND_IN_SHARE[presence], presence === "guests");
  }

  #weighted(own: readonly Member[], kind: number): Weighted[] {
    const newest = own.reduce((latest, { day }) => Math.max(latest, day), 0);
    const weighted = own.map((member) => ({
      kwh: member.kwh,
      weight: 2 ** ((member.day - newest) / HALF_LIFE_DAYS) * (member.kind === kind ? 1 : OTHER_KIND),
    }));
    const weight = weighted.reduce((sum, member) => sum + member.weight, 0);
    if (weight === 0 || weight >= FEW_WEIGHT) return weighted;
    const presence = own[0]?.presence;
    const others = this.#members
      .flat()
      .filter((member) => member.day > newest - OTHER_HOURS_DAYS && member.presence === presence);
    return [...weighted, ...others.map(({ kwh }) => ({ kwh, weight: OTHER_HOURS_WEIGHT / others.length }))];
  }
}

/** The members with the lowest (or highest) loads that have a share of the weight; the last of them may have a part of its own. */
function partOf(members: readonly Weighted[], share: number, highest: boolean): Weighted[] {
  const sorted = [...members].sort((a, b) => (highest ? b.kwh - a.kwh : a.kwh - b.kwh));
  let left = share * members.reduce((sum, { weight }) => sum + weight, 0);
  const part: Weighted[] = [];
  for (const { kwh, weight } of sorted) {
    if (left <= 0) break;
    part.push({ kwh, weight: Math.min(weight, left) });
    left -= weight;
  }
  return part;
}
