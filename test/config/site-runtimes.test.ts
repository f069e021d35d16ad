import { expect, test } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";

const siteOf = (id: string, name = "") => ({
  id,
  accountId: "owner",
  plant: { ...defaultSettings().plants[0]!, id, name },
});

/** A service that counts the parts it made and ended. */
function followed(...ids: string[]) {
  const bus = createBus();
  const sites = new SiteRuntimes(
    bus,
    ids.map((id) => siteOf(id)),
  );
  const ended: string[] = [];
  const parts = sites.parts({
    create: (runtime) => ({ runtime }),
    remove: ({ runtime }) => void ended.push(runtime.site.id),
  });
  return { bus, sites, parts, ended };
}

test("each site has one part until it is removed, and a later site of the same name gets another", () => {
  const { bus, sites, parts, ended } = followed("home");
  const first = parts.of("home");
  bus.emit("site.changed", siteOf("hut"));
  bus.emit("site.changed", siteOf("home", "renamed"));
  expect(parts.of("home")).toBe(first);
  expect(first.runtime.site.plant.name).toBe("renamed");
  expect(sites.list().map(({ id }) => id)).toEqual(["home", "hut"]);
  expect(parts.size).toBe(2);
  bus.emit("site.removed", { siteId: "home" });
  bus.emit("site.removed", { siteId: "home" });
  expect(ended).toEqual(["home"]);
  expect(parts.get("home")).toBeUndefined();
  expect(sites.get("home")).toBeUndefined();
  expect(() => parts.of("home")).toThrow(RangeError);
  bus.emit("site.changed", siteOf("home"));
  expect(parts.of("home")).not.toBe(first);
});

test("other subscribers find the parts of a new site, and none of a removed one", () => {
  const { bus, parts } = followed();
  const seen: boolean[] = [];
  const look = (siteId: string) => void seen.push(parts.get(siteId) !== undefined);
  bus.on("site.changed", ({ id }) => look(id));
  bus.on("site.removed", ({ siteId }) => look(siteId));
  bus.emit("site.changed", siteOf("hut"));
  bus.emit("site.removed", { siteId: "hut" });
  expect(seen).toEqual([true, false]);
});

test("a site that is removed while a service goes through its parts is left out", () => {
  const { bus, parts } = followed("a", "b", "c");
  const visited: string[] = [];
  for (const { runtime } of parts) {
    visited.push(runtime.site.id);
    bus.emit("site.removed", { siteId: "b" });
  }
  expect(visited).toEqual(["a", "c"]);
});
