import { afterEach, describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/core/domain/interval.js";
import { silentLog } from "../../src/core/log.js";
import { WorkError } from "../../src/core/work/work-error.js";
import { computePlan, type PlanTask } from "../../src/plan/plan-tasks.js";
import { type PlanPool, startPlanPool } from "../../src/plan/plan-threads.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { eventually } from "../support/eventually.js";
import { manualClock } from "../support/manual-clock.js";
import { seeded } from "../support/random.js";
import { START, startService } from "./plan-service.js";
import { siteInput, steps } from "./site-fixture.js";

/** Ends what a test has started. */
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A home with a random battery, prices and readings. */
function randomTask(seed: number, previous?: PlanTask["input"]["previous"]): PlanTask {
  const random = seeded(seed);
  const now = new Date(START.getTime() + random.integer(0, 24 * 60) * MINUTE_MS);
  const prices = steps(
    now,
    Array.from({ length: 36 }, () => random.between(-5, 40)),
  );
  const { battery } = siteInput([]);
  const input = siteInput([], {
    now,
    prices,
    loadKwh: prices.map(() => random.between(0, 2)),
    pvKwh: prices.map(() => Math.max(0, random.between(-3, 3))),
    loadRatios: random.chance(0.5) ? [] : prices.map(() => [0.5, 0.8, 1, 1.2, 1.5]),
    battery: { ...battery, capacityKwh: random.between(4, 20), exportAllowed: random.chance(0.5) },
    grid: { importLimitKw: random.between(3, 12), curtailmentAllowed: true },
    soc: { pct: random.between(10, 100), ageMinutes: 0, lost: random.chance(0.1) },
    netLoadKw: random.between(-3, 3),
    ...(random.chance(0.5) && {
      peak: {
        floorKw: 1,
        tiers: [{ overKw: 0, ctPerKw: 500 }],
        end: prices.at(-1)!.end,
        counts: prices.map(() => true),
      },
    }),
    ...(previous !== undefined && { previous, keepCommand: random.chance(0.3) }),
  });
  return { input, samples: 20 };
}

const withoutTime = (plan: SitePlan) => ({ ...plan, solver: { ...plan.solver, ms: 0 } });

describe("a thread for plans", () => {
  it("computes the plans that the main thread computes", async () => {
    const pool = startPlanPool();
    ends.push(() => pool.stop());
    let previous: PlanTask["input"]["previous"];
    for (let seed = 1; seed <= 6; seed++) {
      const task = randomTask(seed, previous);
      const expected = computePlan(task);
      const plan = await pool.run("plan", task, { owner: "home" });
      expect(plan.solver.ms).toBeGreaterThan(0);
      expect(withoutTime(plan)).toStrictEqual(withoutTime(expected));
      previous = expected;
    }
  });
});

const IDS = Array.from({ length: 20 }, (_, index) => (index === 0 ? "home" : `home-${index}`));

/** A plan service with real threads whose results can be held back. All sites have a plan; the next hour begins in a minute. */
async function startMany({ ids = IDS, log = silentLog, onTask = async () => {} } = {}) {
  /** The sites whose loads a thread samples or has sampled, and those whose results are held back. */
  const sampled: string[] = [];
  const held: string[] = [];
  let release = () => {};
  let released: Promise<void> | undefined;
  const threads = startPlanPool();
  const pool: PlanPool = {
    get free() {
      return threads.free;
    },
    stop: () => threads.stop(),
    run: async (name, task, options) => {
      sampled.push(task.input.siteId);
      await onTask();
      const plan = await threads.run(name, task, options);
      if (released !== undefined) held.push(task.input.siteId);
      await released;
      return plan;
    },
  };
  const clock = manualClock(new Date(START.getTime() + 59 * MINUTE_MS));
  const started = await startService({ ids, log, clock, planPool: pool, hours: 24 });
  const { bus, live, plans, service } = started;
  ends.push(() => service.stop());
  live.soc_pct = { value: 20, at: clock.now() };
  for (const siteId of ids) bus.emit("slots.updated", { siteId });
  await eventually(() => expect(ids.filter((id) => !service.current(id)?.solver.objectiveEur)).toEqual([]));
  const first = { sampled: [...sampled], plans: [...plans] };
  return {
    ...started,
    first,
    pool,
    sampled,
    /** Holds back results, and resolves with the site of the first one. */
    hold: () => {
      held.length = 0;
      released = new Promise((resolve) => {
        release = resolve;
      });
      return eventually(() => {
        expect(held).not.toEqual([]);
        return held[0]!;
      });
    },
    release: () => {
      released = undefined;
      release();
    },
    beginHour: async () => {
      plans.length = 0;
      sampled.length = 0;
      await clock.advance(MINUTE_MS);
    },
    /** Resolves when the loads of all sites that are left have been sampled in the new hour. */
    allSampled: () =>
      eventually(() => {
        const left = ids.flatMap((id) => service.current(id) ?? []);
        expect(left.filter(({ expectation }) => expectation.at < clock.now())).toEqual([]);
      }),
    publishedFor: (id: string) => plans.filter(({ siteId }) => siteId === id),
  };
}

describe("plans of many sites", () => {
  it("are published with the former expectation, and again with that of a thread", async () => {
    const { allSampled, beginHour, first, hold, publishedFor, pool, release, sampled, service } =
      await startMany();
    const oneSampled = hold();
    await beginHour();
    await oneSampled;
    await eventually(() => expect(IDS.filter((id) => publishedFor(id).length === 0)).toEqual([]));
    const [quick] = publishedFor("home-7");
    expect(quick!.expectation.at).not.toEqual(quick!.issuedAt);
    expect(quick!.command.mode).toBe("charge");
    release();
    await allSampled();
    expect([first.sampled, sampled].map((ids) => ids.toSorted())).toEqual([IDS.toSorted(), IDS.toSorted()]);
    const [rough] = first.plans;
    expect([rough!.command.mode, rough!.solver.objectiveEur]).toEqual(["charge", 0]);
    expect(IDS.map((id) => publishedFor(id).length)).toEqual(IDS.map(() => 2));
    const one = await startMany({ ids: ["home-7"] });
    await one.beginHour();
    await one.allSampled();
    const inMainThread = one.service.current("home-7")!;
    expect(withoutTime(service.current("home-7")!)).toEqual({
      ...withoutTime(inMainThread),
      material: false,
    });
    expect(quick!.command).toEqual(inMainThread.command);
    await service.stop();
    await expect(pool.run("plan", randomTask(1), { owner: "home" })).rejects.toMatchObject({
      fault: "stopped",
    });
  });

  it("are computed in the main thread below the number of sites", async () => {
    const ids = IDS.slice(1);
    const { allSampled, beginHour, first, publishedFor, sampled } = await startMany({ ids });
    await beginHour();
    await allSampled();
    expect([first.sampled, sampled]).toEqual([[], []]);
    expect(ids.map((id) => publishedFor(id).length)).toEqual(ids.map(() => 2));
  });

  it("are computed in the main thread after a thread has ended, with one line in the log", async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    const { allSampled, beginHour } = await startMany({
      log,
      onTask: () => Promise.reject(new WorkError("ended", "The thread ended with code 1.")),
    });
    await beginHour();
    await allSampled();
    expect(warnings).toEqual([expect.stringContaining("main thread for a minute")]);
  });

  it("ignore what a thread has sampled for a site that has changed since", async () => {
    const { allSampled, beginHour, bus, hold, plant, publishedFor, release, sampled, service } =
      await startMany({ ids: [...IDS, "home-20"] });
    const next = hold();
    await beginHour();
    const changed = await next;
    const battery = { ...plant.battery!, max_soc_pct: 80 };
    bus.emit("site.changed", { id: changed, accountId: "owner", plant: { ...plant, battery } });
    const planned = service.current(changed)!;
    expect(Math.max(...planned.steps.map(({ socEndPct }) => socEndPct))).toBe(80);
    release();
    const removed = await hold();
    bus.emit("site.removed", { siteId: removed });
    const before = publishedFor(removed).length;
    release();
    const renewed = await hold();
    bus.emit("slots.updated", { siteId: renewed });
    release();
    await allSampled();
    await eventually(() => expect(sampled.filter((id) => id === renewed)).toHaveLength(2));
    expect(service.current(changed)).toBe(planned);
    expect(publishedFor(removed)).toHaveLength(before);
  });
});
