import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { people } from "./people.js";

it("grants access to its site until it is revoked, also after a restart, and is not stored in plain text", async () => {
  const { links, folder } = await people();
  const { token, id } = await links.create("home", { scope: "telemetry", label: "Miniserver" });
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(await readFile(join(folder, "state.json"), "utf8")).not.toContain(token);
  const restarted = (await people(folder)).links;
  expect(restarted.find(token)).toEqual({ id, siteId: "home", scope: "telemetry" });
  expect(restarted.list("home")).toMatchObject([{ id, label: "Miniserver", prefix: token.slice(0, 6) }]);
  await expect(restarted.revoke(id, { siteId: "cabin" })).rejects.toMatchObject({ code: "unknown_link" });
  await restarted.revoke(id);
  expect(restarted.find(token)).toBeUndefined();
  await expect(restarted.revoke(id)).rejects.toMatchObject({ code: "unknown_link" });
});

it("finds only valid tokens, and is removed with its site", async () => {
  const { links, account, sites } = await people();
  const { siteId } = await account();
  const { token } = await links.create(siteId, { scope: "read" });
  for (const text of ["", "x", `${token}x`, token.slice(1), "__proto__", "A".repeat(1e6)]) {
    expect(links.find(text)).toBeUndefined();
  }
  expect(links.find(token)?.siteId).toBe(siteId);
  await sites.remove(siteId);
  expect(links.find(token)).toBeUndefined();
  await expect(links.create(siteId, { scope: "read" })).rejects.toMatchObject({ code: "unknown_site" });
  const noisy = links.create("home", { scope: "read", label: "two\nlines" });
  await expect(noisy).rejects.toMatchObject({ code: "invalid_label" });
});

it("makes at most 50 active links of a site, also when they are asked for at the same time", async () => {
  const { links } = await people();
  const made = await Promise.allSettled(
    Array.from({ length: 55 }, () => links.create("home", { scope: "read" })),
  );
  const refused = made.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(5);
  expect(refused).toMatchObject(Array.from({ length: 5 }, () => ({ reason: { code: "too_many_links" } })));
  const [first] = links.list("home");
  await links.revoke(first!.id);
  expect(await links.create("home", { scope: "read" })).toMatchObject({ token: expect.any(String) });
});
