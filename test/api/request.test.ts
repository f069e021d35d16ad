import { expect, test } from "vitest";
import { createOperations } from "../../src/api/catalogue.js";
import { createRequestHandler } from "../../src/api/request.js";
import { PlanInputError } from "../../src/plan/overrides.js";
import { fakeServices, KEYS, NOW } from "./fake-services.js";

function handlerOf(services = fakeServices()) {
  const failures: unknown[] = [];
  const operation = createOperations(services).find(({ path }) => path === "/v1/decision/hours-demand")!;
  const handle = createRequestHandler(operation, (thrown) => failures.push(thrown));
  const caller = { access: services.accounts.access(KEYS.owner), now: NOW };
  return { services, failures, handle: (raw: Record<string, unknown>) => handle(raw, caller) };
}

test("returns status and document to a transport without quotas", async () => {
  const { handle } = handlerOf();
  expect(await handle({})).toMatchObject({ status: 200, document: { schema: "hours_demand_v1.11" } });
  expect(await handle({ mode: 1 })).toMatchObject({
    status: 400,
    document: { error: { code: "invalid_parameter" } },
  });
});

test("a plan without SOC is 400 and names the missing field", async () => {
  const { services, handle, failures } = handlerOf();
  services.plans.decide = () => {
    throw new PlanInputError("battery.soc_pct", "No SOC is known: send battery.soc_pct.");
  };
  expect(await handle({})).toMatchObject({
    status: 400,
    document: {
      error: {
        code: "invalid_parameter",
        details: [{ field: "battery.soc_pct", message: "No SOC is known: send battery.soc_pct." }],
      },
    },
  });
  expect(failures).toEqual([]);
});

test("a plan without several fields names each of them", async () => {
  const { services, handle } = handlerOf();
  const capacity = { field: "battery.capacity_kwh", message: "Send battery.capacity_kwh." };
  services.plans.decide = () => {
    throw new PlanInputError("battery.soc_pct", "Send battery.soc_pct.", [capacity]);
  };
  expect(await handle({})).toMatchObject({
    status: 400,
    document: {
      error: {
        code: "invalid_parameter",
        details: [{ field: "battery.soc_pct", message: "Send battery.soc_pct." }, capacity],
      },
    },
  });
});

test("an empty locale is rejected", async () => {
  expect(await handlerOf().handle({ locale: "" })).toMatchObject({
    status: 400,
    document: { error: { code: "invalid_parameter", details: [{ field: "locale" }] } },
  });
});

test("unexpected errors are logged and not revealed to the caller", async () => {
  const { services, handle, failures } = handlerOf();
  const bug = new RangeError("inside");
  services.plans.decide = () => {
    throw bug;
  };
  const { status, document } = await handle({});
  expect(status).toBe(500);
  expect(JSON.stringify(document)).not.toContain("inside");
  expect(failures).toEqual([bug]);
});

test("calls of one account do not delay another's; more than 100 are refused", async () => {
  const { services, handle } = handlerOf();
  const operation = createOperations(services).find(({ path }) => path === "/v1/decision/hours-demand")!;
  const ask = createRequestHandler(operation, () => {});
  const owner = services.accounts.access(KEYS.owner);
  const answered: string[] = [];
  const call = async (name: string) => {
    const caller = { access: { ...owner, accountId: name }, now: NOW };
    const { status, retryAfter } = await ask({ battery: { soc_pct: 20 } }, caller);
    answered.push(`${name} ${status}`);
    if (status === 429) expect(retryAfter).toBe(1);
  };
  await Promise.all([...Array.from({ length: 102 }, () => call("many")), call("other")]);
  expect(answered.filter((one) => one === "many 429")).toHaveLength(1);
  const computed = answered.filter((one) => !one.endsWith("429"));
  expect(computed.indexOf("other 200")).toBeLessThan(5);
  expect(computed).toHaveLength(102);
  expect(await handle({})).toMatchObject({ status: 200 });
});
