import { join } from "node:path";
import { expect, it } from "vitest";
import { planUpdatedDocument } from "../../../src/api/documents/webhook-events.js";
import { LIMIT_FIELDS, OUTPUT_FIELDS, planField } from "../../../src/core/domain/plan-field-lists.js";
import { textsOf } from "../../../src/texts/index.js";
import { samplePlan } from "../../api/fake-services.js";
import { PALETTE } from "./palette.js";

/** The palette's copy of the catalogue of fields; the editor and the runtime both load it. */
const copy = {
  outputs: Object.fromEntries(
    Object.entries(OUTPUT_FIELDS).map(([output, name]) => {
      const { kind } = planField(name);
      const nameIn = (language: "de" | "en") => textsOf(language).planFields[name].nodeRed;
      const unit = kind === "boolean" ? "flag" : kind;
      return [output, { unit, names: { de: nameIn("de"), "en-US": nameIn("en") } }];
    }),
  ),
  /** Fields of the event plant.plan_updated, which a plan document has too. */
  event: Object.keys(planUpdatedDocument(samplePlan(), { zone: "UTC", baseUrl: "" })).filter(
    (name) => name !== "event",
  ),
  limits: LIMIT_FIELDS,
};

it("the palette has the outputs, the fields of the event and the limits of the catalogue", async () => {
  const script = `// Generated from the gateway's catalogue of fields (npx vitest run test/edges/node-red/outputs.test.ts -u).
((catalogue) => {
  if (typeof module === "object" && module.exports) module.exports = catalogue;
  else window.hourgateOutputs = catalogue;
})(${JSON.stringify(copy, null, 2)});
`;
  await expect(script).toMatchFileSnapshot(join(PALETTE, "resources/outputs.js"));
});
