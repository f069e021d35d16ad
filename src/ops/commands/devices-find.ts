import type { FoundDevice } from "../../equipment/finding/found.js";
import { TargetError } from "../../equipment/finding/targets.js";
import {
  command,
  configOption,
  EXIT,
  jsonOption,
  printResult,
  progressBar,
  repeatableOption,
  usageError,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

export const devicesFindCommand = command({
  name: "devices find",
  summary:
    "Looks for inverters, meters, batteries and wallboxes in the own network, or at TARGET (address, address:port, subnet). Reads only.",
  operands: ["[TARGET…]"],
  options: {
    exclude: repeatableOption("TARGET", "Address or subnet that is left out; may be given several times."),
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    // Loaded here so that other commands do not load it.
    const { finderAlone } = await import("../devices-alone.js");
    const finder = await finderAlone(settings);
    const bar = progressBar(terminal, "Looking");
    try {
      const result = await finder.find({
        targets: args.positionals,
        exclude: args.options.exclude.flatMap((text) => text.split(",")),
        onProgress: ({ looked_at, of }) => bar(looked_at, of),
      });
      await printResult(args, terminal, result, () => linesOf(result));
      return EXIT.done;
    } catch (error) {
      if (error instanceof TargetError) throw usageError(error.message);
      throw error;
    }
  },
});

function linesOf({
  found,
  looked_at,
  ms,
}: {
  found: FoundDevice[];
  looked_at: number;
  ms: number;
}): string[] {
  const seconds = Math.round(ms / 1000);
  return [
    ...found.flatMap((one) => [
      `${one.name}${addressOf(one)}: ${one.reads.map((role) => shown(role, one)).join(", ") || "no readings yet"}`,
      ...[one, ...one.also].map(
        (way, index) => `  ${index === 0 ? "template" : "or"} ${way.template}${parametersOf(way.with)}`,
      ),
    ]),
    `${found.length} ${found.length === 1 ? "device" : "devices"} at ${looked_at} ${looked_at === 1 ? "address" : "addresses"} in ${seconds} s.`,
  ];
}

function addressOf({ with: { host, url } }: FoundDevice): string {
  return host === undefined && url === undefined ? "" : ` at ${host ?? url}`;
}

function parametersOf(parameters: FoundDevice["with"]): string {
  return Object.entries(parameters)
    .map(([name, value]) => ` --with ${name}=${value}`)
    .join("");
}

/** A role with what the device shows of it. */
function shown(role: string, { readings, facts }: FoundDevice): string {
  const number = (name: string, unit: string) => {
    const value = readings[name]?.value ?? null;
    return value === null ? [] : [`${Number(value.toFixed(2))} ${unit}`];
  };
  const capacity = facts.capacity_kwh === undefined ? [] : [`${Number(facts.capacity_kwh.toFixed(1))} kWh`];
  const values = {
    grid: number("grid_power_kw", "kW"),
    pv: number("pv_power_kw", "kW"),
    battery: [...capacity, ...number("soc_pct", "%"), ...number("battery_power_kw", "kW")],
    load: number("load_power_kw", "kW"),
    slot: number("power_kw", "kW"),
  }[role];
  return values === undefined || values.length === 0 ? role : `${role} ${values.join(" ")}`;
}
