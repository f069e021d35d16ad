import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wantedState } from "../../../src/equipment/wanted.js";
import { seeded } from "../../support/random.js";
import { KINDS, type Kind, Simulation } from "./simulation.js";

/** `RUNS=5000` for the long form. */
const RUNS = Number(process.env.RUNS ?? 150);
const SEED = Number(process.env.SEED ?? 20261126);
/** The device is in its planned state this long after the last fault. */
const RECOVERY_MS = 60_000;

const STATES = ["free", "charge", "hold"] as const;
const event = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("stop device", "crash device", "begin device") },
  { weight: 4, arbitrary: fc.constantFrom("kill gateway", "start gateway") },
  { weight: 2, arbitrary: fc.constantFrom("broker away", "broker back") },
  { weight: 2, arbitrary: fc.constantFrom("lose", "lose no more") },
  { weight: 1, arbitrary: fc.constantFrom("late", "in time") },
  { weight: 4, arbitrary: fc.constantFrom("plan free", "plan charge", "plan hold", "no plan") },
  { weight: 1, arbitrary: fc.constant("hand") },
);
const script = fc.array(
  fc.record({ event, pauseMs: fc.constantFrom(500, 1_000, 4_000, 20_000, 70_000, 130_000, 950_000) }),
  { minLength: 2, maxLength: 14 },
);

/** Runs a script and watches what may never happen; the simulation at its end, with both sides and the broker up. */
function run(kind: Kind, steps: { event: string; pauseMs: number }[], seed: number) {
  const random = seeded(seed);
  const one = new Simulation(kind, random);
  let handed = false;
  let wrongSinceMs = Number.NaN;
  let quietSinceMs = 0;
  const planned = () => one.planned?.state ?? "free";
  const isRight = () => one.device.actual === planned() || one.device.actual === "free";
  const watch = () => {
    const isBothUp = one.isGatewayUp && one.device.isUp && one.isBrokerUp && !one.isLossy;
    if (!isBothUp) quietSinceMs = one.nowMs;
    if (handed) return;
    if (one.isGatewayUp && one.phase === "external")
      throw new Error(`Nobody has changed the device, and it is external at ${one.nowMs}.`);
    wrongSinceMs =
      isRight() || !one.device.isUp ? Number.NaN : Number.isNaN(wrongSinceMs) ? one.nowMs : wrongSinceMs;
    const wrongMs = one.nowMs - wrongSinceMs;
    const quietMs = one.nowMs - quietSinceMs;
    const { leaseMs } = KINDS[kind];
    // A crash that evcc forgets is not ended by a lease.
    if (leaseMs > 0 && kind !== "evcc" && wrongMs > leaseMs + RECOVERY_MS)
      throw new Error(`In a wrong state for ${wrongMs} ms at ${one.nowMs}.`);
    if (Math.min(wrongMs, quietMs) > RECOVERY_MS)
      throw new Error(`Wrong for a minute with both up at ${one.nowMs}.`);
  };
  const apply = (name: string): void => {
    switch (name) {
      case "stop device":
      case "crash device":
        if (one.device.isUp) one.device.stop(name === "crash device");
        one.changed();
        return;
      case "begin device":
        if (!one.device.isUp) one.device.begin(one.nowMs);
        one.changed();
        return;
      case "kill gateway":
        one.killGateway();
        return;
      case "start gateway":
        if (!one.isGatewayUp) one.startGateway();
        return;
      case "broker away":
      case "broker back":
        one.isBrokerUp = name === "broker back";
        one.changed();
        return;
      case "lose":
      case "lose no more":
        one.isLossy = name === "lose";
        return;
      case "late":
      case "in time":
        one.lateMs = name === "late" ? 4_000 : 0;
        return;
      case "hand":
        if (!one.device.isUp) return;
        handed = true;
        one.device.byHand("solo");
        one.changed();
        return;
      default: {
        const state = STATES.find((state) => name === `plan ${state}`);
        quietSinceMs = one.nowMs;
        one.want(state && wantedState(state));
      }
    }
  };
  one.startGateway();
  for (const { event, pauseMs } of steps) {
    apply(event);
    one.pass(pauseMs, watch);
  }
  for (const last of ["begin device", "broker back", "lose no more", "in time", "start gateway"]) apply(last);
  return { one, watch, handed, planned };
}

describe.each(Object.keys(KINDS) as Kind[])("the machine beside a device of the kind %s", (kind) => {
  it("has it in the planned state a minute after the last fault, and takes nobody for somebody else", () => {
    fc.assert(
      fc.property(script, fc.integer({ min: 0, max: 1_000_000 }), (steps, seed) => {
        const { one, watch, handed, planned } = run(kind, steps, seed);
        one.pass(RECOVERY_MS + 5_000, watch);
        if (!handed)
          expect([one.device.actual, one.phase]).toEqual([
            planned(),
            expect.not.stringMatching("failed|external"),
          ]);
        // What somebody else has done ends by itself.
        one.pass(1_900_000);
        // What is left to itself stays as they have left it.
        if (!handed || planned() !== "free") expect(one.device.actual).toBe(planned());
        // A steady plan costs no further commands, but for the repetition of leases.
        const writes = one.state.writes.count;
        one.pass(900_000);
        expect(one.state.writes.count).toBe(writes);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
