import { actuatorSettingsOf } from "../config/commanded-devices.js";
import type { ActuatorSettings, PlantSettings } from "../config/settings.js";
import type { ControlledMode } from "../core/domain/battery.js";
import { DeviceCommands } from "./device-commands.js";
import { effectsOf } from "./effect.js";
import { ExpressionError } from "./expression.js";
import { parametersOf } from "./parameters.js";
import type { ActuatorState } from "./states.js";
import type { ActuatorTemplate } from "./template.js";
import { wantedState } from "./wanted.js";

const STATES: Readonly<Partial<Record<ActuatorState, ControlledMode>>> = {
  charge: "charge",
  hold: "hold",
  block: "block",
  discharge: "discharge",
};

/** The modes that a device can bring a battery into by its template and its parameters; empty: not known. */
export function batteryModes(
  template: ActuatorTemplate,
  given: Readonly<Record<string, unknown>>,
): ControlledMode[] {
  if (!template.controls.includes("battery")) return [];
  const { transport, values } = parametersOf(template, { ...given });
  const parameters = { ...values, plant: "", actuator: "" };
  const effects = effectsOf(template, transport);
  try {
    const device = new DeviceCommands({ template, transport, control: "battery", parameters });
    return device.states().flatMap((state): ControlledMode[] => {
      const mode = STATES[state];
      // By its settings it may get another state instead.
      const sent = device.possible(wantedState(state, { powerKw: 1 })).state;
      if (mode === undefined || sent !== state) return [];
      const isStandby =
        (mode === "hold" && effects.hold?.storesPv === false) ||
        (mode === "block" && effects.block?.servesLoad === false);
      return [isStandby ? "standby" : mode];
    });
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return [];
  }
}

/** The device that drives the battery of a plant. */
export interface BatteryDevice {
  settings: ActuatorSettings;
  template: ActuatorTemplate;
  modes: ControlledMode[];
}

/** The device that drives the battery of a plant, and its modes; undefined: none, or one that is not known. */
export function batteryDevice(
  plant: Pick<PlantSettings, "devices">,
  template: (id: string) => ActuatorTemplate | undefined,
): BatteryDevice | undefined {
  const all = actuatorSettingsOf(plant, () => true).filter(({ controls }) => controls === "battery");
  const settings = all.find(({ enabled }) => enabled) ?? all[0];
  const found = settings && template(settings.template);
  return found && { settings, template: found, modes: batteryModes(found, settings.with) };
}
