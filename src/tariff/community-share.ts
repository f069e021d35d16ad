import { localTime } from "../core/time/zone.js";
import { periodsOf, type Tariff } from "./tariff.js";

/** A draw from the grid and the part of it that the community covered, kWh; undefined where it is not known. */
export interface CommunityQuarter {
  start: Date;
  importKwh: number | undefined;
  communityKwh: number | undefined;
}

/** Fewer days say little about the hours of a day. */
const LEAST_QUARTERS = 14 * 96;

/**
 * The share of the draw that the community covered, % by local hour, over all quarter-hours where both are known; undefined for less
 * than 14 days of them. An hour without a draw has the share of the whole day.
 */
export function learnCommunityShare(
  quarters: readonly CommunityQuarter[],
  zone: string,
): number[] | undefined {
  const hours = Array.from({ length: 24 }, () => ({ importKwh: 0, communityKwh: 0 }));
  let known = 0;
  for (const { start, importKwh, communityKwh } of quarters) {
    if (importKwh === undefined || communityKwh === undefined) continue;
    const hour = hours[localTime(start, zone).hour]!;
    hour.importKwh += importKwh;
    hour.communityKwh += communityKwh;
    known++;
  }
  if (known < LEAST_QUARTERS) return undefined;
  const sum = (of: "importKwh" | "communityKwh") => hours.reduce((kwh, hour) => kwh + hour[of], 0);
  const shareOf = (communityKwh: number, importKwh: number) =>
    importKwh > 0 ? Math.min(100, (100 * communityKwh) / importKwh) : 0;
  const ofDay = shareOf(sum("communityKwh"), sum("importKwh"));
  return hours.map(({ importKwh, communityKwh }) =>
    importKwh > 0 ? shareOf(communityKwh, importKwh) : ofDay,
  );
}

/** The tariff with the learned share in each period that has a community without `share_pct`. */
export function withCommunityShare(tariff: Tariff, sharePct: number[] | undefined): Tariff {
  if (sharePct === undefined) return tariff;
  let isUsed = false;
  const periods = periodsOf(tariff).map((period) => {
    const { community } = period;
    if (!community || (community.share_pct ?? null) !== null) return period;
    isUsed = true;
    return { ...period, community: { ...community, share_pct: sharePct } };
  });
  return isUsed ? periods : tariff;
}
