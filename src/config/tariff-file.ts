import { readYaml } from "./document.js";
import { ConfigError, type ConfigProblem } from "./error.js";
import { dotted, type KeyPath } from "./kit/node.js";
import { checkRules } from "./rules.js";
import type { TariffSettings } from "./settings.js";
import { dropEmptySections, validate } from "./validate.js";

/** Where a tariff is in the settings that it is validated in. */
const PLACE = ["plants", "0", "tariff"];

/**
 * Reads a tariff from YAML: below the key `tariff`, or the periods or keys of the flat form by themselves. Throws
 * ConfigError with all problems.
 */
export function parseTariff(text: string, file: string): TariffSettings {
  const yaml = readYaml(text, file);
  if (yaml.problems.length > 0) throw new ConfigError(yaml.problems);
  const isWrapped = typeof yaml.value === "object" && yaml.value !== null && "tariff" in yaml.value;
  const tariff: unknown = isWrapped ? (yaml.value as { tariff: unknown }).tariff : yaml.value;
  if (typeof tariff !== "object" || tariff === null) {
    const message = "has no tariff: write the key tariff with a list of periods, or with the short form.";
    throw new ConfigError([{ file, key: "", message }]);
  }
  const root = { plants: [{ id: "tariff", tariff }] };
  dropEmptySections(root);
  const { settings, findings } = validate(root);
  if (settings !== undefined) findings.push(...checkRules(settings));
  const within = findings.filter(({ path }) => PLACE.every((key, index) => path[index] === key));
  if (within.length > 0 || settings === undefined) {
    throw new ConfigError(
      within.map(({ path, message }): ConfigProblem => {
        const own: KeyPath = [...(isWrapped ? ["tariff"] : []), ...path.slice(PLACE.length)];
        const position = yaml.position(own);
        return { file, ...(position && { line: position.line }), key: dotted(own), message };
      }),
    );
  }
  return settings.plants[0]!.tariff!;
}
