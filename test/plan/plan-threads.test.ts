import { afterEach, describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/domain/interval.js";
import { silentLog } from "../../src/log.js";
import { computePlan, type PlanTask } from "../../src/plan/plan-tasks.js";
import { type PlanThread, startPlanThread } from "../../src/plan/plan-threads.js";
import { ThreadEndedError } from "../../src/worker-thread.js";
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

describe("a thread for plans", () => {
  it("computes the plans that the main thread computes", async () => {
    const thread = startPlanThread();
    ends.push(() => thread.stop());
    let previous: PlanTask["input"]["previous"];
    for (let seed = 1; seed <= 6; seed++) {
      const task = randomTask(seed, previous);
      const expected = computePlan(task);
      const { plan } = await thread.run(task);
      expect(plan!.solver.ms).toBeGreaterThan(0);
      expect({ ...plan!, solver: { ...plan!.solver, ms: 0 } }).toStrictEqual({
        ...expected,
        solver: { ...expected.solver, ms: 0 },
      });
      previous = expected;
    }
  });
});

const IDS = Array.from({ length: 20 }, (_, index) => (index === 0 ? "home" : `home-${index}`));

/** A plan service with real threads, of sites that have no plan yet; the test may hold back the threads' results. */
async function startMany({
  ids = IDS,
  log = silentLog,
  onTask = (_: PlanThread) => {},
  clock = manualClock(START),
} = {}) {
  const threads: PlanThread[] = [];
  /** Sites whose plans are held back. */
  const held: string[] = [];
  let release: (() => void) | undefined;
  let released: Promise<void> | undefined;
  const startThread = () => {
    const thread = startPlanThread();
    const run = thread.run.bind(thread);
    thread.run = async (task) => {
      const result = run(task);
      onTask(thread);
      await result;
      if (released !== undefined) held.push(task.input.siteId);
      await released;
      return result;
    };
    threads.push(thread);
    return thread;
  };
  const started = await startService({ ids, log, clock, startThread, hours: 24 });
  ends.push(() => started.service.stop());
  // The event loop turns of the sites at the start.
  for (const _ of ids) await new Promise((resolve) => setImmediate(resolve));
  const { bus, live, plans } = started;
  return {
    ...started,
    threads,
    held,
    hold: () => {
      released = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => {
      released = undefined;
      release?.();
    },
    /** Makes a plan of the sites due. */
    change: (siteIds = ids) => {
      live.soc_pct = { value: 20, at: clock.now() };
      for (const siteId of siteIds) bus.emit("slots.updated", { siteId });
    },
    /** The sites with a plan, in order; resolves when all have one. */
    allPlanned: () =>
      eventually(() => expect(plans.map(({ siteId }) => siteId).sort()).toEqual([...ids].sort())),
  };
}

describe("plans of many sites", () => {
  it("are computed in threads, each once", async () => {
    const { allPlanned, change, plans, service, threads } = await startMany();
    // No plan can be computed without a state of charge.
    expect(threads).toEqual([]);
    change();
    expect(plans).toEqual([]);
    await allPlanned();
    expect(service.current("home-7")).toMatchObject({ material: true, command: { mode: "charge" } });
    expect(threads.length).toBeGreaterThan(0);
    await service.stop();
    for (const thread of threads)
      await expect(thread.run(randomTask(1))).rejects.toBeInstanceOf(ThreadEndedError);
  });

  it("are computed in the main thread below the number of sites", async () => {
    const { allPlanned, change, threads } = await startMany({ ids: IDS.slice(1) });
    change();
    await allPlanned();
    expect(threads).toEqual([]);
  });

  it("are computed in the main thread after a thread has ended, with one line in the log", async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    const { allPlanned, change, threads } = await startMany({
      log,
      onTask: (thread) => void thread.stop(),
    });
    change();
    await allPlanned();
    expect(threads.length).toBeGreaterThan(0);
    expect(warnings).toEqual([expect.stringContaining("main thread for a minute")]);
  });

  it("are discarded when something has changed for the site, and computed again", async () => {
    const { bus, change, held, hold, live, plans, plant, release, service } = await startMany({
      ids: [...IDS, "removed"],
    });
    /** Lets `meanwhile` happen while a thread computes a plan of the site. */
    const during = async (siteId: string, meanwhile: () => void) => {
      hold();
      change([siteId]);
      await eventually(() => expect(held.splice(0)).toEqual([siteId]));
      meanwhile();
      release();
      if (siteId !== "removed") await eventually(() => expect(service.current(siteId)).toBeDefined());
    };
    const battery = { ...plant.battery!, max_soc_pct: 80 };
    await during("home", () =>
      bus.emit("site.changed", { id: "home", accountId: "owner", plant: { ...plant, battery } }),
    );
    await during("removed", () => bus.emit("site.removed", { siteId: "removed" }));
    await during("home-1", () => {
      expect(service.decide("home-1", {}).siteId).toBe("home-1");
      expect(service.current("home-1")).toBeUndefined();
    });
    await during("home-2", () => {
      service.settle("home-2");
      expect(service.current("home-2")).toBeDefined();
    });
    await during("home-3", () => {
      live.soc_pct = { value: 50, at: START };
      bus.emit("slots.updated", { siteId: "home-3" });
    });
    const published = plans.map(({ siteId, days }) => ({
      siteId,
      maxSocPct: Math.max(...days[0]!.hours.map(({ socEndPct }) => socEndPct)),
      socPct: days[0]!.socStartPct,
    }));
    expect(published).toEqual([
      { siteId: "home", maxSocPct: 80, socPct: 20 },
      { siteId: "home-1", maxSocPct: 100, socPct: 20 },
      { siteId: "home-2", maxSocPct: 100, socPct: 20 },
      { siteId: "home-3", maxSocPct: 100, socPct: 50 },
    ]);
  });

  it("keep what the batteries did while they were computed", async () => {
    const clock = manualClock(new Date(START.getTime() + 50 * MINUTE_MS));
    const { allPlanned, bus, change, held, hold, live, release, service } = await startMany({ clock });
    const events: string[] = [];
    bus.on("following.changed", ({ siteId, state }) => siteId === "home" && events.push(state));
    const report = (batteryKw: number) => {
      live.battery_power_kw = { value: batteryKw, at: clock.now() };
      bus.emit("telemetry.received", { siteId: "home", sample: { at: clock.now(), values: {} } });
    };
    change();
    await allPlanned();
    for (let minute = 51; minute < 60; minute++) {
      await clock.advance(MINUTE_MS);
      report(0);
    }
    expect(events).toEqual(["no"]);
    hold();
    change(["home"]);
    await eventually(() => expect(held).toEqual(["home"]));
    report(service.current("home")!.command.chargePowerKw);
    expect(events).toEqual(["no", "yes"]);
    release();
    await eventually(() => expect(service.current("home")!.issuedAt).toEqual(clock.now()));
    expect(service.current("home")!.scalars.following).toBe("yes");
  });
});
