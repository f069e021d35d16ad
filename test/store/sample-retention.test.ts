import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counterDeltas } from "../../src/core/domain/counter.js";
import { thinQuarter } from "../../src/store/sample-retention.js";

const startMs = Date.parse("2026-01-15T03:15:00Z");
const at = (second: number) => new Date(startMs + second * 1000);
const readings = (...values: number[]) => values.map((value, index) => ({ at: at(60 + index * 10), value }));

describe("thinQuarter", () => {
  it("keeps the mean of powers and SOC, dated to the start", () => {
    expect(thinQuarter("load_power_kw", readings(1, 2, 6))).toEqual([{ at: at(0), value: 3 }]);
    expect(thinQuarter("soc_pct", readings(50))).toEqual([{ at: at(0), value: 50 }]);
  });

  it("keeps the last reading of a counter and of the plug", () => {
    expect(thinQuarter("import_kwh", readings(1, 2, 6))).toEqual([{ at: at(80), value: 6 }]);
    expect(thinQuarter("ev_connected", readings(0, 1, 0))).toEqual([{ at: at(80), value: 0 }]);
  });

  it("keeps both sides of a meter change", () => {
    expect(thinQuarter("import_kwh", readings(90, 95, 0, 1, 2)).map(({ value }) => value)).toEqual([
      95, 0, 2,
    ]);
  });

  it("is idempotent and keeps the energy of a counter", () => {
    const values = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 30 });
    const energy = (list: { at: Date; value: number }[]) =>
      counterDeltas(list).reduce((total, { kwh }) => total + kwh, 0);
    fc.assert(
      fc.property(values, fc.constantFrom("import_kwh" as const, "soc_pct" as const), (list, reading) => {
        const raw = readings(...list);
        const once = thinQuarter(reading, raw);
        expect(thinQuarter(reading, once)).toEqual(once);
        // The last reading of the previous quarter-hour connects it to the history; here it equals the first one.
        const before = { at: at(-1), value: list[0]! };
        if (reading === "import_kwh") expect(energy([before, ...once])).toBe(energy([before, ...raw]));
      }),
    );
  });
});
