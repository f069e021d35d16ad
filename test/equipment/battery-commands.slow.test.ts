import { describe, expect, it } from "vitest";
import type { DeviceCommands } from "../../src/equipment/device-commands.js";
import type { StateEffect } from "../../src/equipment/effect.js";
import type { ActuatorState } from "../../src/equipment/states.js";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { COMMANDED } from "./simulated/commanded.js";
import { CommandedDevice, type CommandedFamily } from "./simulated/commanded-device.js";

/** Powers of the states in kW, and two moments of the home. */
const POWER_KW: Partial<Record<ActuatorState, number>> = { charge: 2, cap: 0.5, discharge: 1.5 };
const NIGHT = { loadW: 1_000, pvW: 0 };
const NOON = { loadW: 1_000, pvW: 2_500 };

/** What the battery does in a state by what the template says of it, W; + charging. */
function expectedW(state: ActuatorState, effect: StateEffect, { loadW, pvW }: typeof NOON): number {
  if (state === "charge") return effect.setsPower ? 2_000 : 3_000;
  if (state === "discharge") return -1_500;
  const surplus = pvW - loadW;
  if (surplus > 0) return effect.storesPv ? surplus : 0;
  const cap = state === "cap" ? 500 : Infinity;
  return effect.servesLoad ? Math.max(-cap, surplus) + 0 : 0;
}

/** A sequence in which each state follows each other one once. */
function everyPair(states: readonly ActuatorState[]): ActuatorState[] {
  const sequence: ActuatorState[] = [];
  const left = new Map(states.map((state) => [state, states.filter((one) => one !== state)]));
  const visit = (state: ActuatorState): void => {
    for (let next = left.get(state)!.pop(); next !== undefined; next = left.get(state)!.pop()) visit(next);
    sequence.unshift(state);
  };
  visit("free");
  return sequence;
}

const open = async (family: CommandedFamily) => {
  const commands = await commandsOf(family);
  const simulated = new CommandedDevice(family);
  return { ...commands, simulated, rig: new CommandedRig(commands, simulated) };
};

/** The registers that a command must not leave changed. */
function lasting(device: CommandedDevice): Record<string, number> {
  const { left = [] } = device.family;
  return Object.fromEntries(
    Object.entries(device.registers()).filter(([address]) => !left.includes(Number(address))),
  );
}

const DONE = ["confirmed", "accepted", "idle"];

describe.each(COMMANDED.map((family) => [`${family.template}, ${family.title}`, family] as const))(
  "%s",
  (_, family) => {
    it("has the effect of each state after each other state, and nothing of it is left at the end", async () => {
      const { rig, simulated, effects, device } = await open(family);
      const before = lasting(simulated);
      await rig.start();
      for (const state of everyPair(rig.states)) {
        rig.want(state, POWER_KW[state] ?? 0);
        await rig.reaches(...DONE);
        await rig.pass(family.settlesS ?? 0, 8);
        for (const home of [NIGHT, NOON]) {
          Object.assign(simulated.home, home);
          if (device.needs.length > 0) await rig.pass(20, 4);
          const wantedW = expectedW(state, effects[state]!, home);
          // Some devices have no smaller limit than 10 W.
          const isThere = Math.abs(simulated.batteryW - wantedW) <= 15;
          expect([state, home.pvW, isThere ? wantedW : simulated.batteryW]).toEqual([
            state,
            home.pvW,
            wantedW,
          ]);
        }
      }
      await rig.stop();
      expect(lasting(simulated)).toEqual(before);
    });

    it("is known again after a crash in each state, renewed within its lease, and restored at the end", async () => {
      const { rig: first, simulated, device, effects } = await open(family);
      const before = lasting(simulated);
      const commands = { device };
      let rig = await first.start();
      for (const state of rig.states) {
        rig.want(state, POWER_KW[state] ?? 0);
        await rig.reaches(...DONE);
        rig.kill();
        await rig.pass(30, 10);
        const writes = simulated.writes.length;
        rig = new CommandedRig(commands, simulated, { clock: rig.clock, stored: rig.stored });
        rig.want(state, POWER_KW[state] ?? 0);
        await rig.start();
        await rig.reaches(...DONE);
        await rig.pass(20, 5);
        const wantedW = expectedW(state, effects[state]!, simulated.home as typeof NIGHT);
        expect([state, Math.abs(simulated.batteryW - wantedW) <= 15]).toEqual([state, true]);
        if (isLeased(family, device, state)) expect(simulated.writes.length).toBeGreaterThan(writes);
      }
      await rig.stop();
      expect(lasting(simulated)).toEqual(before);
    });

    it("leaves leased states to the device when the gateway is gone, and keeps them while it is there", async () => {
      const { rig, simulated, device, effects } = await open(family);
      const { leaseMs } = device.pace();
      await rig.start();
      for (const state of rig.states.filter((one) => isLeased(family, device, one))) {
        rig.want(state, POWER_KW[state] ?? 0);
        await rig.reaches(...DONE);
        const wantedW = expectedW(state, effects[state]!, simulated.home as typeof NIGHT);
        for (let quarter = 0; quarter < 6; quarter++) {
          await rig.pass(leaseMs / 4_000, Math.min(15, leaseMs / 4_000));
          expect([state, Math.abs(simulated.batteryW - wantedW) <= 15]).toEqual([state, true]);
        }
      }
      rig.kill();
      await rig.pass(leaseMs / 1000, Math.max(15, leaseMs / 10_000));
      if (family.lease !== undefined)
        expect(simulated.batteryW).toBe(simulated.home.pvW - simulated.home.loadW);
    });

    if (family.disturb !== undefined)
      it("is left alone after another controller has changed it", async () => {
        const { rig, simulated } = await open(family);
        await rig.start();
        rig.want("hold");
        await rig.reaches("confirmed");
        await rig.pass(20, 5);
        family.disturb!(simulated);
        const { length } = simulated.writes;
        await rig.pass(90, 5);
        expect(rig.phase).toBe("external");
        expect(simulated.writes).toHaveLength(length);
      });
  },
);

/** Whether the device forgets the state when it is not renewed. */
function isLeased(family: CommandedFamily, device: DeviceCommands, state: ActuatorState): boolean {
  return family.lease !== undefined && device.pace().leaseMs > 0 && device.isLeased(state);
}
