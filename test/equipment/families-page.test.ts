import { expect, it } from "vitest";
import { readsOf } from "../../src/equipment/reading/create-device.js";
import { rolesOf } from "../../src/equipment/reading/names.js";
import type { ActuatorTemplate } from "../../src/equipment/template.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { FAMILIES } from "./simulated/families.js";

const HEAD = `# Device families

What the shipped templates read, what must be enabled on the device, and what is doubtful. The parameters of a template, such as
\`host\`, are shown by the form that adds it and by \`hourgate devices read --template T\`.

How to see that something is wrong:

- a power has the wrong sign: the page of the device shows importing as exporting, or charging as discharging. Switch on "sign is reversed"
  (\`reversed\`);
- a power is ten or a thousand times too large: it is counted as implausible, and the page shows the raw value;
- the load is negative or far from what is known: the meter is not at the grid connection, or PV and battery are mixed up;
- a counter stands still although there is power: the device counts in coarse steps or not at all; remove the counter's device from
  \`reads\` and hourgate integrates the power.

Templates marked "experimental" rest on one source, or on sources that contradict each other: compare each reading with the display or the app of
the device before the plan relies on it. Every template with a number in the last column is read from that many simulated devices at noon, in the
evening and at night (\`test/equipment/families.slow.test.ts\`).

`;

/** The readings that a template gives over any of its transports. */
function rolesIn(template: ActuatorTemplate): string[] {
  const all = Object.keys(template.transports).map((name) => readsOf(template, name).readings ?? {});
  return rolesOf(Object.assign({}, ...all));
}

it("the page of the device families says what the templates say", async () => {
  const templates = (await TemplateLibrary.open()).all();
  const rows = templates.flatMap((template) => {
    const roles = rolesIn(template);
    if (roles.length === 0) return [];
    const { id, name, experimental, requirements, hazards, controls } = template;
    const doubts = [...(experimental ? ["Experimental."] : []), ...(hazards?.en ?? [])];
    const simulated = FAMILIES.filter((family) => family.template === id).length;
    const cells = [
      `\`${id}\``,
      name.en,
      roles.join(", "),
      (requirements?.en ?? []).join(" "),
      // Hazards of commands are in the template, too; they are in docs/actuators.
      controls.length > 0 ? (experimental ? "Experimental." : "") : doubts.join(" "),
      simulated === 0 ? "" : String(simulated),
    ];
    return [`| ${cells.map((cell) => cell?.replaceAll("|", "\\|") ?? "").join(" | ")} |`];
  });
  const table = [
    "| template | device | reads | to enable on the device | doubtful | simulated |",
    "|---|---|---|---|---|---|",
  ];
  await expect(`${HEAD}${[...table, ...rows].join("\n")}\n`).toMatchFileSnapshot(
    "../../docs/devices/families.md",
  );
});
