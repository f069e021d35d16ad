import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { parseForeignJson } from "../../core/json.js";
import { withFiles } from "../configured-device.js";
import { entityChoices, type OfferedEntity } from "../home-assistant-entities.js";
import { ActuatorInputError } from "../input-error.js";
import { parametersOf } from "../parameters.js";
import type { ActuatorTemplate } from "../template.js";
import { createReadChannels, type ReadSources } from "../transport/read-channels.js";
import { readingsParameter } from "./offered-readings.js";

const WHOLE = { pointers: [], regex: undefined, unitPointer: undefined, timePointer: undefined };

/**
 * The sources that a system offers for each reading, by its own list; undefined where the template has none. Nothing is stored.
 * Throws ActuatorInputError, ExpressionError, DeviceError.
 */
export async function offeredEntities(
  shared: ReadSources,
  {
    site,
    settings,
    template,
  }: { site: Pick<Site, "id">; settings: DeviceSettings; template: ActuatorTemplate },
): Promise<Readonly<Record<string, OfferedEntity[]>> | undefined> {
  const [, parameter] = readingsParameter(template) ?? [];
  if (parameter?.offered_by === undefined) return undefined;
  const isUnrestricted = shared.isUnrestricted(site.id);
  if (!isUnrestricted && !shared.settings.tenant_templates.includes(template.id))
    throw new ActuatorInputError(`The administrator has not released the template "${template.id}".`);
  const { transport, values, faults } = parametersOf(
    template,
    withFiles(settings.with, template, isUnrestricted),
    { isReadOnly: true },
  );
  if (faults.length > 0)
    throw new ActuatorInputError(faults.map(({ name, message }) => `${name} ${message}`).join(" "));
  const url = `${String(values.url).replace(/\/+$/, "")}/api/states`;
  const request = { key: url, url, method: "GET", headers: undefined, body: undefined };
  const channels = createReadChannels(shared, {
    siteId: site.id,
    transport: template.transports[transport]!,
    values,
    sources: [{ kind: "http", request, place: WHOLE }],
    now: () => 0,
  });
  try {
    channels.start();
    return entityChoices(parseForeignJson(await channels.request(request)));
  } catch (error) {
    if (error instanceof SyntaxError) return entityChoices([]);
    throw error;
  } finally {
    await channels.stop();
  }
}
