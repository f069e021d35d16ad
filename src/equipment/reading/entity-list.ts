import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { parseForeignJson } from "../../core/json.js";
import { usedParameters } from "../configured-device.js";
import { entityChoices, type OfferedEntity } from "../home-assistant-entities.js";
import type { ActuatorTemplate } from "../template.js";
import type { TransportSources } from "../transport/create.js";
import { createReadChannels } from "../transport/read-channels.js";
import { readingsParameter } from "./offered-readings.js";

const WHOLE = { pointers: [], regex: undefined, unitPointer: undefined, timePointer: undefined };

/**
 * The sources that a system offers for each reading, by its own list; undefined where the template has none. Nothing is stored.
 * Throws ActuatorInputError, ExpressionError, DeviceError.
 */
export async function offeredEntities(
  shared: TransportSources,
  {
    site,
    settings,
    template,
  }: { site: Pick<Site, "id">; settings: DeviceSettings; template: ActuatorTemplate },
): Promise<Readonly<Record<string, OfferedEntity[]>> | undefined> {
  const [, parameter] = readingsParameter(template) ?? [];
  if (parameter?.offered_by === undefined) return undefined;
  const { transport, values } = usedParameters(site, settings, template, {
    rules: shared,
    isReadOnly: true,
  });
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
    return entityChoices(parseForeignJson(await channels.request!(request)));
  } catch (error) {
    if (error instanceof SyntaxError) return entityChoices([]);
    throw error;
  } finally {
    await channels.stop();
  }
}
