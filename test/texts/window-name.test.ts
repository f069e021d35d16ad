import { expect, it } from "vitest";
import { textsOf } from "../../src/texts/index.js";

it("names the times of a price window in words; a name of its own stays", () => {
  const german = textsOf("de").bill.window;
  expect(german("months 4-9, 10:00-16:00")).toBe("April–Sept., 10:00–16:00 Uhr");
  expect(german("months 4-9, 10-16")).toBe("April–Sept., 10–16 Uhr");
  expect(german("days 1-5, 06:00-22:00")).toBe("Mo.–Fr., 06:00–22:00 Uhr");
  expect(german("months 10-3, days no holidays")).toBe("Okt.–März, außer Feiertage");
  expect(german("Nachtstrom")).toBe("Nachtstrom");
  expect(textsOf("en").bill.window("months 1,12, days holidays, 10-16")).toBe("Jan,Dec, holidays, 10–16");
});
