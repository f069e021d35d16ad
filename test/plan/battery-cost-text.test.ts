import { expect, it } from "vitest";
import { batteryCostText } from "../../src/plan/battery-override.js";
import { formatOf } from "../../src/texts/format.js";

it("says what an override of the battery costs, that it costs nothing, or what it saves", () => {
  const english = formatOf("en", "Europe/Vienna");
  expect([0.423, 0.004, -0.004, -0.124].map((eur) => batteryCostText(eur, english))).toEqual([
    "This costs about 0.42 € more than the plan over the next 7 days.",
    "This costs no more than the plan.",
    "This costs no more than the plan.",
    "This saves about 0.12 € compared with the plan over the next 7 days.",
  ]);
  expect(batteryCostText(-0.124, formatOf("de", "Europe/Vienna"))).toBe(
    "Das spart in den nächsten 7 Tagen etwa 0,12 € gegenüber dem Plan.",
  );
});
