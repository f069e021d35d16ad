import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Accounts } from "../../../src/accounts/accounts.js";
import { AuditLog } from "../../../src/accounts/audit-log.js";
import { createAccountServices } from "../../../src/accounts/create.js";
import { SiteRegistry } from "../../../src/accounts/site-registry.js";
import { servers } from "../../../src/app/servers.js";
import { load } from "../../../src/config/load.js";
import { createBus } from "../../../src/core/bus.js";
import { silentLog } from "../../../src/core/log.js";
import { realClock } from "../../../src/core/time/clock.js";
import { AdminServer } from "../../../src/ops/admin/server.js";
import { administrate } from "../../../src/ops/commands/administration.js";
import { main } from "../../../src/ops/commands/main.js";
import { openStore } from "../../../src/store/store.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-cli-admin-"));
afterAll(() => rmSync(folder, { recursive: true }));
const data = join(folder, "data");
const config = join(folder, "hourgate.yaml");
writeFileSync(
  config,
  `data_dir: ${data}\nhttp: { base_url: "http://gateway.example" }\nmarket: { sources: [] }\n`,
);

async function run(typed: readonly string[], input = "") {
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(
    [...typed, "--config", config],
    {
      environment: {},
      out: (line) => out.push(line),
      error: (line) => error.push(line),
      input: async () => input,
    },
    servers,
  );
  return { code, out: out.join("\n"), error: error.join("\n") };
}

const json = async (...typed: string[]) => JSON.parse((await run([...typed, "--json"])).out);

describe("without a gateway", () => {
  let account: { id: string; site_id: string; key: string; password: string };
  beforeAll(async () => {
    account = await json("account", "create", "A@example.org", "--confirmed");
  });

  const open = async <Result>(work: (accounts: Accounts) => Result | Promise<Result>) => {
    const store = await openStore(data, silentLog);
    const { plants } = load(config, {}).settings;
    const options = { state: store.state, clock: realClock(), log: silentLog };
    const sites = new SiteRegistry({ ...options, bus: createBus(), plants, telemetry: [] });
    const result = await work(new Accounts({ ...options, sites }));
    await store.close();
    return result;
  };

  it("approves, lists and revokes MQTT topics of a site", async () => {
    const site = account.site_id;
    expect(await json("mqtt", "approve", "meters/#", "--site", site)).toMatchObject({
      site_id: site,
      filter: "meters/#",
      access: "publish",
    });
    await json("mqtt", "approve", "shared/+", "--site", site, "--read-only");
    const { approvals } = await json("mqtt", "list", "--site", site);
    expect(approvals.map(({ filter, access }: Record<string, string>) => [filter, access])).toEqual([
      ["meters/#", "publish"],
      ["shared/+", "read"],
    ]);
    expect((await run(["mqtt", "revoke", "meters/#", "--site", site])).code).toBe(0);
    expect((await json("mqtt", "list")).approvals).toHaveLength(1);
    const again = await run(["mqtt", "revoke", "meters/#", "--site", site]);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("is not approved")]);
    const invalid = await run(["mqtt", "approve", "a#b", "--site", site]);
    expect([invalid.code, invalid.error]).toEqual([1, expect.stringContaining("must be an MQTT topic")]);
  });

  it("creates an account whose key and printed password work", async () => {
    expect(account).toMatchObject({ email: "a@example.org", plan: "community", confirmed: true });
    await open(async (accounts) => {
      expect(accounts.access(account.key)).toMatchObject({
        site: { id: account.site_id },
        tier: "community",
      });
      expect(await accounts.signIn("a@example.org", account.password)).toBeDefined();
    });
    const again = await run(["account", "create", "a@example.org"]);
    expect(again).toEqual({ code: 1, out: "", error: "There is already an account for a@example.org." });
  });

  it("sends the mail of an unconfirmed account, with the password from standard input", async () => {
    const made = await run(["account", "create", "b@example.org", "--password-stdin"], "long enough\n");
    expect(made).toMatchObject({ code: 0, error: "" });
    expect(made.out).toContain("A mail with a link to set the password was sent to b@example.org");
    expect(made.out).toContain(`the mail is in ${join(data, "outbox")}.`);
    expect(made.out).not.toContain("long enough");
    const [mail] = readdirSync(join(data, "outbox"));
    expect(readFileSync(join(data, "outbox", mail!), "utf8")).toMatch(
      /^http:\/\/gateway\.example\/confirm\?token=[\w-]{43}$/m,
    );
    expect(await json("account", "list")).toMatchObject({ accounts: [{ email: "a@example.org" }] });
  });

  it("sets plans, creates and revokes keys and links", async () => {
    const until = await run(["plan", "set", "a@example.org", "oem", "--until", "2099-01-01"]);
    expect(until.out).toBe("a@example.org now has the plan oem, until 2099-01-01T00:00:00+01:00.");
    expect((await run(["account", "list"])).out.split("\n")[1]).toBe(
      `a@example.org  oem   2099-01-01T00:00:00+01:00  ${account.site_id}`,
    );
    const { key, prefix } = await json("key", "create", "--site", account.site_id, "--label", "EMS");
    const keys = (await run(["key", "list", "--site", account.site_id])).out;
    expect(keys).toMatch(new RegExp(`^${prefix} .* EMS$`, "m"));
    expect(keys).not.toContain(key);
    const valid = () => open((accounts) => [account.key, key].map((one) => accounts.access(one).tokenValid));
    expect(await valid()).toEqual([true, true]);
    expect((await run(["key", "revoke", prefix])).code).toBe(0);
    expect(await valid()).toEqual([true, false]);
    const { id, url } = await json("link", "create", "--site", "home", "--scope", "telemetry");
    expect(url).toMatch(/^http:\/\/gateway\.example\/c\/[\w-]{32}\/line$/);
    expect((await run(["link", "revoke", id])).code).toBe(0);
    expect((await run(["link", "revoke", id])).error).toBe(`There is no active link "${id}".`);
    const { links } = await json("link", "list", "--site", "home");
    expect(links).toMatchObject([{ id, scope: "telemetry", revoked_at: expect.any(String) }]);
  });

  it("registers a webhook and reports that its test was not delivered", async () => {
    const made = await run(["webhook", "set", "--site", "home", "https://hourgate.invalid/hook"]);
    expect(made.out).toMatch(
      /^Events of home go to https:\/\/hourgate\.invalid\/hook\.\nSigning secret: \S{20,}$/,
    );
    const tested = await run(["webhook", "test", "--site", "home"]);
    expect(tested.code).toBe(1);
    expect(tested.out).toMatch(/^The test event of home was not delivered: .*hourgate\.invalid/);
    const local = await run(["webhook", "set", "--site", "home", "https://127.0.0.1/"]);
    expect(local).toMatchObject({ code: 1, out: "" });
  });

  it.each([
    [["account", "create"], 2, "EMAIL must be given: hourgate account create EMAIL."],
    [["account", "create", "x@y.z", "--password-stdin"], 2, "Standard input contains no password."],
    [["account", "create", "x@y.z", "--language", "fr"], 2, '--language must be de or en, not "fr".'],
    [
      ["account", "create", "nobody"],
      1,
      "This is not an e-mail address; enter one such as name@example.org.",
    ],
    [["plan", "set", "a@example.org"], 2, "PLAN must be given: hourgate plan set EMAIL PLAN."],
    [
      ["plan", "set", "a@example.org", "gold"],
      2,
      '"gold" is not a plan; use one of community, professional, oem.',
    ],
    [
      ["plan", "set", "a@example.org", "oem", "--until", "2001-01-01"],
      1,
      "The end of the paid period must be in the future.",
    ],
    [["key", "create"], 2, "--site must be given."],
    [["key", "revoke", "hg_live_none"], 1, 'No active key starts with "hg_live_none".'],
    [["link", "create", "--site", "home"], 2, "--scope must be given."],
    [
      ["link", "create", "--site", "home", "--scope", "all"],
      2,
      '--scope must be read, telemetry or optimizer, not "all".',
    ],
  ])("%j: a sentence and exit code %i", async (typed, code, error) => {
    expect(await run(typed)).toEqual({ code, out: "", error });
  });
});

describe("with a running process that holds the data folder", () => {
  it("uses the socket, and reports when the process does not answer", async () => {
    const store = await openStore(data, silentLog);
    const { settings } = load(config, {});
    const silent = administrate(
      settings,
      { command: "account list", arguments: {} },
      { environment: {}, out() {}, error() {} },
      0,
    );
    await expect(silent).rejects.toThrow(
      `Another process has locked ${data} but does not answer on its socket`,
    );

    const options = {
      state: store.state,
      clock: realClock(),
      log: silentLog,
      baseUrl: () => "http://live.example",
    };
    const sites = new SiteRegistry({ ...options, bus: createBus(), plants: settings.plants, telemetry: [] });
    const services = createAccountServices({
      ...options,
      bus: createBus(),
      accounts: new Accounts({ ...options, sites }),
      audit: new AuditLog({ folder: data, log: silentLog }),
      sites,
      mails: { send: async () => {} },
    });
    const webhooks = { set: async () => ({ secret: "whsec_x" }), test: () => new Promise<never>(() => {}) };
    const unused = undefined as never;
    const server = new AdminServer({
      folder: data,
      services: {
        ...services,
        ...options,
        webhooks,
        bills: unused,
        ledger: unused,
        samples: unused,
        meter: unused,
      },
      log: silentLog,
    });
    await server.start();
    const { url } = await json("link", "create", "--site", "home", "--scope", "read");
    expect(url).toMatch(/^http:\/\/live\.example\/c\//);
    // What it did is in the memory of the one that holds the folder.
    expect(services.links.find(url.split("/")[4])).toMatchObject({ siteId: "home", scope: "read" });
    await server.stop();
    await store.close();
  });
});
