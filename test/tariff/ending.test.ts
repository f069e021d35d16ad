import { describe, expect, it } from "vitest";
import { tariffEndings } from "../../src/tariff/ending.js";
import { tariffOfPresets } from "../../src/tariff/presets.js";

const levy = (name: string, valid_to?: string) => ({ name, ct_kwh: 1, ...(valid_to && { valid_to }) });

describe("the end of a tariff", () => {
  it("is named 60 days before it", () => {
    const tariff = [{ known_until: "2026-12-31" }];
    expect(tariffEndings(tariff, "2026-10-31")).toEqual([]);
    expect(tariffEndings(tariff, "2026-11-01")).toEqual([{ date: "2026-12-31" }]);
  });

  it("names a levy that ends and is followed by none", () => {
    const tariff = [{ levies: [levy("a", "2026-06-30"), levy("a", "2026-12-31"), levy("b")] }];
    expect(tariffEndings(tariff, "2026-12-01")).toEqual([{ date: "2026-12-31", levy: "a" }]);
  });

  it("is not named where an entry without valid_to follows", () => {
    expect(tariffEndings([{ levies: [levy("a", "2026-12-31"), levy("a")] }], "2026-12-01")).toEqual([]);
  });

  it("counts the last period only", () => {
    const tariff = [{ known_until: "2025-12-31" }, { valid_from: "2026-01-01" }];
    expect(tariffEndings(tariff, "2026-12-01")).toEqual([]);
  });

  it("is that of the presets: the end of 2026", () => {
    expect(tariffEndings(tariffOfPresets({ area: "wien" }), "2026-11-22")).toEqual([{ date: "2026-12-31" }]);
  });

  it("is not known of the short form", () => {
    expect(tariffEndings({ markup_ct_kwh: 1.5 }, "2026-11-22")).toEqual([]);
  });
});
