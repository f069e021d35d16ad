import type { ActuatorSettings, PlantSettings } from "./settings.js";

/** Time for which a device is left alone after somebody else has changed it, minutes. */
const EXTERNAL_MINUTES = 30;

/**
 * The actuators of a plant: its own, and the devices that take commands. `isExperimental`: whether facts of a template are doubtful,
 * so that its commands are only shown unless the settings say otherwise.
 */
export function actuatorSettingsOf(
  { actuators, devices }: Pick<PlantSettings, "actuators" | "devices">,
  isExperimental: (template: string) => boolean,
): ActuatorSettings[] {
  const commanded = devices.flatMap(({ id, template, controls, dry_run, ...one }): ActuatorSettings[] =>
    controls === null
      ? []
      : [
          {
            id,
            template,
            controls,
            with: one.with,
            enabled: true,
            dry_run: dry_run ?? isExperimental(template),
            min_dwell_s: null,
            max_writes_per_day: null,
            external_minutes: EXTERNAL_MINUTES,
          },
        ],
  );
  return [...actuators, ...commanded];
}
