import { expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import { PlanStore } from "../../src/plan/plan-store.js";
import { siteInput } from "./site-fixture.js";

it("stores a material plan once, and restores both plans with their times", async () => {
  const documents = new Map<string, unknown>();
  const store = new PlanStore(
    {
      get: async (name) => documents.get(name),
      put: async (name, value) => void documents.set(name, structuredClone(value)),
    },
    { error: () => {} } as never,
  );
  const plan = planSite(siteInput([20, 30, 20]));
  const earlier = planSite(siteInput([30, 20, 20]));

  store.save("one", { plan, pushed: plan });
  store.save("two", { plan, pushed: earlier });
  await store.idle();

  expect(await store.load("one")).toEqual({ plan, pushed: plan });
  expect(await store.load("two")).toEqual({ plan, pushed: earlier });
  const sizeOf = (name: string) => JSON.stringify(documents.get(name)).length;
  expect(sizeOf("plan/one")).toBeLessThan(0.6 * sizeOf("plan/two"));
});
