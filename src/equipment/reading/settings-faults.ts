import type { DeviceSettings, PlantSettings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import { ExpressionError } from "../expression.js";
import { ActuatorInputError } from "../input-error.js";
import type { ActuatorTemplate } from "../template.js";
import { type TemplateLibrary, unknownTemplate } from "../template-library.js";
import type { TransportSources } from "../transport/create.js";
import { createReadPlan } from "./create-device.js";
import { offeredRoles, rolesAt } from "./offered-readings.js";
import { assignRoles } from "./roles.js";

/** The settings name roles that the template does not read. */
export function unreadRoles(
  template: ActuatorTemplate,
  settings: Pick<DeviceSettings, "with">,
  unknown: readonly string[],
): ActuatorInputError {
  const offered = offeredRoles(template, { given: settings.with }).join(", ") || "nothing";
  return new ActuatorInputError(
    `The template "${template.id}" does not read ${unknown.join(", ")}; it reads ${offered}.`,
  );
}

/** A device that takes no commands reads nothing either. */
export function readsNothing(template: ActuatorTemplate): ActuatorInputError {
  return new ActuatorInputError(
    `The device reads nothing: another device already gives what the template "${template.id}" reads, or it has no readings. Name them in reads.`,
  );
}

/** What is wrong with the devices of a plant, by their index, as far as it shows without a connection to them. */
export async function readingFaults(
  shared: TransportSources,
  plant: PlantSettings,
  templates: Pick<TemplateLibrary, "get" | "ids">,
): Promise<ReadonlyMap<number, string>> {
  const { devices } = plant;
  const offering = devices.map((settings) => {
    const template = templates.get(settings.template);
    return { settings, offers: template === undefined ? [] : rolesAt(plant, template, settings.with) };
  });
  const roles = assignRoles(offering);
  const faults = new Map<number, string>();
  for (const [index, settings] of devices.entries()) {
    const { reads, unknown } = roles.get(settings.id)!;
    try {
      const template = templates.get(settings.template);
      if (template === undefined) throw unknownTemplate(settings.template, templates.ids());
      const site = { id: plant.id };
      const plan = createReadPlan(shared, { site, settings, template, reads, now: () => 0 });
      await plan.channels.stop();
      if (unknown.length > 0) throw unreadRoles(template, settings, unknown);
      if (plan.readings.size === 0 && settings.controls === null) throw readsNothing(template);
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      faults.set(index, errorMessage(error));
    }
  }
  return faults;
}
