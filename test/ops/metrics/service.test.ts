import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOperations } from "../../../src/api/catalogue.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { MINUTE_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { createHttpServer } from "../../../src/edges/http/server.js";
import { metricsRoute } from "../../../src/ops/metrics/create.js";
import { createInstruments } from "../../../src/ops/metrics/instruments.js";
import { Metrics } from "../../../src/ops/metrics/service.js";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { detailOf } from "../../support/components.js";
import { listening } from "../../support/listening.js";

/** Metrics over fake services at 09:20 in Vienna, with prices for two local days. */
async function metricsOf() {
  const services = fakeServices();
  const deliveries: { error: { code: string } | null }[] = [{ error: null }];
  const metrics = new Metrics({
    version: "9.9.9",
    clock: services.clock,
    bus: services.bus,
    components: services.components,
    sites: new SiteRuntimes(
      services.bus,
      ["home", "cabin"].map((id) => services.accounts.site(id)!),
    ),
    forecast: services.forecast,
    prices: services.prices,
    plans: services.plans,
    telemetry: {
      live: (site) => services.telemetry.live(site),
      leftOut: (site) => ({ count: site === "home" ? 2 : 0, last: [] }),
    },
    savings: { now: () => ({ todayEur: 0.42, monthEur: null }) },
    actuators: { list: () => [] },
    devices: { list: () => [] },
    webhooks: { deliveries: () => [...deliveries] },
    usage: {
      mqtt: () => [{ resource: "sessions", used: 3, limit: 400, refused: 1 }],
      http: () => [{ resource: "upgrades", used: 2, limit: 100, refused: 0 }],
    },
    dataFolder: tmpdir(),
    areas: ["/c", "/node-red"],
  });
  await metrics.start();
  onTestFinished(() => metrics.stop());
  return { services, metrics, deliveries, text: () => metrics.text() };
}

/** The value of one line, such as `hourgate_ready` or `hourgate_soc_age_seconds{site="home"}`. */
function value(text: string, series: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe("metrics", () => {
  it("reports the current states", async () => {
    const { services, text } = await metricsOf();
    services.components.report("store", "ok", detailOf("fine"));
    services.components.report("broker", "down", detailOf("gone"), { vital: true });
    await services.clock.advance(40 * MINUTE_MS);
    const output = await text();
    expect(value(output, 'hourgate_info{version="9.9.9",node="'.concat(process.versions.node, '"}'))).toBe(1);
    expect(value(output, "hourgate_ready")).toBe(1);
    expect(value(output, 'hourgate_component_state{component="store"}')).toBe(0);
    expect(value(output, 'hourgate_component_state{component="broker"}')).toBe(2);
    // Forecast at 09:20, scrape at 10:00; prices published from 10:00 today until the end of tomorrow.
    expect(value(output, "hourgate_forecast_age_seconds")).toBe(40 * 60);
    expect(value(output, "hourgate_price_horizon_hours")).toBe(38);
    expect(value(output, 'hourgate_savings_eur{site="home",period="today"}')).toBe(0.42);
    expect(value(output, 'hourgate_savings_eur{site="home",period="month"}')).toBeUndefined();
    expect(value(output, "hourgate_data_free_bytes")).toBeGreaterThan(0);
    expect(value(output, 'hourgate_mqtt_used{resource="sessions"}')).toBe(3);
    expect(value(output, 'hourgate_mqtt_limit{resource="sessions"}')).toBe(400);
    expect(value(output, 'hourgate_http_limit{resource="upgrades"}')).toBe(100);
    expect(value(output, 'hourgate_mqtt_refused{resource="sessions"}')).toBe(1);
    expect(value(output, 'hourgate_soc_age_seconds{site="home"}')).toBeUndefined();
    expect(output).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
    expect(output).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it("counts events of the bus, and a plan only once when its countdown advances", async () => {
    const { services, text } = await metricsOf();
    await services.telemetry.ingest("home", [{ at: services.clock.now(), values: { soc_pct: 50 } }]);
    services.bus.emit("telemetry.stored", {
      siteId: "home",
      samples: [
        { at: services.clock.now(), values: { soc_pct: 50 } },
        { at: services.clock.now(), values: { soc_pct: 51 } },
      ],
    });
    await services.clock.advance(5 * MINUTE_MS);
    const plan = services.plans.decide("home", {});
    const first = { ...plan, material: true, solver: { objectiveEur: 1, boundEur: 1, ms: 3 } };
    services.bus.emit("plan.updated", first);
    services.bus.emit("plan.updated", { ...first, material: false });
    services.bus.emit("plan.updated", { ...first, material: false, solver: { ...first.solver, ms: 30 } });
    services.bus.emit("forecast.updated", services.forecast.current()!);
    const output = await text();
    expect(value(output, 'hourgate_telemetry_samples_total{site="home"}')).toBe(2);
    expect(value(output, 'hourgate_telemetry_left_out_readings{site="home"}')).toBe(2);
    expect(value(output, 'hourgate_soc_age_seconds{site="home"}')).toBe(5 * 60);
    expect(value(output, 'hourgate_plans_total{site="home",material="true"}')).toBe(1);
    expect(value(output, 'hourgate_plans_total{site="home",material="false"}')).toBe(1);
    expect(value(output, "hourgate_plan_solve_seconds_count")).toBe(2);
    expect(value(output, "hourgate_plan_solve_seconds_sum")).toBeCloseTo(0.033, 12);
    expect(value(output, 'hourgate_plan_solve_seconds_bucket{le="0.005"}')).toBe(1);
    expect(value(output, 'hourgate_forecast_runs_total{trigger="scheduled"}')).toBe(1);
  });

  it("counts each delivery once, and none from before the start", async () => {
    const { deliveries, text } = await metricsOf();
    const count = async (outcome: string) =>
      value(await text(), `hourgate_webhook_deliveries_total{site="home",outcome="${outcome}"}`);
    expect(await count("delivered")).toBeUndefined();
    deliveries.unshift({ error: null }, { error: { code: "timeout" } }, { error: null });
    expect(await count("delivered")).toBe(2);
    deliveries.unshift({ error: { code: "timeout" } });
    expect(await count("timeout")).toBe(2);
    expect(await count("delivered")).toBe(2);
  });

  it("removes the metrics of a removed site", async () => {
    const { services, deliveries, text } = await metricsOf();
    services.bus.emit("telemetry.stored", { siteId: "cabin", samples: [{ at: new Date(), values: {} }] });
    deliveries.unshift({ error: null });
    expect(await text()).toContain('site="cabin"');
    services.bus.emit("site.removed", { siteId: "cabin" });
    expect(await text()).not.toContain('site="cabin"');
  });

  it("serves every metric that docs/operations.md names", async () => {
    const manual = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
    const metrics = manual.slice(manual.indexOf("## Metrics"), manual.indexOf("## Logs"));
    const named = new Set(metrics.match(/\bhourgate_\w+[a-z]/g));
    const served = (await createInstruments().registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(named.size).toBeGreaterThan(4);
    expect(served).toEqual(expect.arrayContaining([...named]));
  });
});

describe("GET /metrics", () => {
  async function serve() {
    const { services, metrics } = await metricsOf();
    const server = createHttpServer({
      operations: createOperations(services),
      services,
      settings: { host: "127.0.0.1", port: 0 },
      ...listening(),
      log: silentLog,
      onAnswered: (request) => metrics.observe(request),
    });
    server.routes.use("/c", (_req, res) => void res.end("line"));
    server.routes.all("/metrics", metricsRoute(metrics));
    const { port } = await server.start();
    onTestFinished(() => server.stop());
    return `http://127.0.0.1:${port}`;
  }

  it("counts requests by route and status class, without paths, keys or tokens", async () => {
    const url = await serve();
    const ask = async (path: string, init: RequestInit = {}) =>
      (await fetch(url + path, { ...init, headers: { "X-API-Key": KEYS.owner } })).arrayBuffer();
    await ask("/v1/forecast");
    await ask("/v1/forecast?timezone=x");
    await ask("/v1/forecast", { method: "DELETE" });
    await ask("/c/s3cret-t0ken/line");
    await ask("/wp-login.php");
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    const requests = (labels: string) => value(text, `hourgate_http_requests_total{${labels}}`);
    expect(requests('method="GET",route="/v1/forecast",status="2xx"')).toBe(1);
    expect(requests('method="GET",route="/v1/forecast",status="4xx"')).toBe(1);
    expect(requests('method="DELETE",route="/v1/forecast",status="4xx"')).toBe(1);
    expect(requests('method="GET",route="/c",status="2xx"')).toBe(1);
    expect(requests('method="GET",route="other",status="4xx"')).toBe(1);
    expect(value(text, 'hourgate_http_request_duration_seconds_count{route="/v1/forecast"}')).toBe(3);
    for (const secret of ["s3cret-t0ken", "wp-login", KEYS.owner, "@"]) expect(text).not.toContain(secret);
  });

  it("accepts GET and HEAD only", async () => {
    const url = await serve();
    const head = await fetch(`${url}/metrics`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1000);
    const post = await fetch(`${url}/metrics`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
