import { expect, it } from "vitest";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { CommandedDevice, type CommandedFamily } from "./simulated/commanded-device.js";
import { DEYE, fox, growatt, HUAWEI } from "./simulated/commanded-hybrids.js";
import { GEN24, SOLAREDGE } from "./simulated/commanded-sunspec.js";

/** Somebody else changes one register during a command; hourgate takes the device over again, and ends. */
it.each<[string, CommandedFamily, { changed: [number, number]; restored: number[] }]>([
  ["the timer of a GEN24", GEN24, { changed: [40_355, 2_300], restored: [40_358, 40_360] }],
  ["the limits of a LUNA2000", HUAWEI, { changed: [47_076, 1_234], restored: [47_077, 47_078, 47_087] }],
  [
    "the control of a StorEdge",
    SOLAREDGE,
    { changed: [57_361, 5], restored: [57_348, 57_349, 57_354, 57_355] },
  ],
  ["the table of a Deye", DEYE, { changed: [128, 7], restored: [108, 109, 127, 130, 146] }],
])("gives back %s as they were before the first command", async (_, family, { changed, restored }) => {
  const simulated = new CommandedDevice(family);
  const before = simulated.registers();
  const rig = await new CommandedRig(await commandsOf(family), simulated).start();
  rig.want("charge", 2);
  await rig.reaches("confirmed");
  simulated.set(...changed);
  await rig.reaches("external");
  await rig.actuator.takeOver();
  await rig.reaches("confirmed");
  await rig.stop();
  const after = simulated.registers();
  expect(Object.fromEntries(restored.map((one) => [one, after[one]]))).toEqual(
    Object.fromEntries(restored.map((one) => [one, before[one]])),
  );
});

it("remembers them over a crash while the device is left to somebody else, and takes what that one has set", async () => {
  const simulated = new CommandedDevice(GEN24);
  const commands = await commandsOf(GEN24);
  const rig = await new CommandedRig(commands, simulated).start();
  rig.want("charge", 2);
  await rig.reaches("confirmed");
  simulated.set(40_355, 2_300);
  await rig.reaches("external");
  // Somebody else has a timer of his own by now, and the grid charging is still that of hourgate.
  simulated.set(40_358, 900);
  rig.kill();
  const again = await new CommandedRig(commands, simulated, { clock: rig.clock, stored: rig.stored }).start();
  again.want("charge", 2);
  await again.actuator.takeOver();
  await again.reaches("confirmed");
  await again.stop();
  expect([simulated.u16(40_358), simulated.u16(40_360)]).toEqual([900, 0]);
});

const SPH = growatt("sph", 1_100, 1_092);
const XH = growatt("tl-xh", 3_038, 3_049);
const FOX = fox("h3", 44_000);

/** What the owner has set; the battery comes first from 22:00 to 5:00, and charges from the grid. */
const OWN: [string, CommandedFamily, Record<number, number>][] = [
  ["the slot of a Growatt SPH", SPH, { 1092: 1, 1100: 5_632, 1101: 1_280, 1102: 1 }],
  ["the slot of a Growatt TL-XH", XH, { 3038: 0xa000 | 5_632, 3039: 1_280, 3049: 1 }],
  ["the time-out of a Fox", FOX, { 44000: 0, 44001: 600 }],
];

it.each(OWN)("gives back %s when it stops, also after a crash", async (_, family, own) => {
  const simulated = new CommandedDevice(family);
  for (const [address, value] of Object.entries(own)) simulated.set(Number(address), value);
  const commands = await commandsOf(family);
  const rig = await new CommandedRig(commands, simulated).start();
  rig.want("charge", 2);
  await rig.reaches("confirmed");
  expect(simulated.registers()).not.toMatchObject(own);
  rig.kill();
  const again = await new CommandedRig(commands, simulated, { clock: rig.clock, stored: rig.stored }).start();
  again.want("hold");
  await again.reaches("confirmed");
  await again.stop();
  expect(simulated.registers()).toMatchObject(own);
});

it("does not give back to a Growatt what a command of before has left", async () => {
  const simulated = new CommandedDevice(SPH);
  simulated.set(1_100, 0, 5_947, 1);
  const rig = await new CommandedRig(await commandsOf(SPH), simulated).start();
  rig.want("charge", 2);
  await rig.reaches("confirmed");
  await rig.stop();
  expect(simulated.u16(1_102)).toBe(0);
});

it("does not take its own command for the owner's settings after an update that reads more of them", async () => {
  const simulated = new CommandedDevice(HUAWEI);
  const commands = await commandsOf(HUAWEI);
  const rig = await new CommandedRig(commands, simulated).start();
  rig.want("hold");
  await rig.reaches("confirmed");
  rig.kill();
  const stored = { ...(rig.stored as object), found: {} };
  const again = await new CommandedRig(commands, simulated, { clock: rig.clock, stored }).start();
  again.want("charge", 2);
  await again.reaches("confirmed");
  await again.stop();
  // Nobody knows what the limit was; the rated power is open.
  expect(simulated.u32(47_077)).toBe(5_000);
});

const HALF_HOUR_S = 1_800;

it.each(["no command follows", "it is switched off"])(
  "gives back what somebody else has not changed once their time is over: %s",
  async (end) => {
    const simulated = new CommandedDevice(HUAWEI);
    const rig = await new CommandedRig(await commandsOf(HUAWEI), simulated).start();
    rig.want("hold");
    await rig.reaches("confirmed");
    expect(simulated.u32(47_077)).toBe(0);
    // The owner limits charging, and the battery still may not discharge.
    simulated.set(47_075, 0, 1_234);
    await rig.reaches("external");
    if (end === "it is switched off") await rig.actuator.setEnabled(false);
    else rig.want("free");
    await rig.pass(HALF_HOUR_S - 60, 30);
    expect(simulated.u32(47_077)).toBe(0);
    await rig.pass(120, 5);
    expect([simulated.u32(47_075), simulated.u32(47_077)]).toEqual([1_234, 4_500]);
    const { length } = simulated.writes;
    await rig.pass(2 * HALF_HOUR_S, 60);
    await rig.stop();
    expect(simulated.writes).toHaveLength(length);
  },
);
