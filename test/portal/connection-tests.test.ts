import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { silentLog } from "../../src/core/log.js";
import { ConnectionTests, TEST_MS } from "../../src/portal/connect/connection-tests.js";
import { Connections } from "../../src/portal/connect/connections.js";
import { memoryDocuments } from "../api/fake-services.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("keeps nothing of a site that is removed during a test", async () => {
  const bus = createBus();
  const documents = memoryDocuments();
  const sites = ["home", "hut"].map((id) => ({ id, accountId: "owner", plant: {} as never }));
  const nothing = () => [];
  const connections = new Connections({
    keys: { list: nothing },
    links: { list: nothing },
    uses: { of: () => undefined },
    mqtt: { clients: nothing, lastPayloads: nothing },
    clock: { now: () => new Date() },
    actuators: { list: nothing },
    nowMs: Date.now,
  });
  const tests = new ConnectionTests({
    connections,
    documents,
    bus,
    sites: new SiteRuntimes(bus, sites),
    log: silentLog,
  });
  await tests.start();
  for (const { id } of sites) tests.run(id, "mqtt");
  bus.emit("site.removed", { siteId: "hut" });
  await vi.advanceTimersByTimeAsync(TEST_MS);
  expect(tests.of("home", "mqtt")).toMatchObject({ outcome: "none" });
  expect(tests.of("hut", "mqtt")).toBeUndefined();
  expect(Object.keys((await documents.get("portal.connection_tests")) as object)).toEqual(["home mqtt"]);
  tests.stop();
});
