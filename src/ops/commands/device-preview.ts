import { join } from "node:path";
import type { Settings } from "../../config/settings.js";
import { createBus } from "../../core/bus.js";
import { realClock } from "../../core/time/clock.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { ReadingService } from "../../equipment/reading/service.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import { TemplateLibrary } from "../../equipment/template-library.js";
import { Addresses } from "../../equipment/transport/addresses.js";
import { deviceSettingsOf, type GivenDevice } from "../admin/given-device.js";

/** Reads a device that is not configured, without a gateway. Throws ActuatorInputError, ExpressionError. */
export async function previewDevice(settings: Settings, given: GivenDevice): Promise<DeviceView> {
  const library = await TemplateLibrary.open(join(settings.data_dir, "actuators"));
  const devices = new ReadingService({
    settings: { ...settings.actuators, tenant_templates: [], tenant_hosts: [] },
    isUnrestricted: () => true,
    addresses: new Addresses(),
    channel: {
      isConnected: false,
      publish: async () => {},
      subscribe: () => () => {},
      onConnection: () => () => {},
    },
    connect: () => {
      throw new ActuatorInputError(
        "A device at a broker is read by the running gateway: add it to the configuration.",
      );
    },
    clock: realClock(),
    bus: createBus(),
    components: { report: () => {}, remove: () => {} },
    sites: { list: () => [], get: () => undefined },
    templates: () => library,
    telemetry: { ingest: async () => {} },
    commandOf: () => undefined,
    log: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  const [plant] = settings.plants;
  if (plant === undefined) throw new ActuatorInputError("The configuration has no plant.");
  const device = deviceSettingsOf(given, plant, library.get(given.template));
  return devices.preview({ id: plant.id, accountId: "", plant }, device);
}
