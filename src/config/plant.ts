import type { KeyPath } from "./kit/node.js";
import { withFormerActuators } from "./new-device.js";
import { checkRules } from "./rules.js";
import type { PlantSettings, TelemetryMapEntry } from "./settings.js";
import { applyDerivedValues, type FindingRule, validate } from "./validate.js";

/** A problem in the settings of a plant, at a path such as `["battery", "capacity_kwh"]`. */
export interface PlantFinding {
  path: KeyPath;
  message: string;
  /** The violated rule, for a text in the language of a page. */
  rule: FindingRule;
}

/**
 * Checks a plant and the topics of its telemetry by the rules of the configuration file, and applies the defaults. Paths are
 * relative to the plant, or begin with `telemetry`.
 */
export function parsePlant(
  plant: object,
  telemetry: readonly object[],
): { plant: PlantSettings; telemetry: TelemetryMapEntry[] } | { findings: PlantFinding[] } {
  const value = structuredClone({ plants: [plant], mqtt: { telemetry } });
  const { settings, findings } = validate(value);
  if (settings !== undefined) findings.push(...checkRules(settings));
  if (settings === undefined || findings.length > 0) {
    return {
      findings: findings.map(({ path, message, rule = "invalid" }) => ({
        path: belowPlant(path),
        message,
        rule,
      })),
    };
  }
  applyDerivedValues(settings);
  return { plant: withFormerActuators(settings.plants[0]!), telemetry: settings.mqtt.telemetry };
}

/** `plants.0.battery.capacity_kwh` is the plant's `battery.capacity_kwh`, `mqtt.telemetry.0.topic` its `telemetry.0.topic`. */
function belowPlant(path: KeyPath): KeyPath {
  if (path[0] === "plants") return path.slice(2);
  return path[0] === "mqtt" ? path.slice(1) : path;
}
