import { describe, expect, it } from "vitest";
import { learnCommunityShare, withCommunityShare } from "../../src/tariff/community-share.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";

const ZONE = "Europe/Vienna";
/** Days in Vienna from the first of June: 2 kWh drawn by quarter-hour, half of it from the community from 10:00 to 16:00. */
const quarters = (days: number) =>
  Array.from({ length: days * 96 }, (_, t) => {
    const start = new Date(Date.parse("2026-05-31T22:00:00Z") + t * 900_000);
    const hour = Math.floor((t % 96) / 4);
    return { start, importKwh: 2, communityKwh: hour >= 10 && hour < 16 ? 1 : 0 };
  });

describe("the learned share of a community", () => {
  it("is the covered part of the draw by local hour", () => {
    const share = learnCommunityShare(quarters(14), ZONE)!;
    expect(share.map((pct, hour) => (pct > 0 ? hour : -1)).filter((hour) => hour >= 0)).toEqual([
      10, 11, 12, 13, 14, 15,
    ]);
    expect(share[12]).toBe(50);
    // By energy, not by the mean of the shares: 14 times 1 of 2 kWh, and once 0 of 14 kWh.
    const more = { start: new Date("2026-06-20T10:00:00Z"), importKwh: 112, communityKwh: 0 };
    expect(learnCommunityShare([...quarters(14), more], ZONE)![12]).toBe(25);
  });

  it("needs 14 days with both values, and takes the share of the day for an hour without a draw", () => {
    expect(learnCommunityShare(quarters(13), ZONE)).toBeUndefined();
    const unpublished = quarters(14).map((quarter, t) =>
      t === 5 ? { ...quarter, communityKwh: undefined } : quarter,
    );
    expect(learnCommunityShare(unpublished, ZONE)).toBeUndefined();
    const idle = quarters(16).map((quarter, t) =>
      t % 96 < 4 ? { ...quarter, importKwh: 0, communityKwh: 0 } : quarter,
    );
    // 6 of 23 hours have half.
    expect(learnCommunityShare(idle, ZONE)![0]).toBeCloseTo((100 * 3) / 23, 9);
  });

  it("is used where share_pct is null, and not over a share that is set", () => {
    const share = learnCommunityShare(quarters(14), ZONE);
    const period = { energy: { type: "fixed" as const, ct_kwh: 30 }, community: { price_ct_kwh: 10 } };
    const noon = new Date("2026-07-01T10:00:00Z");
    const priceOf = (tariff: Parameters<typeof withCommunityShare>[0]) =>
      compileTariff(withCommunityShare(tariff, share), ZONE).importCtKwh(0, noon);
    expect(priceOf([period])).toBeCloseTo(20, 9);
    expect(priceOf([{ ...period, community: { price_ct_kwh: 10, share_pct: 0 } }])).toBeCloseTo(30, 9);
    expect(priceOf([{ energy: period.energy }])).toBeCloseTo(30, 9);
  });
});
