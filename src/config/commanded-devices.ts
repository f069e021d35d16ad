import type { ActuatorSettings, DeviceSettings, PlantSettings } from "./settings.js";

/**
 * The actuators of a plant: its own, and the devices that take commands. `isExperimental`: whether facts of a template are doubtful,
 * so that its commands are only shown unless the settings say otherwise.
 */
export function actuatorSettingsOf(
  { actuators, devices }: Pick<PlantSettings, "actuators" | "devices">,
  isExperimental: (template: string) => boolean,
): ActuatorSettings[] {
  const commanded = devices.flatMap((device) => commandSettings(device, isExperimental) ?? []);
  return [...actuators, ...commanded];
}

/** The commands of a device; undefined where it is only read. */
export function commandSettings(
  { id, template, controls, dry_run, enabled, min_dwell_s, ...one }: DeviceSettings,
  isExperimental: (template: string) => boolean,
): ActuatorSettings | undefined {
  if (controls === null) return undefined;
  return {
    id,
    template,
    controls,
    with: one.with,
    enabled,
    dry_run: dry_run ?? isExperimental(template),
    min_dwell_s,
    max_writes_per_day: one.max_writes_per_day,
    external_minutes: one.external_minutes,
  };
}
