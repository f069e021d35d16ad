import { expect, it } from "vitest";
import { readsOf } from "../../src/equipment/reading/create-device.js";
import { rolesOf } from "../../src/equipment/reading/names.js";
import type { ActuatorTemplate } from "../../src/equipment/template.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";

const HEAD = `# Device families

What the shipped templates read (in brackets), what must be enabled on the device, and what is doubtful. \`hourgate devices read --template T\` and the form that adds a device show the parameters of a template.

How to see that something is wrong:

- importing shows as exporting, or charging as discharging: switch on "sign is reversed" (\`reversed\`);
- a power is ten or a thousand times too large: it is not used, and the page of the device shows the raw value;
- the load is negative or far from what is known: the meter is not at the grid connection, or PV and battery are mixed up;
- a counter stands still although there is power: remove its device from \`reads\`, and hourgate integrates the power.

"Experimental" templates rest on one source, or on sources that contradict each other: compare each reading with the display or the app of the device.

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
    // Hazards of commands are in the template, too; they are in docs/actuators.
    const doubts = [
      ...(experimental ? ["Experimental."] : []),
      ...(controls.length > 0 ? [] : (hazards?.en ?? [])),
    ];
    const texts = [...(requirements?.en ?? []), ...doubts].join(" ");
    return [`- \`${id}\`: ${name.en} [${roles.join(", ")}]${texts === "" ? "" : `. ${texts}`}`];
  });
  await expect(`${HEAD}${rows.join("\n")}\n`).toMatchFileSnapshot("../../docs/devices/families.md");
});
