import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { failureLog } from "../../../src/edges/http/operation-route.js";
import { fakeServices, KEYS, NOW } from "../../api/fake-services.js";
import { isScalarsFirst, serve } from "./serve.js";

const owner = { "X-API-Key": KEYS.owner };

test("telemetry: values, times, rejected fields; live state in latest", async () => {
  const { post, services } = await serve();
  const { status, json, text, headers } = await post(
    "/v1/plant/telemetry",
    { soc_pct: "55,5", import_kwh: 1234.5, pv_power_kw: "NaN" },
    owner,
  );
  expect(status).toBe(200);
  expect(json).toMatchObject({
    accepted: 1,
    duplicates: 0,
    softcap_exceeded: false,
    rejected: [{ index: 0, field: "pv_power_kw" }],
    latest: { soc_pct: 55.5, import_kwh: 1234.5 },
    latest_at: { soc_pct: "2026-01-15T09:20:00+01:00" },
  });
  expect(isScalarsFirst(text)).toBe(true);
  expect(services.ingested).toEqual([
    {
      siteId: "home",
      samples: [{ at: NOW, values: { soc_pct: 55.5, import_kwh: 1234.5 } }],
      thinSeconds: undefined,
    },
  ]);
  expect(headers.get("x-ratelimit-limit")).toBe("10000");
  expect(headers.get("x-ratelimit-scope")).toBe("api_key_day");
});

test("hours-demand with mode telemetry is a telemetry call, nested form too", async () => {
  const { post, services } = await serve();
  const body = { mode: "telemetry", battery: { soc_pct: 41 }, meter: { import_kwh: "8,5" } };
  const { json, headers } = await post("/v1/decision/hours-demand", body, owner);
  expect(json).toMatchObject({ accepted: 1, latest: { soc_pct: 41, import_kwh: 8.5 } });
  expect(headers.get("x-ratelimit-limit")).toBe("10000");
  expect(services.decided).toEqual([]);
});

test("telemetry without a key: accepted 0; without valid values or with too many: 400, not counted", async () => {
  const { post, get } = await serve();
  const keyless = await post("/v1/plant/telemetry", { soc_pct: 55 });
  expect(keyless.status).toBe(200);
  expect(keyless.json).toMatchObject({ accepted: 0, error: { code: "not_available" } });
  for (const [body, field] of [
    [{ soc_pct: 101 }, "soc_pct"],
    [{}, "sample"],
    [{ samples: [] }, "samples"],
    [{ samples: Array.from({ length: 1001 }, () => ({ soc_pct: 5 })) }, "samples"],
    [{ soc_pct: 5, timezone: "Mars" }, "timezone"],
  ] as const) {
    const { status, json } = await post("/v1/plant/telemetry", body);
    expect(status).toBe(400);
    expect(json.error.code).toBe("invalid_parameter");
    expect(json.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  }
  expect((await get("/v1/status")).headers.get("x-ratelimit-remaining")).toBe("59");
  const batch = await post("/v1/plant/telemetry", { samples: [{ soc_pct: 300 }] }, owner);
  expect(batch.status).toBe(200);
  expect(batch.json).toMatchObject({ accepted: 0, rejected: [{ index: 0, field: "soc_pct" }] });
});

test("above the softcap a reading is stored with a thinned history; above twice the softcap 429", async () => {
  const table = { professional: { decision: 600, telemetry: 2, pv: 1, weather: 1 } };
  const { post, services } = await serve(fakeServices({ table }));
  const answers = [];
  for (let call = 0; call < 5; call++)
    answers.push(await post("/v1/plant/telemetry", { soc_pct: call }, owner));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 429]);
  expect(answers.map((answer) => answer.json.softcap_exceeded)).toEqual([
    false,
    false,
    true,
    true,
    undefined,
  ]);
  expect(answers[2]!.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(services.ingested.map((call) => call.thinSeconds)).toEqual([undefined, undefined, 60, 60]);
});

test("a full disk is logged by the store, not by each request", () => {
  const causes: unknown[] = [];
  const log = { error: ({ err }: { err?: unknown }) => void causes.push(err) };
  const failed = failureLog(
    log,
    {} as IncomingMessage,
    { getHeader: () => "1" } as unknown as ServerResponse,
  );
  const damaged = new Error("Corruption: block checksum mismatch");
  for (const cause of [new Error("ENOSPC"), new Error("IO error: LOCK: Read-only file system"), damaged])
    failed(new Error("The store failed.", { cause }));
  expect(causes).toEqual([expect.objectContaining({ cause: damaged })]);
});

test("a full disk is 503 storage_unavailable", async () => {
  const services = fakeServices();
  services.failure = Object.assign(new Error("ENOSPC"), { code: "storage_unavailable" });
  const { post } = await serve(services);
  const { status, json } = await post("/v1/plant/telemetry", { soc_pct: 5 }, owner);
  expect(status).toBe(503);
  expect(json.error.code).toBe("storage_unavailable");
});
