import fc from "fast-check";
import { expect, it } from "vitest";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import { BatteryOverrides } from "../../src/plan/battery-overrides.js";
import { DecisionRecords } from "../../src/plan/decision-records.js";
import { CommandHistory } from "../../src/plan/devices/command-history.js";
import { PlanStore } from "../../src/plan/plan-store.js";
import { slotsFromJson, slotsToJson } from "../../src/plan/windows/slot-schedule.js";
import { memoryDocuments, samplePlan } from "../api/fake-services.js";
import { manualClock } from "../support/manual-clock.js";
import { withRubbish } from "../support/with-rubbish.js";

const NOW = new Date("2026-01-15T12:00:10Z");
const AT = "2026-01-15T12:00:00.000Z";
const REASON = { code: "cheap_import", figures: { importCtKwh: 19.1 } };

async function documentsWith(name: string, value: unknown) {
  const documents = memoryDocuments();
  await documents.put(name, value);
  return documents;
}

function sources(documents: ReturnType<typeof memoryDocuments>) {
  const bus = createBus();
  const sites = new SiteRuntimes(bus, [{ id: "home" } as never]);
  return { clock: manualClock(NOW), bus, sites, documents, log: silentLog };
}

it("a record of an hour is used whole or not at all", async () => {
  const record = {
    atMs: Date.parse(AT),
    action: "grid_charge",
    reason: REASON,
    socPct: 20,
    socEndPct: 60,
    priceCtKwh: 19.1,
    isPublished: true,
    pvKwh: 0,
    loadKwh: 0.4,
  };
  const found = async (stored: unknown) =>
    new DecisionRecords(sources(await documentsWith("decisions/home/2026-01-15", stored))).at("home", NOW);
  const stored = { version: 1, hours: [record] };
  expect(await found(stored)).toEqual(record);
  await fc.assert(
    fc.asyncProperty(withRubbish(stored), async (one) => {
      expect([undefined, record]).toContainEqual(await found(one));
    }),
  );
});

it("a past command is used whole or not at all", async () => {
  const stored = { commands: [{ name: "hold", start: "2026-01-15T11:00:00.000Z", end: AT, reason: REASON }] };
  const found = async (one: unknown) => {
    const history = new CommandHistory({
      ...sources(await documentsWith("commands/home", one)),
      plans: { current: () => undefined },
      flex: { current: () => [] },
    });
    await history.start();
    return history.since("home", new Date(0)).map(({ name, reason }) => ({ name, reason }));
  };
  const [command] = await found(stored);
  expect(command).toEqual({ name: "hold", reason: REASON });
  await fc.assert(
    fc.asyncProperty(withRubbish(stored), async (one) => {
      for (const each of await found(one)) expect(each.name).toBe("hold");
    }),
  );
});

it("a damaged plan, slot or override does not keep the gateway from its start", async () => {
  const plan = JSON.parse(JSON.stringify({ plan: samplePlan() }));
  await fc.assert(
    fc.asyncProperty(withRubbish(plan), async (one) => {
      const documents = await documentsWith("plan/home", { version: 5, json: JSON.stringify(one) });
      const known = await new PlanStore(documents, silentLog).load("home");
      expect(known?.plan.issuedAt.getTime() ?? 0).not.toBeNaN();
    }),
  );
  for (const json of ["", "null", "5", "{"])
    expect(
      await new PlanStore(await documentsWith("plan/home", { version: 5, json }), silentLog).load("home"),
    ).toBeUndefined();
  const kept = { slot: 1, plugged: 1, override: { action: "run", until: new Date(AT) } } as const;
  const written = slotsToJson([kept]) as { version: number; json: string };
  expect(slotsFromJson(written)).toEqual([kept]);
  fc.assert(
    fc.property(withRubbish(JSON.parse(written.json)), (one) => {
      for (const { override } of slotsFromJson({ ...written, json: JSON.stringify(one) }))
        expect(override?.until.getTime() ?? 0).not.toBeNaN();
    }),
  );
  const override = { action: "hold", until: AT, targetSocPct: 90 };
  await fc.assert(
    fc.asyncProperty(withRubbish(override), async (one) => {
      const state = { site: { id: "home" } } as Parameters<BatteryOverrides["load"]>[0];
      for (const name of ["override/home", "battery-override/home"])
        await new BatteryOverrides(await documentsWith(name, one), silentLog).load(state);
      expect(state.override?.until.getTime() ?? 0).not.toBeNaN();
    }),
  );
});
