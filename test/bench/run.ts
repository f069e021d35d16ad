import { benchPlanner } from "./planner.js";

/** Speed as ratios of things measured in one run, so that the machine cancels out. */
for (const { name, ratio, goal } of await benchPlanner()) {
  console.log(`${name.padEnd(60)} ${ratio.toFixed(2).padStart(8)}   goal: ${goal}`);
}
