import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packFlex, unpackFlex } from "../../../src/plan/windows/flex-pack.js";

describe("flex_pack", () => {
  it("22 to 6, segment 3, plugged is 4197590, bit by bit", () => {
    // 10110 in bits 0-4, 00110 in bits 5-9, 000011 in bits 10-15, nothing done, bit 22 set.
    const byHand = 0b1_000000_000011_00110_10110;
    expect(byHand).toBe(4197590);
    expect(packFlex({ startHour: 22, endHour: 6, segment: 3, plugged: 1 })).toBe(byHand);
    expect(unpackFlex(byHand)).toEqual({ startHour: 22, endHour: 6, segment: 3, hoursDone: 0, plugged: 1 });
  });

  it("contains completed hours in bits 16 to 21", () => {
    expect(packFlex({ startHour: 0, endHour: 0, hoursDone: 1 })).toBe(65536);
    expect(packFlex({ startHour: 1, endHour: 2, segment: 4, hoursDone: 5, plugged: true })).toBe(4526145);
  });

  it("accepts numbers with and without decimals, and reads 0 as missing", () => {
    expect(unpackFlex(Number("4197590.0"))?.segment).toBe(3);
    expect(unpackFlex(0)).toBeNull();
    expect(unpackFlex(-0)).toBeNull();
  });

  it("accepts 8388343 as the largest and rejects 8388607, whose start hour is 31", () => {
    expect(unpackFlex(8388343)).toEqual({
      startHour: 23,
      endHour: 23,
      segment: 63,
      hoursDone: 63,
      plugged: 1,
    });
    expect(() => unpackFlex(8388607)).toThrow(/start hour 31/);
    for (let value = 8388344; value < 8388608; value++) expect(() => unpackFlex(value)).toThrow(RangeError);
  });

  it("rejects an end hour of 24", () => {
    expect(() => unpackFlex(24 << 5)).toThrow(/end hour 24/);
    expect(unpackFlex(23 << 5)?.endHour).toBe(23);
  });

  it.each([-1, 0.5, 4197590.5, 8388608, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses %s",
    (value) => {
      expect(() => unpackFlex(value)).toThrow(RangeError);
    },
  );

  it.each([
    ["startHour", { startHour: 24, endHour: 0 }],
    ["endHour", { startHour: 0, endHour: -1 }],
    ["segment", { startHour: 0, endHour: 0, segment: 64 }],
    ["segment", { startHour: 0, endHour: 0, segment: 1.5 }],
    ["hoursDone", { startHour: 0, endHour: 0, hoursDone: 64 }],
    ["hoursDone", { startHour: 0, endHour: 0, hoursDone: Number.NaN }],
    ["plugged", { startHour: 0, endHour: 0, plugged: "1" as never }],
  ])("names the invalid %s when packing", (field, flex) => {
    expect(() => packFlex(flex)).toThrow(new RegExp(`^${field} must be`));
  });

  it("rejects a missing object", () => {
    for (const nothing of [undefined, null, 4197590])
      expect(() => packFlex(nothing as never)).toThrow(RangeError);
  });

  it("unpacks packed values", () => {
    const hour = fc.integer({ min: 0, max: 23 });
    const sixBit = fc.integer({ min: 0, max: 63 });
    fc.assert(
      fc.property(
        fc.record({
          startHour: hour,
          endHour: hour,
          segment: sixBit,
          hoursDone: sixBit,
          plugged: fc.constantFrom(0 as const, 1 as const),
        }),
        (flex) => {
          const value = packFlex(flex);
          expect(unpackFlex(value)).toEqual(value === 0 ? null : flex);
        },
      ),
      { seed: 7 },
    );
  });
});
