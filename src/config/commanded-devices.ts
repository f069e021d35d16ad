import type { ActuatorSettings, DeviceSettings, PlantSettings } from "./settings.js";

/**
 * The devices of a plant that take commands. `isExperimental`: whether facts of a template are doubtful, so that its commands are only
 * shown unless the settings say otherwise.
 */
export function actuatorSettingsOf(
  { devices }: Pick<PlantSettings, "devices">,
  isExperimental: (template: string) => boolean,
): ActuatorSettings[] {
  return devices.flatMap((device) => commandSettings(device, isExperimental) ?? []);
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
