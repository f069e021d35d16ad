import { describe, expect, it } from "vitest";
import { valueIn } from "../../src/equipment/values.js";

describe("a value of a device", () => {
  it.each([
    [' "on" ', {}, "on"],
    ['{"a":{"b/c":[1,true]}}', { pointer: "/a/b~1c/1" }, "true"],
    ['{"a":{"b":1}}', { pointer: "/a" }, '{"b":1}'],
    ["{", { pointer: "/a" }, undefined],
    ['{"a":1}', { pointer: "/b" }, undefined],
    ["power=7 W", { regex: "power=(\\d+)" }, "7"],
  ] as const)("is found in %s", (text, place, value) => {
    expect(valueIn(text, place)).toBe(value);
  });

  it("is none where a document has more levels than can be written again", () => {
    expect(valueIn(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, { pointer: "/a" })).toBeUndefined();
  });
});
