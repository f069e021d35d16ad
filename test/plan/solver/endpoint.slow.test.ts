import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLog } from "../../../src/core/log.js";
import { OptimizerService } from "../../../src/plan/solver/service.js";
import { type Controlled, startControlled } from "../../edges/controllers/harness.js";
import { eventually } from "../../support/eventually.js";
import { battery, requestOf } from "./examples.js";

const SPONSOR_TOKEN = "eyJhbGciOiJIUzI1NiJ9.sponsor.signature";

const REQUEST = requestOf({
  gt: [0, 500],
  p_N: [0.0001, 0.0009],
  eta_c: 1,
  eta_d: 1,
  strategy: {},
  grid: {},
  batteries: [battery({ s_capacity: 1000, s_max: 1000, s_initial: 100, c_max: 1000, d_max: 1000 })],
});

/** Child processes of this one that run the solver. */
function solvers(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isChild = readFileSync(`/proc/${pid}/status`, "utf8").includes(`\nPPid:\t${process.pid}\n`);
      return isChild && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("solver-worker");
    } catch {
      return false;
    }
  });
}

describe("the endpoint", () => {
  let controlled: Controlled;
  let logged = "";
  beforeAll(async () => {
    controlled = await startControlled(
      createLog(
        { level: "trace" },
        {
          write: (line) => {
            logged += line;
          },
        },
      ),
    );
  });
  afterAll(() => controlled.stop());

  const ask = async (path: string, init: RequestInit = {}, token = controlled.tokens.optimizer) => {
    const response = await fetch(`${controlled.url}/c/${token}/evcc/optimize/${path}`, {
      headers: { Authorization: `Bearer ${SPONSOR_TOKEN}`, "Content-Type": "application/json" },
      ...init,
    });
    expect(response.headers.get("content-type")).toContain("application/json");
    return { status: response.status, document: await response.json() };
  };
  const post = (body: unknown, path = "charge-schedule") =>
    ask(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

  it("is healthy, and starts no solver before the first request", async () => {
    expect(await ask("health")).toEqual({
      status: 200,
      document: { status: "healthy", message: "The optimizer is ready." },
    });
    expect(solvers()).toEqual([]);
  });

  it.each(["charge-schedule", "charge-schedule/"])("answers a request to %s", async (path) => {
    const { status, document } = await post({ ...REQUEST, M: 1e6 }, path);
    expect(status).toBe(200);
    expect(document).toEqual({
      status: "Optimal",
      objective_value: -0.04,
      limit_violations: { grid_import_limit_exceeded: false, grid_export_limit_hit: false },
      batteries: [{ charging_power: [400, 0], discharging_power: [0, 500], state_of_charge: [500, 0] }],
      grid_import: [400, 0],
      grid_export: [0, 0],
      flow_direction: [0, 0],
      grid_import_overshoot: [],
      grid_export_overshoot: [],
    });
  });

  it("names the fields of a request that it cannot read", async () => {
    const { s_max: _, ...incomplete } = REQUEST.batteries[0]!;
    expect(await post({ ...REQUEST, batteries: [incomplete], eta_c: "high" })).toEqual({
      status: 400,
      document: {
        message: "Input payload validation failed",
        details: {
          "batteries.0.s_max": "This field is required.",
          eta_c: "Value must be number,null.",
        },
      },
    });
  });

  it.each([
    ["a series of another length", { ...REQUEST, time_series: { ...REQUEST.time_series, gt: [1] } }, 400],
    ["an unknown strategy", { ...REQUEST, strategy: { charging_strategy: "fast" } }, 400],
    ["no steps", requestOf({ gt: [], p_N: [], batteries: [] }), 400],
    ["2001 steps", requestOf({ gt: new Array(2001).fill(0), p_N: 0, batteries: [] }), 400],
    ["a number beyond all limits", JSON.stringify(REQUEST).replace("0.0009", "1e999"), 400],
    ["a text", "charge", 400],
    ["no body", "", 400],
    ["a body of 5 MB", " ".repeat(5e6), 413],
  ])("refuses %s", async (_name, body, status) => {
    const answer = await post(body);
    expect(answer).toEqual({
      status,
      document: { message: expect.stringMatching(/\S/), details: expect.anything() },
    });
  });

  it("parses no request in the gateway's own process", async () => {
    const parse = vi.spyOn(JSON, "parse");
    expect((await post({ ...REQUEST, batteries: new Array(300_000).fill({}) })).status).toBe(400);
    const lengths = parse.mock.calls.map(([text]) => String(text).length);
    expect(Math.max(0, ...lengths)).toBeLessThan(10_000);
  });

  it("refuses other links, methods and pages in JSON", async () => {
    const post = { method: "POST", body: "{}" };
    expect((await ask("charge-schedule", post, controlled.tokens.telemetry)).status).toBe(403);
    expect((await ask("charge-schedule", post, controlled.tokens.revoked)).status).toBe(404);
    expect((await ask("charge-schedule")).status).toBe(405);
    expect((await ask("other")).status).toBe(404);
  });

  it("does not log the sponsor token", () => {
    expect(logged).toContain("/c/<token>/evcc/optimize/charge-schedule");
    expect(logged).not.toContain("sponsor");
    expect(logged).not.toContain(controlled.tokens.optimizer);
  });
});

describe("the solver process", () => {
  const ask = (service: OptimizerService, owner: string) =>
    service.optimise(Buffer.from(JSON.stringify(REQUEST)), { owner, signal: new AbortController().signal });

  it("answers in turn, refuses more than it can hold, and ends when it is idle", async () => {
    const before = solvers();
    const service = new OptimizerService({ idleSeconds: 0.05 });
    const answers = ["a", "b", "c", "d", "e"].map((client) => ask(service, client));
    await expect(ask(service, "f")).rejects.toMatchObject({ fault: "busy" });
    for (const reply of await Promise.all(answers))
      expect(reply).toEqual({ answer: expect.stringContaining('"status":"Optimal"') });
    const [running, waiting] = [ask(service, "a"), ask(service, "a")];
    await expect(ask(service, "a")).rejects.toMatchObject({ fault: "busy" });
    await Promise.all([running, waiting, ask(service, "b")]);
    await eventually(() => expect(solvers()).toEqual(before));
    await service.stop();
  });

  it("is killed when it hangs, and the next request gets a new one", async () => {
    const service = new OptimizerService({ limitSeconds: 0.001, graceSeconds: 0 });
    await expect(ask(service, "a")).rejects.toThrow("The solver did not answer in time.");
    await service.stop();
  });
});
