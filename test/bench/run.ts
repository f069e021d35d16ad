import { benchForecast } from "./forecast.js";
import { benchPlanner } from "./planner.js";
import { benchWindows } from "./windows.js";

/** Speed as ratios of things measured in one run, so that the machine cancels out; times where nothing is beside them. */
for (const { name, ratio, goal } of await benchPlanner()) {
  console.log(`${name.padEnd(64)} ${ratio.toFixed(2).padStart(8)}   goal: ${goal}`);
}
for (const { name, medianMs } of benchWindows()) {
  console.log(`${name.padEnd(64)} ${medianMs.toFixed(2).padStart(8)} ms`);
}
for (const { name, value, unit, goal } of benchForecast()) {
  console.log(
    `${name.padEnd(64)} ${value.toFixed(2).padStart(8)} ${unit}   ${goal === "" ? "" : `goal: ${goal}`}`,
  );
}
