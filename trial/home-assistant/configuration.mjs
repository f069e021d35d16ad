// Home Assistant's configuration for the trial: stand-ins for an owner's devices, and the automations of the documentation.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Stand-ins for the owner's own entities. */
const HELPERS = {
  battery_soc: 50.5,
  pv_power: 2500,
  house_power: 900,
  battery_power: 0,
  grid_import_energy: 4321,
  grid_export_energy: 567,
};
/** The automations of docs/home-assistant.md; those that send readings are off until they are wanted. */
export function documentedAutomations() {
  const page = readFileSync("docs/home-assistant.md", "utf8");
  return [...page.matchAll(/```yaml\n(alias: [\s\S]*?)```/g)].map(([, yaml], index) => ({
    id: `automation.${/^alias: "?([^"\n]+)/.exec(yaml)[1].toLowerCase().replaceAll(" ", "_")}`,
    yaml: `- id: a${index}\n  initial_state: ${!yaml.includes("mqtt.publish")}\n  ${yaml.trimEnd().replaceAll("\n", "\n  ")}\n`,
  }));
}

/** Home Assistant's configuration with the helpers and these automations. */
export function writeConfiguration(config) {
  mkdirSync(config, { recursive: true });
  const helpers = Object.entries(HELPERS);
  const more = {
    input_number: Object.fromEntries(
      helpers.map(([name, initial]) => [name, { min: 0, max: 100_000, step: 0.1, initial }]),
    ),
    input_boolean: { my_device: {} },
    template: [
      { sensor: helpers.map(([name]) => ({ name, state: `{{ states('input_number.${name}') }}` })) },
      {
        switch: [
          {
            name: "my_device",
            state: "{{ is_state('input_boolean.my_device', 'on') }}",
            turn_on: { action: "input_boolean.turn_on", target: { entity_id: "input_boolean.my_device" } },
            turn_off: { action: "input_boolean.turn_off", target: { entity_id: "input_boolean.my_device" } },
          },
        ],
      },
    ],
  };
  const sections = Object.entries(more).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  const base = readFileSync(join(HERE, "configuration.yaml"), "utf8");
  writeFileSync(join(config, "configuration.yaml"), base + sections.join(""));
  writeFileSync(
    join(config, "automations.yaml"),
    documentedAutomations()
      .map(({ yaml }) => yaml)
      .join(""),
  );
}
