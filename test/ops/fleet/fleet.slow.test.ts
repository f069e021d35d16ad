import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { askGateway } from "../../../src/ops/admin/client.js";
import { type MovePhase, withMoves } from "../../../src/store/postgres/moves.js";
import { redisIsThere } from "../../accounts/quotas-redis-server.js";
import { hasMosquitto } from "../../edges/mqtt/mosquitto.js";
import { hasPostgres } from "../../store/postgres-server.js";
import { eventually } from "../../support/eventually.js";
import { TestFleet } from "./fleet.js";
import { HomeTraffic } from "./traffic.js";

/** Longer than a process waits for the processor where browsers run beside it. */
const LEASE_MS = 10_000;
/** What a machine that runs other tests beside this one may add. On a quiet one gaps are 1 to 4 s. */
const BUSY_MS = 20_000;
/** Often enough to meet each change, seldom enough for the processor. */
const PAUSE_MS = 500;
const canRun = [hasPostgres(), redisIsThere(), hasMosquitto()].every(Boolean);

describe.runIf(canRun)("a fleet of three workers for two shards", () => {
  let fleet: TestFleet;
  let homes: [HomeTraffic, HomeTraffic];

  beforeAll(async () => {
    fleet = await TestFleet.create({ workers: 3, shards: 2, leaseSeconds: LEASE_MS / 1000 });
    fleet.launch();
    // Both shards are created; only then a worker is asked.
    await eventually(() => fleet.keys());
    await eventually(() => Promise.all([fleet.holderOf(0), fleet.holderOf(1)]));
  });
  // A worker that has lost its lease ends; its supervisor starts it again.
  const startEnded = () => {
    for (const worker of fleet.workers) if (worker.exitCode !== undefined) worker.start();
  };
  beforeEach(startEnded);
  afterAll(() => fleet?.remove());

  /** Traffic of both homes during the work; then everything acknowledged is in the history. */
  async function withTraffic(work: () => Promise<void>): Promise<void> {
    homes = [0, 1].map(
      (shard) => new HomeTraffic(fleet, fleet.home(shard), { pauseMs: PAUSE_MS }),
    ) as typeof homes;
    for (const home of homes) home.start();
    try {
      await eventually(() => expect(homes.every(({ plans }) => plans > 0)).toBe(true));
      await work();
    } finally {
      await Promise.all(homes.map((home) => home.stop()));
    }
    for (const home of homes) {
      expect(home.acknowledged.soc_pct.size).toBeGreaterThan(0);
      expect(home.acknowledged.pv_power_kw.size).toBeGreaterThan(0);
      await eventually(async () => expect(await home.missing()).toEqual([]));
    }
  }

  /** A busy one answers late. */
  const holderOf = (shard: number) => eventually(() => fleet.holderOf(shard));
  /** Resolves when the home gets plans again. */
  const planAgain = async (home: HomeTraffic) => {
    const { plans } = home;
    await eventually(() => expect(home.plans).toBeGreaterThan(plans));
  };
  const longestGap = ({ gaps }: HomeTraffic) => Math.max(0, ...gaps);
  const component = async (shard: number, name: string) => {
    const answer = await fleet.call("/v1/status", fleet.keys()[shard]!);
    const { components } = (await answer.json()) as { components: { name: string; state: string }[] };
    return components.find((one) => one.name === name)?.state;
  };

  it("finds the shard of keys, controller links and portal addresses", async () => {
    const [first, second] = fleet.keys();
    for (const [shard, key] of [first!, second!].entries()) {
      const status = await fleet.call("/v1/status", key);
      expect(await status.json()).toMatchObject({
        access: { token_valid: true },
        mqtt: { prefix: `hourgate/${shard}` },
      });
      const link = { command: "link create", arguments: { site: "home", scope: "read" } };
      const { result } = (await askGateway((await holderOf(shard)).folder, link)) as {
        result: { url: string };
      };
      expect(result.url).toMatch(new RegExp(`^${fleet.router.url}/c/`));
      expect(await (await fetch(result.url)).text()).toMatch(/^HG;OK=/);
      const portal = await fetch(`${fleet.router.url}/shard/${shard}/login`);
      expect(await portal.text()).toContain(`action="/shard/${shard}/login"`);
      // As in the mails to account holders.
      const account = { email: `holder${shard}@example.org`, confirmed: true };
      const created = await askGateway((await holderOf(shard)).folder, {
        command: "account create",
        arguments: account,
      });
      expect(created).toMatchObject({ result: { portal_url: `${fleet.router.url}/shard/${shard}` } });
    }
    const anybody = await fetch(`${fleet.router.url}/v1/forecast`);
    expect(await anybody.json()).toMatchObject({ access: { tier: "basic" } });
    for (const path of ["/", "/login", "/metrics", "/shard/2/login", "/shard/0/metrics"])
      expect((await fetch(fleet.router.url + path)).status, path).toBe(404);
  });

  it("trusts neither the shard nor the address that a client claims", async () => {
    const claim = {
      "X-API-Key": fleet.keys()[0]!,
      "X-Hourgate-Shard": "1",
      "X-Forwarded-For": "203.0.113.9",
    };
    const answer = await fetch(`${fleet.router.url}/v1/status`, { headers: claim });
    expect(await answer.json()).toMatchObject({ access: { token_valid: true } });
    const misdirected = await fetch(`${(await holderOf(0)).url}/v1/status`, { headers: claim });
    expect(misdirected.status).toBe(421);
  });

  it("hands over to a waiting worker when one is killed, and loses nothing that was acknowledged", async () => {
    await withTraffic(async () => {
      const worker = await holderOf(0);
      await worker.end("SIGKILL");
      await planAgain(homes[0]);
      worker.start();
    });
    expect(longestGap(homes[0])).toBeGreaterThan(LEASE_MS / 3);
    expect(longestGap(homes[0])).toBeLessThan(LEASE_MS + BUSY_MS);
    expect(longestGap(homes[1])).toBeLessThan(BUSY_MS);
  });

  it("hands over at once when a worker is stopped", async () => {
    const worker = await holderOf(1);
    await withTraffic(async () => {
      await worker.end("SIGTERM");
      await planAgain(homes[1]);
    });
    expect(worker.exitCode).toBe(0);
    worker.start();
    expect(longestGap(homes[1])).toBeLessThan(BUSY_MS);
  });

  it("ends a worker that was paused and replaced, which acknowledges nothing any more", async () => {
    const paused = await holderOf(0);
    await withTraffic(async () => {
      paused.signal("SIGSTOP");
      const late = fetch(`${paused.url}/v1/plant/telemetry`, {
        method: "POST",
        headers: { "X-API-Key": fleet.keys()[0]!, "Content-Type": "application/json" },
        body: JSON.stringify({ soc_pct: 12 }),
      }).then(
        ({ status }) => status,
        () => 0,
      );
      await planAgain(homes[0]);
      paused.signal("SIGCONT");
      await eventually(() => expect(paused.exitCode).toBe(1));
      // The connection breaks, or the worker refuses what no router sent.
      expect([0, 421, 503]).toContain(await late);
      await planAgain(homes[0]);
    });
    // By its lease, or by a write that PostgreSQL refused.
    expect(paused.output).toMatch(/Another (worker has taken|process took) over/);
    paused.start();
  });

  it("serves on without Redis", async () => {
    await withTraffic(async () => {
      await fleet.redis.kill();
      await eventually(async () => expect(await component(0, "fleet")).toBe("degraded"));
      await planAgain(homes[0]);
      await fleet.redis.start();
      await eventually(async () => expect(await component(0, "fleet")).toBe("ok"));
    });
    for (const home of homes) expect(longestGap(home)).toBeLessThan(BUSY_MS);
  });

  it("moves an account while its devices send, although both workers are killed meanwhile", async ({
    task,
  }) => {
    const email = `mover-${task.result?.retryCount ?? 0}@example.org`;
    const password = "a password of the mover";
    const home = await fleet.newHome(0, email, password);
    const link = { command: "link create", arguments: { site: home.site, scope: "read" } };
    const { result } = (await askGateway((await holderOf(0)).folder, link)) as {
      result: { url: string };
    };
    const traffic = new HomeTraffic(fleet, home, { pauseMs: PAUSE_MS });
    traffic.start();
    onTestFinished(() => traffic.stop());
    const moves = () => withMoves(fleet.postgres.url, (one) => one.list());
    const killAt = async (phase: MovePhase, shard: number) => {
      const worker = await holderOf(shard);
      await eventually(async () => expect((await moves())[0]?.phase).toBe(phase));
      await worker.end("SIGKILL");
      worker.start();
    };
    await eventually(() => expect(traffic.plans).toBeGreaterThan(0));
    const kills = Promise.all([killAt("leaving", 0), killAt("arriving", 1)]);
    const moved = await fleet.run("fleet", "move", email, "--to", "1");
    expect(moved).toMatchObject({ code: 0 });
    await kills;
    home.shard = 1;
    await planAgain(traffic);
    // The devices notice nothing: keys, links, topics and the address of the portal lead there.
    expect(await (await fetch(result.url)).text()).toMatch(/^HG;OK=/);
    const status = (await (await fleet.call("/v1/status", home.key)).json()) as { mqtt: { prefix: string } };
    expect(status.mqtt.prefix).toBe("hourgate/0");
    // A device sends again and again, and a supervisor starts a worker that has lost its lease meanwhile.
    const topic = `${home.topics}/telemetry/grid_power_kw`;
    await eventually(async () => {
      startEnded();
      expect(await fleet.answerTo(topic, "1.5", `${home.topics}/ack`)).toEqual({ topic, ok: true });
    });
    expect(await signInAt(0, { email, password })).toBe(`${fleet.router.url}/shard/1/login`);
    expect(await signInAt(0, { email, password: `${password}?` })).toBeNull();
    expect(await signInAt(1, { email, password })).toMatch(/^\/shard\/1\//);
    await traffic.stop();
    expect(traffic.acknowledged.soc_pct.size).toBeGreaterThan(0);
    await eventually(async () => expect(await traffic.missing()).toEqual([]));
    expect(longestGap(traffic)).toBeLessThan(60_000);
    // Nothing is left in the first shard.
    await eventually(async () => expect(await moves()).toEqual([]));
    const client = new pg.Client(fleet.postgres.url);
    await client.connect();
    const left = await client.query(
      "SELECT key FROM hourgate.series WHERE shard = 0 AND position($1 in key) > 0",
      [home.site],
    );
    await client.end();
    expect(left.rows).toEqual([]);
  });

  /** Where a sign-in leads; null: it is refused. */
  async function signInAt(shard: number, account: { email: string; password: string }) {
    const url = `${fleet.router.url}/shard/${shard}/login`;
    const page = await fetch(url);
    const [, _csrf = ""] = /_csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
    const [cookie = ""] = page.headers.getSetCookie().map((one) => one.split(";", 1)[0]);
    const body = new URLSearchParams({ ...account, _csrf });
    const headers = { cookie, origin: fleet.router.url };
    const answer = await fetch(url, { method: "POST", redirect: "manual", headers, body });
    return answer.headers.get("location");
  }

  it("refuses telemetry while PostgreSQL restarts, and stores what the broker has kept", async () => {
    await withTraffic(async () => {
      await fleet.postgres.kill();
      const overMqtt = homes[1].acknowledged.pv_power_kw.size;
      await eventually(() => expect(homes[1].refused.get(503)).toBeGreaterThan(0));
      await eventually(() => expect(homes[1].acknowledged.pv_power_kw.size).toBeGreaterThan(overMqtt + 5));
      await planAgain(homes[1]);
      await fleet.postgres.start();
      for (const { acknowledged } of homes) {
        const { size } = acknowledged.soc_pct;
        await eventually(() => expect(acknowledged.soc_pct.size).toBeGreaterThan(size));
      }
    });
  });

  it("answers 503, and its routers report no served shard, when all workers are gone", async () => {
    await Promise.all(fleet.workers.map((worker) => worker.end("SIGKILL")));
    const answer = await fleet.call("/v1/status", fleet.keys()[0]!);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
    const health = async () => (await fetch(`${fleet.router.url}/health`)).json();
    await eventually(async () => expect(await health()).toEqual({ status: "ok", shards: 2, served: 0 }));
  });
});
