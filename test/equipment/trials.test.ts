import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { TrialService } from "../../src/equipment/trials.js";
import { manualClock } from "../support/manual-clock.js";
import { bench } from "./harness.js";

const START = new Date("2026-01-15T02:00:00Z");

/** A battery that follows its commands as far as `follows` says, in dry run, and its trial runs. */
async function rig({ follows = 1, isMeasured = true, refuses = false, stored }: RigOptions = {}) {
  const clock = manualClock(START);
  const sent: string[] = [];
  let state = "free";
  const one = await bench({
    clock,
    template: "http",
    control: "battery",
    with: {
      urls: { free: "http://192.168.1.9/free", charge: "http://192.168.1.9/charge/{{ power_w }}" },
      read_url: "http://192.168.1.9/state",
      expect: { free: "free", charge: "charge" },
    },
    transport: {
      send: async ({ url = "" }) => {
        sent.push(url.replace("http://192.168.1.9/", ""));
        if (!refuses) state = url.includes("charge") ? "charge" : "free";
      },
      read: async () => ({ value: state, isNew: true }),
    },
    changes: { dryRun: true },
    ...(stored !== undefined && { stored }),
  });
  await one.actuator.start();
  const parsed = parsePlant({ id: "home", battery: { capacity_kwh: 10 } }, []);
  const plant = "plant" in parsed ? parsed.plant : undefined;
  const reading = (value: number) => ({ value, at: clock.now() });
  const trials = new TrialService({
    clock,
    actuators: {
      list: () => [
        {
          ...one.actuator.status(),
          siteId: "home",
          id: "inverter",
          controls: "battery",
          template: "http",
          transport: "http",
          isExperimental: false,
          states: ["free", "charge"],
        },
      ],
      test: (_site, _id, wanted, { powerKw = 0, signal } = {}) =>
        one.actuator.test(wanted as "charge", powerKw, signal),
    },
    sites: { get: () => ({ id: "home", accountId: "owner", plant: plant! }) },
    live: () => ({
      soc_pct: reading(40),
      ...(isMeasured && { battery_power_kw: reading(state === "charge" ? follows : -0.4) }),
    }),
  });
  return { clock, one, sent, trials, state: () => state };
}

interface RigOptions {
  follows?: number;
  isMeasured?: boolean;
  refuses?: boolean;
  stored?: unknown;
}

describe("the trial run of a battery in dry run", () => {
  it("charges with 1 kW for a minute, sees it in the measured power, and leaves the device as it was", async () => {
    const { one, sent, trials } = await rig();
    const run = trials.run("home", "inverter");
    await one.pass(30_000, 2_000);
    expect(trials.stateOf("home", "inverter")).toEqual({ since: START });
    await expect(trials.run("home", "inverter")).rejects.toThrow("A trial run of");
    await one.pass(60_000, 2_000);
    expect(await run).toMatchObject({
      outcome: "shown",
      message: "The battery charges: measured are 1.0 kW of 1.0 kW.",
      beforeKw: -0.4,
      measuredKw: 1,
      isRestored: true,
    });
    expect(sent).toEqual(["charge/1000", "free"]);
    expect(one.actuator.status()).toMatchObject({ phase: "dry_run", accepted: null });
    await one.actuator.stop();
  });

  it.each([
    ["missed", "effect_grid_charge", { follows: 0 }],
    ["missed", "effect_other", { follows: -0.5 }],
    ["unmeasured", undefined, { isMeasured: false }],
    ["failed", "not_confirmed", { refuses: true }],
  ])("says %s with the cause %s", async (outcome, fault, options) => {
    const { one, trials, state } = await rig(options);
    const run = trials.run("home", "inverter");
    await one.pass(150_000, 2_000);
    expect(await run).toMatchObject({ outcome, fault, isRestored: true });
    expect(state()).toBe("free");
    await one.actuator.stop();
  });

  it("is forgotten with its site, also one in progress", async () => {
    const { one, trials } = await rig();
    const stateOf = () => trials.stateOf("home", "inverter");
    const run = trials.run("home", "inverter");
    await one.pass(10_000, 2_000);
    trials.forget("home-2");
    expect(stateOf()).toEqual({ since: START });
    trials.forget("home");
    await one.pass(90_000, 2_000);
    await run;
    expect(stateOf()).toBeUndefined();
    await one.actuator.stop();
  });

  it("is ended by whoever began it, and by the end of the gateway", async () => {
    const { one, trials, state } = await rig();
    const gone = new AbortController();
    const run = trials.run("home", "inverter", { signal: gone.signal });
    await one.pass(10_000, 1_000);
    expect(state()).toBe("charge");
    gone.abort();
    await one.pass(10_000, 1_000);
    expect(await run).toMatchObject({ outcome: "ended", isRestored: true });
    expect(state()).toBe("free");
    const second = trials.run("home", "inverter");
    await one.pass(10_000, 1_000);
    await one.actuator.stop();
    expect(state()).toBe("free");
    await one.pass(90_000, 2_000);
    await second;
  });

  it("is undone by the next start after a kill", async () => {
    const first = await rig();
    void first.trials.run("home", "inverter");
    await first.one.pass(10_000, 1_000);
    expect(first.state()).toBe("charge");
    // The device goes on with what it has.
    const second = await rig({ stored: first.one.stored() });
    await second.one.pass(60_000, 1_000);
    expect(second.sent).toEqual(["free"]);
    await second.one.actuator.stop();
    await first.one.actuator.stop();
    await first.one.pass(90_000, 2_000);
  });
});
