import { describe, expect, it } from "vitest";
import { LastUses } from "../../src/accounts/last-uses.js";
import { SettingsHistory } from "../../src/accounts/settings-history.js";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import { AnnouncedDevices } from "../../src/edges/mqtt/home-assistant/announced-devices.js";
import { BatteryOverrides } from "../../src/plan/battery-overrides.js";
import { slotsFromJson } from "../../src/plan/windows/slot-schedule.js";
import { ConnectionTests } from "../../src/portal/connect/connection-tests.js";
import { WizardProgress } from "../../src/portal/start/progress.js";
import { SeriesDocumentArchive } from "../../src/store/archive.js";

const plant = defaultSettings().plants[0]!;
const site = { id: "home", accountId: "owner", plant };

/** What a document may be after a damage, or in a backup of another version. */
const FOREIGN = [
  5,
  "x",
  [5],
  [[5]],
  {},
  { announced: { home: { "": 5 } }, gone: 5, "home mqtt": 5, done: 5 },
];

describe.each(FOREIGN)("%j in place of every document", (foreign) => {
  const documents = { get: async () => foreign, put: async () => {} };
  const bus = createBus();

  it("lets the gateway start as without it", async () => {
    const uses = new LastUses({ documents, bus, log: silentLog });
    await uses.start();
    await uses.stop();
    const overridden = { site, override: undefined };
    await new BatteryOverrides(documents, silentLog).load(overridden);
    expect(overridden.override).toBeUndefined();
    await new AnnouncedDevices(documents, silentLog).load();
    const tests = new ConnectionTests({
      connections: undefined as never,
      documents,
      bus,
      sites: new SiteRuntimes(bus, [site]),
      log: silentLog,
    });
    await tests.start();
    expect(tests.of("home", "mqtt")).toBeUndefined();
    tests.stop();
    expect((await new WizardProgress(documents).get("home")).next).toBe("place");
    const sites = { get: () => site, list: () => [site], telemetryMap: () => [] };
    const history = new SettingsHistory({
      sites: { ...sites, change: () => Promise.reject(new Error("Nothing is changed.")) },
      documents,
      plan: { expectedCostEur: () => undefined, recalculated: async () => {} },
      log: silentLog,
    });
    expect(await history.list("home")).toEqual([]);
    expect(slotsFromJson({ version: 1, json: "5" })).toEqual([]);
  });
});

it("a document that is no JSON is left out, and named in the log", async () => {
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const database = { get: async () => Buffer.from('{"sessions":'), write: async () => {} };
  expect(await new SeriesDocumentArchive(database, log).get("portal/sessions")).toBeUndefined();
  expect(warnings).toEqual([{ document: "portal/sessions", bytes: 12 }]);
});
