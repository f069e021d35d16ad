import { expect, it } from "vitest";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { CommandedDevice, type CommandedFamily } from "./simulated/commanded-device.js";
import { DEYE, HUAWEI } from "./simulated/commanded-hybrids.js";
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
