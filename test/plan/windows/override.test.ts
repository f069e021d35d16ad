import { describe, expect, it } from "vitest";
import type { OverrideRequest } from "../../../src/plan/windows/override.js";
import { FlexInputError } from "../../../src/plan/windows/request.js";
import { hour, slotOf, startedFlex } from "./started-flex.js";

/** A boiler that needs two hours between 0 and 8; the cheapest are 0 to 2, then 2 to 4. */
const NIGHT = slotOf({ kind: "boiler", hours: 2, window_start_hour: 0, window_end_hour: 8 });

describe("overrides of a slot", () => {
  it("run: on at once until they expire, which counts as done", async () => {
    const { service, clock, charging, windows, plan, changes } = await startedFlex({
      slots: [NIGHT],
      price: (of) => 24 - (of % 24),
    });
    expect([charging(), windows()]).toEqual([0, [[6, 8]]]);
    changes.length = 0;
    await service.sites.of("home").override(1, { action: "run", until: hour(1) });
    expect(charging()).toBe(1);
    expect(changes).toEqual(["home"]);
    expect(plan().override).toEqual({ action: "run", until: hour(1) });
    expect(service.flexLoad("home", [{ start: hour(0), end: hour(1) }])).toEqual([10]);
    await clock.set(hour(0.75));
    expect(charging()).toBe(1);
    await clock.set(hour(1));
    expect(plan().override).toBeUndefined();
    expect([charging(), windows()]).toEqual([0, [[7, 8]]]);
    await service.stop();
  });

  it("run: without a demand, for the rest of the local day at most", async () => {
    const { service, charging, plan } = await startedFlex({ slots: [slotOf({ kind: "other" })] });
    await service.sites.of("home").override(1, { action: "run" });
    expect(charging()).toBe(1);
    expect(plan().override?.until).toEqual(hour(24));
    await service.sites.of("home").override(1, { action: "auto" });
    expect(plan()).toMatchObject({ override: undefined, result: undefined });
    await service.stop();
  });

  it("skip: off until the end of the window, or the demand after an earlier time", async () => {
    const { service, charging, windows, plan } = await startedFlex({ slots: [NIGHT] });
    expect(charging()).toBe(1);
    await service.sites.of("home").override(1, { action: "skip" });
    expect(plan().override?.until).toEqual(hour(8));
    expect([charging(), windows()]).toEqual([0, [[24, 26]]]);
    await service.sites.of("home").override(1, { action: "skip", until: hour(3) });
    expect([charging(), windows()]).toEqual([0, [[3, 5]]]);
    await service.sites.of("home").override(1, { action: "auto" });
    expect([charging(), windows()]).toEqual([1, [[0, 2]]]);
    await service.stop();
  });

  it("full: the demand by its deadline, at the best times before it", async () => {
    const { service, clock, windows, plan } = await startedFlex({
      slots: [NIGHT],
      price: (of) => 24 - (of % 24),
      now: hour(1),
    });
    expect(windows()).toEqual([[6, 8]]);
    // A deadline within a quarter-hour is not put off.
    await service.sites.of("home").override(1, { action: "full", until: hour(5.1) });
    expect(windows()).toEqual([[3, 5]]);
    expect(plan()).toMatchObject({ origin: "request", override: { action: "full", until: hour(5) } });
    await clock.set(hour(5));
    expect(plan()).toMatchObject({ origin: "settings", override: undefined });
    await service.stop();
  });

  it("survive a restart, and end while the gateway is off", async () => {
    const first = await startedFlex({ slots: [NIGHT] });
    await first.service.sites.of("home").override(1, { action: "skip", until: hour(4) });
    await first.service.stop();
    const again = await startedFlex({ slots: [NIGHT], documents: first.documents, now: hour(1) });
    expect([again.plan().override?.action, again.charging()]).toEqual(["skip", 0]);
    await again.service.stop();
    const later = await startedFlex({ slots: [NIGHT], documents: first.documents, now: hour(4.5) });
    expect(later.plan().override).toBeUndefined();
    await later.service.stop();
  });

  it("refuse a time that has passed or is far away, and a demand that is not known", async () => {
    const { service, plan } = await startedFlex({ slots: [NIGHT, slotOf({ slot: 2 })], now: hour(1) });
    const refused = [
      [1, { action: "run", until: hour(1) }, /in the future/],
      [1, { action: "skip", until: hour(1 + 8 * 24) }, /7 days/],
      [1, { action: "full" }, /until is missing/],
      [2, { action: "full", until: hour(5) }, /no demand/],
      [3, { action: "skip" }, /not assigned/],
    ] as const;
    for (const [slot, request, reason] of refused) {
      const error = await service.sites
        .of("home")
        .override(slot, request)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FlexInputError);
      expect((error as Error).message).toMatch(reason);
    }
    expect(plan().override).toBeUndefined();
    await service.stop();
  });

  it("say what they would cost, without changing anything", async () => {
    // The price falls from 24 ct by 1 ct an hour; 10 kW.
    const { service, plan, changes, windows } = await startedFlex({
      slots: [NIGHT],
      price: (of) => 24 - (of % 24),
    });
    const before = JSON.stringify(plan());
    changes.length = 0;
    const cost = (request: OverrideRequest) => service.sites.of("home").tryOverride(1, request).cost;
    // One hour at 24 ct; of the planned two hours from 6 on the first, at 18 ct.
    expect(cost({ action: "run", until: hour(1) })).toEqual({
      override: { energyKwh: 10, costEur: expect.closeTo(2.4, 9) },
      plan: { energyKwh: 10, costEur: expect.closeTo(1.8, 9) },
    });
    // More than is planned: 24 + 23 + 22 ct, and the planned two hours at 18 and 17 ct.
    expect(cost({ action: "run", until: hour(3) })).toEqual({
      override: { energyKwh: 30, costEur: expect.closeTo(6.9, 9) },
      plan: { energyKwh: 20, costEur: expect.closeTo(3.5, 9) },
    });
    expect(cost({ action: "skip" })).toEqual({
      override: { energyKwh: 0, costEur: 0 },
      plan: { energyKwh: 20, costEur: expect.closeTo(3.5, 9) },
    });
    // By 5 at 20 and 21 ct.
    expect(cost({ action: "full", until: hour(5) })).toMatchObject({
      override: { energyKwh: 20, costEur: expect.closeTo(4.1, 9) },
      plan: { costEur: expect.closeTo(3.5, 9) },
      // At once from midnight: 24 and 23 ct.
      atOnce: { energyKwh: 20, costEur: expect.closeTo(4.7, 9) },
    });
    expect(() => cost({ action: "full" })).toThrow(FlexInputError);
    expect([changes, windows(), JSON.stringify(plan())]).toEqual([[], [[6, 8]], before]);
    await service.stop();
  });
});
