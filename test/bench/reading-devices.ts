import { FAMILIES } from "../equipment/simulated/families.js";
import { NOON } from "../equipment/simulated/home.js";

/** A process of its own with simulated devices; it says how they are reached, and ends with its parent. */
const [count = "20"] = process.argv.slice(2);
const WANTED = ["fronius-gen24", "huawei-sun2000", "sungrow-sh", "shelly-pro-3em", "goodwe-et"];
const families = WANTED.flatMap((template) => FAMILIES.find((one) => one.template === template) ?? []);
const devices = [];
for (let number = 0; number < Number(count); number++) {
  const family = families[number % families.length]!;
  const running = await family.start(() => NOON);
  devices.push({ template: family.template, with: running.with });
}
process.send?.(devices);
process.on("disconnect", () => process.exit());
