/** Probabilities of the ranks. The upper ones are narrower, because the cost of being wrong lies there. */
export const RANK_SHARES: readonly number[] = [0.25, 0.25, 0.25, 0.15, 0.1];

/** A load and how much it counts. */
export interface Weighted {
  kwh: number;
  weight: number;
}

/** Weighted means of the members in rising order, cut where the shares of the ranks end; a member on a cut is split; without any, the unknown value. */
export function nodesOf(weighted: readonly Weighted[], unknownKwh: number): number[] {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0)) return RANK_SHARES.map(() => unknownKwh);
  const members = [...weighted].sort((a, b) => a.kwh - b.kwh);
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

/** The ranks of the sum of two loads that do not depend on each other. */
export function sumOfNodes(some: readonly number[], others: readonly number[]): number[] {
  const sums = some.flatMap((kwh, k) =>
    others.map((other, j) => ({ kwh: kwh + other, weight: RANK_SHARES[k]! * RANK_SHARES[j]! })),
  );
  return nodesOf(sums, 0);
}
