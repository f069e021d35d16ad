import { expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import { PlanStore } from "../../src/plan/plan-store.js";
import { siteInput } from "./site-fixture.js";

it("restores a plan and what is kept of the last material one, also as 0.2.0 stored them", async () => {
  const documents = new Map<string, unknown>();
  const store = new PlanStore(
    {
      get: async (name) => documents.get(name),
      put: async (name, value) => void documents.set(name, JSON.parse(JSON.stringify(value))),
    },
    { error: () => {} } as never,
  );
  const plan = planSite(siteInput([20, 30, 20]));
  const earlier = planSite(siteInput([30, 20, 20]));

  const pushed = { chargeHours: earlier.chargeHours, scalars: earlier.scalars };
  store.save("one", { plan, pushed });
  await store.idle();
  documents.set("plan/two", { version: 5, json: JSON.stringify({ plan, pushed: earlier }) });
  documents.set("plan/three", { version: 5, json: JSON.stringify({ plan }) });

  expect(await store.load("one")).toEqual({ plan, pushed });
  expect(await store.load("two")).toEqual({ plan, pushed: earlier });
  expect(await store.load("three")).toEqual({ plan, pushed: plan });
});
