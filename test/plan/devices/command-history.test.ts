import { expect, it } from "vitest";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { silentLog } from "../../../src/core/log.js";
import { CommandHistory } from "../../../src/plan/devices/command-history.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { memoryDocuments, samplePlan } from "../../api/fake-services.js";
import { manualClock } from "../../support/manual-clock.js";

const START = new Date("2026-01-15T08:00:00Z");

it("keeps what was in force for 48 hours, over a restart, and nothing of the time between", async () => {
  const clock = manualClock(START);
  const documents = memoryDocuments();
  const bus = createBus();
  let plan: SitePlan | undefined;
  const planOf = (action: "hold" | "idle") => {
    const sample = samplePlan();
    const hour = {
      ...sample.days[0]!.hours[0]!,
      start: START,
      end: new Date("2026-01-19T00:00:00Z"),
      action,
    };
    const days = [{ ...sample.days[0]!, hours: [{ ...hour, mode: "free" as const }] }];
    return { ...sample, siteId: "home", scalars: { ...sample.scalars, chargeNow: 0 as const }, days };
  };
  const sites = new SiteRuntimes(bus, [{ id: "home" } as never]);
  const create = () =>
    new CommandHistory({
      clock,
      bus,
      sites,
      plans: { current: () => plan },
      flex: { current: () => [] },
      documents,
      log: silentLog,
    });
  const show = (log: CommandHistory, from = START) =>
    log
      .since("home", from)
      .map(
        ({ name, start, end }) =>
          `${name} ${start.toISOString().slice(8, 16)}-${end.toISOString().slice(8, 16)}`,
      );
  const set = (action: "hold" | "idle") => {
    plan = planOf(action);
    bus.emit("plan.updated", plan);
  };

  const log = create();
  await log.start();
  set("hold");
  await clock.set(new Date("2026-01-15T09:10:00Z"));
  set("hold");
  expect(show(log)).toEqual(["hold 15T08:00-15T09:10"]);
  set("idle");
  await clock.set(new Date("2026-01-15T09:40:00Z"));
  set("hold");
  await log.stop();

  await clock.set(new Date("2026-01-15T10:00:00Z"));
  const restarted = create();
  await restarted.start();
  bus.emit("plan.updated", plan!);
  await clock.set(new Date("2026-01-15T11:00:00Z"));
  expect(show(restarted)).toEqual(["hold 15T08:00-15T09:10", "hold 15T10:00-15T11:00"]);
  set("idle");
  await clock.set(new Date("2026-01-17T10:00:00Z"));
  expect(show(restarted)).toEqual(["hold 15T10:00-15T11:00"]);
  await restarted.stop();
});
