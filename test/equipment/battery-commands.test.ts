import { describe, expect, it } from "vitest";
import type { StateEffect } from "../../src/equipment/effect.js";
import type { ActuatorState } from "../../src/equipment/states.js";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { COMMANDED, CommandedDevice, type CommandedFamily } from "./simulated/commanded.js";

/** Powers of the states in kW, and two moments of the home. */
const POWER_KW: Partial<Record<ActuatorState, number>> = { charge: 3, cap: 0.5, discharge: 2.5 };
const NIGHT = { loadW: 1_000, pvW: 0 };
const NOON = { loadW: 1_000, pvW: 3_000 };

/** What the battery does in a state by what the template says of it, W; + charging. */
function expectedW(state: ActuatorState, effect: StateEffect, { loadW, pvW }: typeof NOON): number {
  if (state === "charge") return 3_000;
  if (state === "discharge") return -2_500;
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

describe.each(COMMANDED.map((family) => [`${family.template}, ${family.title}`, family] as const))(
  "%s",
  (_, family) => {
    it("has the effect of each state after each other state, and nothing of it is left at the end", async () => {
      const { rig, simulated, effects } = await open(family);
      const before = simulated.registers();
      await rig.start();
      for (const state of everyPair(rig.states)) {
        rig.want(state, POWER_KW[state] ?? 0);
        await rig.reaches("confirmed", "accepted", "idle");
        await rig.pass(12);
        for (const home of [NIGHT, NOON]) {
          Object.assign(simulated.home, home);
          await rig.pass(12, 4);
          expect([state, home.pvW, Math.round(simulated.batteryW)]).toEqual([
            state,
            home.pvW,
            expectedW(state, effects[state]!, home),
          ]);
        }
      }
      await rig.stop();
      expect(simulated.registers()).toEqual(before);
    });
  },
);
