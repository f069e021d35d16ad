import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const FILTER = "meters/4711/power";
const FORM = "/admin/approvals";
const WAITING = 'name="access" value="read"';

let portal: OpenPortal;
let admin: Browser;
let anna: Browser;
let site: string;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("admin@example.org", { administrator: true });
  await portal.addAccount("anna@example.org");
  site = portal.sites.of("account-anna@example.org")[0]!.id;
  await portal.sites.change(site, { telemetry: [{ topic: FILTER, field: "load_power_kw" }] });
  admin = await portal.signedIn("admin@example.org");
  anna = await portal.signedIn("anna@example.org");
});
afterAll(() => portal.close());

const approved = () => portal.approvals.list().map(({ siteId, filter, access }) => [siteId, filter, access]);

describe("MQTT approvals in /admin", () => {
  it("are for administrators, with the token of the page", async () => {
    const fields = { approval_site: site, filter: FILTER, access: "publish" };
    await anna.get("/settings/plan");
    expect((await anna.post(FORM, fields)).status).toBe(403);
    await admin.get("/admin");
    expect((await admin.post(FORM, { ...fields, _csrf: undefined })).status).toBe(403);
    expect(approved()).toEqual([]);
    await portal.approvals.approve(site, "kept", { access: "read" });
    const revoked = { approval_site: site, filter: "kept" };
    expect((await anna.post(`${FORM}/revoke`, revoked)).status).toBe(403);
    expect((await admin.post(`${FORM}/revoke`, { ...revoked, _csrf: undefined })).status).toBe(403);
    expect(approved()).toEqual([[site, "kept", "read"]]);
    await portal.approvals.revoke(site, "kept");
    expect((await admin.get(FORM)).location).toBe("/admin");
  });

  it("shows what waits, approves and revokes it, and the owner of the site sees it", async () => {
    expect((await anna.get("/settings/ems/telemetry")).text).toContain(
      "waiting for the administrator's approval",
    );
    const before = await admin.get("/admin");
    expect(before.text).toContain(WAITING);
    expect(before.text).toContain("No topics are approved.");

    const fields = { approval_site: site, filter: FILTER, access: "read" };
    expect((await admin.post(FORM, fields)).location).toBe("/admin#approvals");
    expect(approved()).toEqual([[site, FILTER, "read"]]);
    const after = await admin.get("/admin");
    expect(after.text).toContain("The topic is approved.");
    expect(after.text).not.toContain(WAITING);
    expect(after.text).toContain(`<code>${FILTER}</code></td><td data-label="Access">read only</td>`);
    expect((await anna.get("/settings/ems/telemetry")).text).not.toContain("waiting for");

    await admin.post(FORM, { ...fields, access: "publish" });
    expect((await admin.get("/admin")).text).toContain(
      `<code>${FILTER}</code></td><td data-label="Access">read and publish</td>`,
    );
    for (const _ of ["first click", "second click"])
      expect((await admin.post(`${FORM}/revoke`, fields)).location).toBe("/admin#approvals");
    expect(approved()).toEqual([]);
    const events = await portal.audit.latest(9, ({ event }) => event.startsWith("mqtt."));
    expect(events.map(({ event, account, site: of }) => [event, account, of])).toEqual(
      ["mqtt.revoked", "mqtt.approved", "mqtt.approved"].map((event) => [event, "admin@example.org", site]),
    );
  });

  it.each([
    [{ filter: "a/#/b" }, "field-filter-error"],
    [{ filter: "" }, "field-filter-error"],
    [{ filter: "$SYS/#" }, "field-filter-error"],
    [{ approval_site: "nowhere" }, "field-approval_site-error"],
    [{ access: "all" }, "field-access-error"],
  ])("refuses %j beside its field", async (wrong, error) => {
    await admin.get("/admin");
    const fields = { approval_site: site, filter: "<b>a", access: "publish", ...wrong };
    const refused = await admin.post(FORM, fields);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(`id="${error}"`);
    expect(refused.text).not.toContain("<b>a");
    expect(approved()).toEqual([]);
  });

  it("are in German too", async () => {
    const german = { "accept-language": "de" };
    const page = await (await portal.signedIn("admin@example.org", german)).get("/admin");
    for (const text of ["MQTT-Freigaben", "Warten auf Freigabe", "Freigeben (nur lesen)"])
      expect(page.text).toContain(text);
    const ems = await (await portal.signedIn("anna@example.org", german)).get("/settings/ems/telemetry");
    expect(ems.text).toContain("wartet auf die Freigabe durch den Administrator");
  });
});
