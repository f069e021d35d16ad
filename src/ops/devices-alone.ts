import { join } from "node:path";
import type { DeviceSettings, PlantSettings, Settings } from "../config/settings.js";
import { createBus } from "../core/bus.js";
import { silentLog } from "../core/log.js";
import { realClock } from "../core/time/clock.js";
import { DeviceFinder } from "../equipment/finding/finder.js";
import { ActuatorInputError } from "../equipment/input-error.js";
import { readsOf } from "../equipment/reading/create-device.js";
import { offeredEntities } from "../equipment/reading/entity-list.js";
import { ReadingService } from "../equipment/reading/service.js";
import type { DeviceView } from "../equipment/reading/view.js";
import type { ActuatorTemplate } from "../equipment/template.js";
import { TemplateLibrary, unknownTemplate } from "../equipment/template-library.js";
import { Addresses } from "../equipment/transport/addresses.js";
import type { TransportSources } from "../equipment/transport/create.js";
import { deviceSettingsOf, type GivenDevice } from "./admin/given-device.js";

/** A connection to a broker that nothing is sent over. */
export const NO_CHANNEL: TransportSources["channel"] = {
  isConnected: false,
  publish: async () => {},
  subscribe: () => () => {},
  onConnection: () => () => {},
};

/** How devices are reached by a command, without a gateway. */
export function sourcesAlone(settings: TransportSources["settings"]): TransportSources {
  return {
    settings: { ...settings, tenant_templates: [], tenant_hosts: [] },
    isUnrestricted: () => true,
    addresses: new Addresses(),
    channel: NO_CHANNEL,
    connect: () => {
      throw new ActuatorInputError(
        "A device at a broker is read by the running gateway: start it, and add the device to the configuration.",
      );
    },
  };
}

/** The shipped templates and those of the data folder. */
export function templatesOf({ data_dir }: Settings): Promise<TemplateLibrary> {
  return TemplateLibrary.open(join(data_dir, "actuators"));
}

/** Looks for devices without a gateway. */
export async function finderAlone(settings: Settings): Promise<DeviceFinder> {
  const library = await templatesOf(settings);
  return new DeviceFinder({
    templates: async () => library.all(),
    clock: realClock(),
    sources: sourcesAlone({ ...settings.actuators, allow_public: false }),
  });
}

/** Reads devices once without a gateway. What it returns throws ActuatorInputError, ExpressionError. */
export async function readerAlone(
  settings: Settings,
): Promise<(plant: PlantSettings, device: DeviceSettings) => Promise<DeviceView>> {
  const library = await templatesOf(settings);
  const devices = new ReadingService({
    ...sourcesAlone(settings.actuators),
    clock: realClock(),
    bus: createBus(),
    components: { report: () => {}, remove: () => {} },
    sites: { list: () => [], get: () => undefined },
    templates: () => library,
    telemetry: { ingest: async () => {} },
    commandOf: () => undefined,
    log: silentLog,
  });
  return (plant, device) => devices.preview({ id: plant.id, accountId: "", plant }, device);
}

/** Reads a device that is not configured, without a gateway. Throws ActuatorInputError, ExpressionError. */
export async function previewDevice(settings: Settings, given: GivenDevice): Promise<DeviceView> {
  const [plant] = settings.plants;
  if (plant === undefined) throw new ActuatorInputError("The configuration has no plant.");
  const library = await templatesOf(settings);
  const template = library.get(given.template);
  const device = deviceSettingsOf(given, plant, template);
  if (template !== undefined && isCommandedOnly(template))
    throw new ActuatorInputError(`The template "${template.id}" reads nothing: it only takes commands.`);
  return (await readerAlone(settings))(plant, device);
}

function isCommandedOnly(template: ActuatorTemplate): boolean {
  return Object.keys(template.transports).every(
    (transport) => Object.keys(readsOf(template, transport).readings ?? {}).length === 0,
  );
}

/** What a system lists for each reading, without a gateway. Throws ActuatorInputError, ExpressionError, DeviceError. */
export async function listEntities(settings: Settings, given: GivenDevice) {
  const [plant] = settings.plants;
  const library = await templatesOf(settings);
  const template = library.get(given.template);
  if (plant === undefined || template === undefined) throw unknownTemplate(given.template, library.ids());
  const device = deviceSettingsOf(given, plant, template);
  return offeredEntities(sourcesAlone(settings.actuators), { site: plant, settings: device, template });
}
