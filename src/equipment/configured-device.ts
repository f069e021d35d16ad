import { readTextFile } from "../config/environment.js";
import type { ActuatorSettings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import { DeviceCommands } from "./device-commands.js";
import { ExpressionError } from "./expression.js";
import { ActuatorInputError } from "./input-error.js";
import { parametersOf } from "./parameters.js";
import { parseControls } from "./states.js";
import { type ActuatorTemplate, commandTransports } from "./template.js";
import type { TransportSources } from "./transport/create.js";

/** A device as configured, the name of its transport, and what it drives. */
export interface ConfiguredDevice {
  device: DeviceCommands;
  transport: string;
  targets: string[];
}

/** What a site may use: the templates that are released for it, and files if it belongs to an administrator. */
type Rules = Pick<TransportSources, "isUnrestricted" | "settings">;

/** The device of an actuator within the rules of its site. Throws ActuatorInputError, ExpressionError. */
export function configuredDevice(
  site: Site,
  settings: ActuatorSettings,
  template: ActuatorTemplate,
  rules: Rules,
): ConfiguredDevice {
  const { control } = parseControls(settings.controls)!;
  if (!template.controls.includes(control))
    throw new ActuatorInputError(
      template.controls.length === 0
        ? `The template "${template.id}" only reads; it takes no commands: leave out controls.`
        : `The template "${template.id}" is for ${template.controls.join(", ")}, not for ${settings.controls}.`,
    );
  const { transport, values } = usedParameters(site, settings, template, { rules });
  if (!commandTransports(template).includes(transport))
    throw new ActuatorInputError(
      `transport must be one of ${commandTransports(template).join(", ")}: over ${transport} the device is only read.`,
    );
  const parameters = { ...values, plant: site.id, actuator: settings.id };
  const device = new DeviceCommands({ template, transport, control, parameters });
  return { device, transport, targets: device.targets() };
}

/** Hosts with their ports that the device of an actuator is reached at; none if its settings cannot be used. */
export function hostsOfSettings(...of: Parameters<typeof configuredDevice>): string[] {
  try {
    return configuredDevice(...of).device.hosts();
  } catch (error) {
    if (error instanceof ActuatorInputError || error instanceof ExpressionError) return [];
    throw error;
  }
}

/** The parameters of a device, and its transport, within the rules of its site. Throws ActuatorInputError. */
export function usedParameters(
  site: Pick<Site, "id">,
  settings: Pick<ActuatorSettings, "with">,
  template: ActuatorTemplate,
  { rules, isReadOnly = false }: { rules: Rules; isReadOnly?: boolean },
): Pick<ReturnType<typeof parametersOf>, "transport" | "values"> {
  const isUnrestricted = rules.isUnrestricted(site.id);
  if (!isUnrestricted && !rules.settings.tenant_templates.includes(template.id))
    throw new ActuatorInputError(`The administrator has not released the template "${template.id}".`);
  const given = withFiles(settings.with, template, isUnrestricted);
  const { transport, values, faults } = parametersOf(template, given, { isReadOnly });
  if (faults.length > 0)
    throw new ActuatorInputError(faults.map(({ name, message }) => `${name} ${message}`).join(" "));
  return { transport, values };
}

/** The parameters with secrets read from the files of `<name>_file`. Throws ActuatorInputError. */
function withFiles(
  given: Readonly<Record<string, unknown>>,
  template: ActuatorTemplate,
  mayRead: boolean,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const base = name.replace(/_file$/, "");
      if (base === name || template.parameters[base]?.secret !== true) return [name, value];
      if (!mayRead) throw new ActuatorInputError(`${name} is available to administrators only.`);
      const file = readTextFile(String(value));
      if ("fault" in file) throw new ActuatorInputError(`${name}: ${file.fault}`);
      return [base, file.text.trim()];
    }),
  );
}
