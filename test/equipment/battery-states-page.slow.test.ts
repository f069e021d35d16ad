import { expect, it } from "vitest";
import { CommandedRig, commandsOf } from "./commanded-rig.js";
import { COMMANDED } from "./simulated/commanded.js";
import { CommandedDevice, type CommandedFamily } from "./simulated/commanded-device.js";

const HEAD = `# Batteries over Modbus: states, effects and registers

What each state of a battery writes, in this order, and what it does. The last two columns are the power of the battery in a simulated device that
obeys the registers (+ charging), with a load of 1 kW: at night without PV, and at noon with 2.5 kW of PV, for a charge with 2 kW, a discharge with 1.5 kW and
a cap of 0.5 kW. Real devices were not tried.

Effect: "load": the battery serves the load; "PV": it stores surplus; "own power": it charges with a power of its own. What to enable on each device:
"docs/devices/families.md". "found" is the value before the first command, which is also restored at the end. "Lease" is the time after which the device returns to its own control when
the gateway is gone; hourgate renews a command after the time behind it. "A day": the most commands a day that are no renewals, and the least time
between two changes. Registers marked with \\* are stored in the device, and written on a change only.
`;

const NIGHT = { loadW: 1_000, pvW: 0 };
const NOON = { loadW: 1_000, pvW: 2_500 };
const POWER_KW: Readonly<Record<string, number>> = { charge: 2, cap: 0.5, discharge: 1.5 };

async function section(family: CommandedFamily): Promise<string> {
  const commands = await commandsOf(family);
  const { template, device, effects } = commands;
  const transport = template.transports[String(family.with?.transport ?? "modbus")]!;
  const { registers = {} } = transport;
  const simulated = new CommandedDevice(family);
  const rig = await new CommandedRig(commands, simulated).start();
  const rows: string[] = [];
  for (const state of rig.states) {
    rig.want(state, POWER_KW[state] ?? 0);
    await rig.reaches("confirmed", "accepted", "idle");
    await rig.pass(family.settlesS ?? 0, 8);
    const watts: number[] = [];
    for (const home of [NIGHT, NOON]) {
      Object.assign(simulated.home, home);
      if (device.needs.length > 0) await rig.pass(20, 4);
      watts.push(Math.round(simulated.batteryW / 10) * 10);
    }
    const { servesLoad, storesPv, setsPower } = effects[state]!;
    const does = [
      ...(servesLoad ? ["load"] : []),
      ...(storesPv ? ["PV"] : []),
      ...(setsPower ? [] : ["own power"]),
    ];
    const writes = (transport.commands[state] ?? []).flatMap(({ set = {} }) =>
      Object.entries(set).map(([name, value]) => {
        const { holding, sunspec, stored } = registers[name]!;
        const place = holding ?? (sunspec ?? []).join(" ");
        return `${String(place).replaceAll(/[{}]/g, "").trim()}${stored ? "\\*" : ""}=${shown(value)}`;
      }),
    );
    rows.push(
      `| ${state} | ${does.length === 0 ? "–" : does.join(", ")} | ${writes.join("; ")} | ${watts.join(" | ")} |`,
    );
  }
  await rig.stop();
  const { leaseMs, repeatMs, maxWritesPerDay, minDwellMs } = device.pace();
  const lease =
    leaseMs === 0
      ? "none: commands stay until they are changed"
      : `${leaseMs / 1000} s, renewed after ${repeatMs / 1000} s (${rig.states.filter((one) => device.isLeased(one)).join(", ")})`;
  const follows =
    device.needs.length === 0 ? "" : ` Follows ${device.needs.join(" and ")} with each renewal.`;
  return [
    `## \`${template.id}\`: ${template.name.en}, ${family.title}`,
    `Lease: ${lease}. A day: ${maxWritesPerDay} commands, ${minDwellMs / 1000} s apart.${follows}${template.experimental ? " Experimental: commands start in dry run." : ""}`,
    ["| state | effect | writes | night, W | noon, W |", "|---|---|---|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

/** A value of a template without the marks of its expression. */
function shown(value: string | number): string {
  const text = String(value);
  const inner = text.replaceAll(/\{\{ ?| ?\}\}/g, "");
  return text === inner ? text : `\`${inner.replaceAll("|", "\\|")}\``;
}

it("the record of the batteries says what the states of the templates write and do", async () => {
  const sections: string[] = [];
  for (const family of COMMANDED) sections.push(await section(family));
  await expect(`${HEAD}\n${sections.join("\n\n")}\n`).toMatchFileSnapshot("./simulated/battery-states.md");
});
