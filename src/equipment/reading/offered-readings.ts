import type { PlantSettings } from "../../config/settings.js";
import { isRecord } from "../../core/net/json.js";
import type { ActuatorTemplate, TemplateParameter } from "../template.js";
import { type Role, rolesOf } from "./names.js";
import type { TemplateReadingSpec } from "./reading-schema.js";

type Readings = Readonly<Record<string, TemplateReadingSpec>>;

/** The parameter that names a source for each reading, such as the entities of Home Assistant. */
export function readingsParameter({
  parameters,
}: Pick<ActuatorTemplate, "parameters">): [name: string, parameter: TemplateParameter] | undefined {
  return Object.entries(parameters).find(([, { keys }]) => keys === "readings");
}

/** The readings of a template over a transport, or over any; of those that need a source of the settings, the ones that have it. */
export function offeredReadings(
  template: ActuatorTemplate,
  { transport, given }: { transport?: string | undefined; given: Readonly<Record<string, unknown>> },
): Readings {
  const own = Object.entries(template.transports).filter(
    ([name]) => transport === undefined || name === transport,
  );
  const all: Readings = Object.assign(
    {},
    transport === undefined || own.some(([, one]) => one.readings === undefined) ? template.readings : {},
    ...own.map(([, one]) => one.readings ?? {}),
  );
  const [name] = readingsParameter(template) ?? [];
  if (name === undefined) return all;
  const sources = given[name];
  if (!isRecord(sources)) return {};
  return Object.fromEntries(Object.entries(all).filter(([reading]) => Boolean(sources[reading])));
}

/** What a device may be read for, by its template and its parameters. */
export function offeredRoles(...of: Parameters<typeof offeredReadings>): Role[] {
  return rolesOf(offeredReadings(...of));
}

/** The same at a plant: of several batteries it is not known which one a device is for. */
export function rolesAt(
  { batteries }: Pick<PlantSettings, "batteries">,
  template: ActuatorTemplate,
  given: Readonly<Record<string, unknown>>,
): Role[] {
  const roles = offeredRoles(template, { given });
  return batteries.length > 0 ? roles.filter((role) => role !== "battery") : roles;
}
