import { expect, it } from "vitest";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { COMMANDED } from "./simulated/commanded.js";
import { CommandedDevice, type CommandedFamily } from "./simulated/commanded-device.js";

const MINUTES = 15;

/** A load of an evening: a base, an oven that cycles, a kettle, a vacuum cleaner; W at a second. */
function loadAt(second: number): number {
  const within = (from: number, to: number) => second >= from && second < to;
  const oven = second % 140 < 60 ? 1_200 : 0;
  const kettle = within(130, 290) || within(610, 700) ? 2_000 : 0;
  const cleaner = within(400, 560) ? 700 + 60 * Math.sin(second / 3) : 0;
  return 380 + 40 * Math.sin(second / 11) + oven + kettle + cleaner;
}

/** Means over the time, with the greatest power that a cap allows: what the grid has to give or take, W. */
async function gridError(family: CommandedFamily, state: "free" | "cap", readEveryS: number) {
  const commands = await commandsOf(family);
  const simulated = new CommandedDevice(family);
  const rig = await new CommandedRig(commands, simulated, { readEveryS }).start();
  simulated.home.loadW = loadAt(0);
  rig.want(state, 5);
  await rig.reaches("confirmed", "accepted", "idle");
  let [imported, exported] = [0, 0];
  for (let second = 0; second < MINUTES * 60; second++) {
    simulated.home.loadW = loadAt(second);
    await rig.pass(1);
    imported += Math.max(0, simulated.gridW);
    exported += Math.max(0, -simulated.gridW);
  }
  rig.kill();
  return { imported: imported / (MINUTES * 60), exported: exported / (MINUTES * 60) };
}

it("a cap that follows the load every 10 s leaves a tenth of it to the grid; the device's own control nothing", async () => {
  const family = COMMANDED.find(({ template, title }) => template === "sma-hybrid" && title === "set-point")!;
  const seconds = Array.from({ length: MINUTES * 60 }, (_, second) => second);
  const meanW = seconds.reduce((sum, second) => sum + loadAt(second), 0) / seconds.length;
  const followed = await gridError(family, "cap", 10);
  expect(followed.imported / meanW).toBeLessThan(0.1);
  expect(followed.exported / meanW).toBeLessThan(0.1);
  expect(await gridError(family, "free", 10)).toEqual({ imported: 0, exported: 0 });
});
