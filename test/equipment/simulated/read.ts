import { silentLog } from "../../../src/core/log.js";
import { ForeignConnection } from "../../../src/edges/mqtt/client/device-channel.js";
import { createReadPlan } from "../../../src/equipment/reading/create-device.js";
import { ReadDevice } from "../../../src/equipment/reading/device.js";
import type { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { manualClock } from "../../support/manual-clock.js";

/** A device of a shipped template, as the gateway reads it, over real sockets. Each call of `read` is one poll. */
export function readDevice(
  library: TemplateLibrary,
  { template: id, with: parameters }: { template: string; with: Readonly<Record<string, unknown>> },
  { isDark = false } = {},
): ReadDevice {
  const template = library.get(id);
  if (template === undefined) throw new Error(`There is no template ${id}.`);
  const clock = manualClock(new Date("2026-06-21T12:00:00Z"));
  const plan = createReadPlan(
    {
      settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
      isUnrestricted: () => true,
      channel: {
        isConnected: false,
        publish: async () => {},
        subscribe: () => () => {},
        onConnection: () => () => {},
      },
      connect: (broker) => new ForeignConnection({ ...broker, log: silentLog }),
      addresses: new Addresses({ pausesMs: [0] }),
    },
    {
      site: { id: "home" },
      settings: { id: "device", with: parameters as Record<string, never>, controls: null, reversed: [] },
      template,
      now: () => Date.now(),
    },
  );
  const device = new ReadDevice({
    ...plan,
    id: "device",
    serial: null,
    pollMs: 10_000,
    clock,
    isDark: () => isDark,
    limits: () => undefined,
    frozenSince: () => undefined,
    onPolled: () => {},
    log: silentLog,
  });
  plan.channels.start();
  return device;
}
