import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brokerOf } from "../../src/portal/connect/options.js";
import { type OpenPortal, openPortal } from "./harness.js";

describe("the pages below /connect", () => {
  let portal: OpenPortal;

  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("owner@example.org", { administrator: true });
  });
  afterAll(() => portal.close());

  it("show a new link once, revoke it, and leave those of others alone", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/connect");
    // The form of versions before 0.2 does the same.
    for (const path of ["/connect/links", "/settings/ems/links"]) {
      const made = await owner.post(path, { scope: "telemetry", label: "Loxone" });
      expect(made.location).toBe("/connect#links");
      const { text } = await owner.get("/connect");
      const [, token = ""] = /\/c\/([\w-]{32})\/line/.exec(text) ?? [];
      expect(portal.links.find(token)).toMatchObject({ siteId: "home", scope: "telemetry" });
      expect((await owner.get("/connect")).text).not.toContain(token);
      const { id } = portal.links.find(token)!;
      await portal.addAccount(`${id}@example.org`);
      const other = await portal.signedIn(`${id}@example.org`);
      await other.get("/connect");
      expect((await other.post(`${path}/revoke`, { id })).status).toBe(404);
      // A second click on an old page must not end in an error.
      for (const _ of [1, 2])
        expect((await owner.post(`${path}/revoke`, { id })).location).toBe("/connect#links");
      expect(portal.links.find(token)).toBeUndefined();
      // A GET changes nothing: it leads to the page.
      expect((await owner.get(path)).location).toBe("/connect");
    }
  });

  it("refuse a link that cannot be made beside its field, with what was typed", async () => {
    const owner = await portal.signedIn("owner@example.org", { "accept-language": "de" });
    await owner.get("/connect");
    expect((await owner.post("/connect/links", { scope: "all" })).status).toBe(422);
    const label = "x".repeat(81);
    const refused = await owner.post("/connect/links", { scope: "read", label });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Bitte eine Zeile mit höchstens 80 Zeichen eingeben.");
    expect(refused.text).toContain(label);
    const longest = await owner.post("/connect/links", { scope: "read", label: "x".repeat(80) });
    expect(longest.location).toBe("/connect#links");
  });

  it("enter evcc's topics in the topic map, each once, and this can be undone", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/connect/evcc");
    for (const notice of ["Undo", "already"]) {
      const used = await owner.post("/connect/topics", { kind: "evcc" });
      expect(used.location).toBe("/connect/evcc");
      expect((await owner.get(used.location!)).text).toContain(notice);
    }
    const topics = portal.sites.telemetryMap("home").map(({ topic }) => topic);
    expect(topics).toContain("evcc/loadpoints/+/connected");
    expect(new Set(topics).size).toBe(topics.length);
    expect((await owner.post("/connect/topics", { kind: "loxone" })).status).toBe(404);
  });

  it("show evcc's link and key in all texts until both are copied", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/connect/evcc");
    await owner.post("/connect/links", { kind: "evcc" });
    const [, link = ""] =
      /uri: &quot;(http[^&]*\/c\/[\w-]{32})\/evcc\/grid/.exec((await owner.get("/connect/evcc")).text) ?? [];
    expect(link).not.toBe("");
    await owner.post("/connect/keys", { kind: "evcc", shown_link: `${link}/line` });
    const { text } = await owner.get("/connect/evcc");
    expect(text).toContain(`${link}/evcc/solar`);
    expect(text).toMatch(/password: hg_live_[\w-]{43}/);
    // Nothing else is shown as a credential.
    await owner.post("/connect/keys", { kind: "evcc", shown_link: "javascript:alert(1)" });
    expect((await owner.get("/connect/evcc")).text).toContain("/c/TOKEN/evcc/grid");
  });

  it("give Loxone files, each HTTP one with a link of its own", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/connect");
    const before = portal.links.list("home").length;
    const file = await owner.post("/settings/ems/loxone", { kind: "http-output" });
    expect(portal.links.find(/\/c\/([\w-]{32})/.exec(file.text)![1]!)).toMatchObject({ scope: "telemetry" });
    const topics = (await owner.post("/connect/loxone", { kind: "mqtt" })).text;
    expect(topics).toContain("hourgate/home/");
    expect(topics).not.toContain("/c/");
    expect(portal.links.list("home")).toHaveLength(before + 1);
    expect((await owner.post("/connect/loxone", { kind: "other" })).status).toBe(404);
  });

  it("say in a sentence that a site has as many links as it may have", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/connect");
    while (portal.links.list("home").filter(({ revokedAt }) => revokedAt === undefined).length < 50)
      await portal.links.create("home", { scope: "read" });
    const file = await owner.post("/settings/ems/loxone", { kind: "http-output" });
    expect([file.status, file.text]).toEqual([422, expect.stringContaining("There are already 50 of them.")]);
    const link = await owner.post("/connect/links", { scope: "read", label: "one more" });
    expect([link.status, link.text]).toEqual([422, expect.stringContaining("A site has at most 50 links")]);
  });
});

it("names a broker on the gateway's own machine by the host under which others reach it", () => {
  const address = "http://192.168.1.10:8080";
  expect(brokerOf(address, { url: "mqtt://localhost:1884", port: null })).toEqual({
    host: "192.168.1.10",
    port: 1884,
  });
  expect(brokerOf(address, { url: "mqtt://broker", port: null }).host).toBe("broker");
});
