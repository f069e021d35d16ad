import { realClock } from "../../../src/core/time/clock.js";
import { DeviceFinder, type FindOptions } from "../../../src/equipment/finding/finder.js";
import { ActuatorInputError } from "../../../src/equipment/input-error.js";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import type { Running } from "../simulated/family.js";

const library = await TemplateLibrary.open();

/** Looks for devices with the shipped templates. */
export function find(options: FindOptions, readHosts: readonly string[] = []) {
  const finder = new DeviceFinder({
    readHosts: () => readHosts,
    templates: async () => library.all(),
    clock: realClock(),
    sources: {
      settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
      isUnrestricted: () => true,
      channel: {
        isConnected: false,
        publish: async () => {},
        subscribe: () => () => {},
        onConnection: () => () => {},
      },
      connect: () => {
        throw new ActuatorInputError("A search connects to no broker.");
      },
      addresses: new Addresses({ pausesMs: [0] }),
    },
  });
  return finder.find(options);
}

/** Where a simulated device is. */
export function addressOf({ with: { host, port, url } }: Running): string {
  const text = url === undefined ? String(host) : new URL(String(url)).host;
  return port === undefined ? text : `${text}:${port}`;
}
