import { describe, expect, it } from "vitest";
import { nodesOfRatios } from "../../../src/forecast/pv/nodes.js";

describe("the factors on a plant's PV", () => {
  it("are the means of thirds of measured over expected hours, with twenty days or more", () => {
    const days = Array.from({ length: 20 }, (_, day) => (day % 2 === 0 ? [0.4, 1, 1.2] : [0.6, 1, 1.4]));
    const nodes = nodesOfRatios(days)!;
    expect(nodes.factors.map((factor) => Number(factor.toFixed(9)))).toEqual([0.5, 1, 1.3]);
    expect(nodes.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(nodesOfRatios(days.slice(1))).toBeUndefined();
  });
});
