import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { createOperations } from "../../../src/api/catalogue.js";
import { openApiDocument } from "../../../src/edges/http/openapi.js";
import { fakeServices, KEYS, slotSettings } from "../../api/fake-services.js";
import { detailOf } from "../../support/components.js";
import { isScalarsFirst, serve } from "./serve.js";

/** One slot with a demand of its own, one that waits for a request. */
const SLOTS = [
  slotSettings({ slot: 3, power_kw: 11, window_start_hour: 22, window_end_hour: 6, energy_kwh: 22 }),
  slotSettings({ slot: 5, kind: "boiler" }),
];

type Node = ReturnType<typeof JSON.parse>;

function* walk(node: Node): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  yield node;
  for (const child of Object.values(node)) yield* walk(child);
}

function resolve(document: Node, ref: string): Node {
  return ref
    .slice(2)
    .split("/")
    .reduce((node: Node, part) => node?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

const parameters = new Ajv2020({ strict: false, validateFormats: false });

const validators = new Map<string, ReturnType<typeof newValidator>>();

/** A validator that knows the document's components; one for all gateways with the same document. */
function validatorOf({ servers, ...document }: Node) {
  const text = JSON.stringify(document);
  const validator = validators.get(text) ?? newValidator(document);
  validators.set(text, validator);
  return validator;
}

function newValidator(document: Node) {
  // Optimising the generated code takes longer than it saves.
  const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } });
  formats.default(ajv);
  ajv.addFormat("iana-zone", true);
  ajv.addSchema({ ...document, $id: "api" });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (pointer: string, value: unknown): string[] => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    compiled.set(pointer, validate);
    validate(value);
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

/** A schema of the document, or the one that it refers to. */
function resolved(document: Node, schema: Node): Node {
  return schema.$ref === undefined ? schema : resolve(document, schema.$ref);
}

const propertiesOf = (schema: object) => (schema as { properties?: object }).properties ?? {};

const escaped = (path: string) => path.replaceAll("~", "~0").replaceAll("/", "~1");

test("the document describes every operation, and every reference resolves", async () => {
  const { get, services } = await serve();
  const document = (await get("/openapi.json")).json;
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.info).toMatchObject({ title: "hourgate", version: "1.0.0" });
  expect(document.components.securitySchemes.ApiKey).toMatchObject({
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
  });
  const operations = createOperations(services);
  const ids = new Set<string>();
  for (const operation of operations) {
    const entry = document.paths[operation.path]?.[operation.method.toLowerCase()];
    expect(entry, operation.path).toBeDefined();
    expect(entry.summary).toBe(operation.purpose);
    ids.add(entry.operationId);
    for (const parameter of entry.parameters ?? []) {
      expect(parameter).toMatchObject({ in: "query", name: expect.any(String), schema: expect.any(Object) });
    }
    expect(entry.requestBody !== undefined).toBe(operation.method === "POST");
    for (const [status, response] of Object.entries<Node>(entry.responses)) {
      expect(status).toMatch(/^\d{3}$/);
      expect(response.description).not.toBe("");
      expect(response.content["application/json"].schema).toBeTypeOf("object");
    }
  }
  const answers404 = operations.filter(
    ({ path, method }) => document.paths[path][method.toLowerCase()].responses[404] !== undefined,
  );
  expect(answers404.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1/decision/windows",
    "POST /v1/decision/windows",
    "POST /v1/plant/device-overrides",
  ]);
  expect(ids.size).toBe(operations.length);
  expect(Object.keys(document.paths)).toHaveLength(new Set(operations.map(({ path }) => path)).size);
  for (const node of walk(document)) {
    if (typeof node.$ref === "string") expect(resolve(document, node.$ref), node.$ref).toBeDefined();
  }
});

test("each operation has a tag, and an example that its schema permits and the gateway answers", async () => {
  const services = fakeServices({ slots: SLOTS, place: { latitude: 48.2, longitude: 16.4 } });
  await services.flex.start();
  const { get, post } = await serve(services);
  const document = (await get("/openapi.json")).json;
  const check = validatorOf(document);
  const names = document.tags.map(({ name }: { name: string }) => name);
  for (const { method, path, contract, schema } of createOperations(services)) {
    const entry = document.paths[path][method.toLowerCase()];
    expect(names).toContain(entry.tags[0]);
    const headers = { "X-API-Key": KEYS.owner, Connection: "close" };
    const query = new URLSearchParams(contract.example as Record<string, string>);
    const answer =
      method === "GET" ? await get(`${path}?${query}`, headers) : await post(path, contract.example, headers);
    expect([path, answer.status]).toEqual([path, 200]);
    const body = `/paths/${escaped(path)}/post/requestBody/content/application~1json/schema`;
    if (method === "POST") expect(check(body, contract.example), path).toEqual([]);
    for (const { name, schema: parameter, example } of entry.parameters ?? []) {
      const isGiven = Object.hasOwn(contract.example, name);
      expect([name, example !== undefined]).toEqual([name, isGiven]);
      if (isGiven) expect(parameters.validate(resolved(document, parameter), example)).toBe(true);
    }
    const said = `/paths/${escaped(path)}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
    if (contract.answer !== undefined) expect(check(said, contract.answer), path).toEqual([]);
    expect(
      Object.keys(contract.example).filter((name) => !Object.hasOwn(propertiesOf(schema), name)),
    ).toEqual([]);
  }
});

const AGREED: [path: string, body: object, status: 200 | 400][] = [
  [
    "/v1/plant/presence",
    { presence: "guests", from: "2026-01-20T08:00:00Z", until: "2026-01-21T08:00:00Z" },
    200,
  ],
  ["/v1/plant/presence", {}, 400],
  ["/v1/plant/presence", { presence: "asleep" }, 400],
  ["/v1/plant/presence", { presence: "away", remove: "p1" }, 400],
  ["/v1/plant/device-overrides", {}, 400],
  ["/v1/plant/device-overrides", { slot_id: 3 }, 400],
  ["/v1/plant/device-overrides", { slot_id: "9", override: "run" }, 400],
  ["/v1/plant/device-overrides", { slot_id: 3, override: "hold" }, 400],
  ["/v1/plant/device-overrides", { slot_id: "battery", override: "run" }, 400],
  ["/v1/plant/device-overrides", { slot_id: 3, override: "run", target_soc_pct: 50 }, 400],
  ["/v1/plant/device-overrides", { slot_id: 3, override: "full" }, 400],
  ["/v1/plant/device-overrides", { slot_id: "wallbox_3", override: "run" }, 200],
  ["/v1/decision/windows", { slot_id: "boiler" }, 400],
  ["/v1/decision/windows", { slot_id: "3.0" }, 200],
  ["/v1/decision/windows", { segments: "2;5" }, 400],
  ["/v1/decision/windows", { segments: "8785" }, 400],
  ["/v1/decision/windows", { segments: "2,5.5" }, 200],
  ["/v1/decision/windows", { timezone: "Europe/Wien" }, 400],
  ["/v1/decision/windows", { timezone: "" }, 400],
  ["/v1/decision/hours-demand", { battery: { capacity_kwh: 5e-324 } }, 400],
  ["/v1/decision/hours-demand", { battery: { max_charge_power_kw: 5e-324 } }, 400],
  ["/v1/plant/telemetry", {}, 400],
  ["/v1/plant/telemetry", { soc_pct: "full" }, 400],
  ["/v1/plant/telemetry", { slots: { "9": { power_kw: 1 } } }, 400],
  ["/v1/plant/telemetry", { soc_pct: "47,5", ev_connected: true }, 200],
];

test("the document permits what the gateway accepts, and no more", async () => {
  const services = fakeServices({ slots: SLOTS });
  await services.flex.start();
  const { get, post } = await serve(services);
  const open = { "X-API-Key": KEYS.owner, Connection: "close" };
  const check = validatorOf((await get("/openapi.json", open)).json);
  for (const [path, body, status] of AGREED) {
    const pointer = `/paths/${escaped(path)}/post/requestBody/content/application~1json/schema`;
    const answer = await post(path, body, open);
    expect([path, body, answer.status, check(pointer, body).length > 0]).toEqual([
      path,
      body,
      status,
      status === 400,
    ]);
  }
});

/** Generators of clients know no schemas that are true or false, except for additionalProperties. */
test("no schema in it is a boolean", () => {
  const document: Node = openApiDocument(createOperations(fakeServices()), "http://x");
  for (const node of walk(document.components.schemas))
    for (const child of Object.values(node.properties ?? {})) expect(child).toBeTypeOf("object");
});

test("every schema in it is a valid JSON Schema", () => {
  const operations = createOperations(fakeServices());
  const document: Node = openApiDocument(operations, "http://x");
  const check = validatorOf(document);
  for (const name of Object.keys(document.components.schemas)) {
    expect(() => check(`/components/schemas/${name}`, {}), name).not.toThrow();
  }
});

test("every served answer has its scalars first and is valid against the document", async () => {
  const services = fakeServices({
    slots: SLOTS,
    place: { latitude: 48.2, longitude: 16.4 },
    pv: [
      {
        peak_kw: 5,
        tilt_deg: 30,
        azimuth_deg: 180,
        losses_pct: 14,
        inverter_kw: null,
        inverter: null,
        curtailable: false,
      },
    ],
  });
  await services.flex.start();
  services.components.report("store", "ok", detailOf("Works."), { vital: true });
  const { get, post } = await serve(services);
  // Compiling the schemas takes longer than the server keeps an idle connection: each request has its own.
  const open = { Connection: "close" };
  const document = (await get("/openapi.json", open)).json;
  const check = validatorOf(document);
  const keyed = { ...open, "X-API-Key": KEYS.owner };
  for (const headers of [keyed, open]) {
    const answers = [
      ["get", "/v1/forecast", await get("/v1/forecast", headers)],
      ["get", "/v1/forecast", await get("/v1/forecast?timezone=x", headers)],
      ["get", "/v1/decision", await get("/v1/decision", headers)],
      ["get", "/v1/decision/windows", await get("/v1/decision/windows?count=2&energy_kwh=x", headers)],
      ["get", "/v1/decision/windows", await get("/v1/decision/windows?flex_pack=4197590", headers)],
      [
        "post",
        "/v1/decision/windows",
        await post(
          "/v1/decision/windows",
          { energy_kwh: 9, max_power_kw: 2, segment_consecutive: "soft" },
          headers,
        ),
      ],
      ["get", "/v1/decision/windows", await get("/v1/decision/windows?flex_pack=4197590&slot_id=8", headers)],
      [
        "post",
        "/v1/plant/presence",
        await post("/v1/plant/presence", { presence: "away", until: "2026-01-20" }, headers),
      ],
      ["get", "/v1/plant/presence", await get("/v1/plant/presence", headers)],
      ["get", "/v1/plant/device-schedules", await get("/v1/plant/device-schedules", headers)],
      [
        "post",
        "/v1/plant/device-overrides",
        await post("/v1/plant/device-overrides", { slot_id: "8", override: "run" }, headers),
      ],
      ["get", "/v1/plant/pv-forecast", await get("/v1/plant/pv-forecast?granularity=both", headers)],
      ["get", "/v1/plant/weather", await get("/v1/plant/weather?days=7", headers)],
      ["get", "/v1/plant/what-if", await get("/v1/plant/what-if", headers)],
      ["post", "/v1/plant/what-if", await post("/v1/plant/what-if", { battery_kwh: 15 }, headers)],
      ["get", "/v1/status", await get("/v1/status", headers)],
      ["get", "/health", await get("/health", headers)],
      ["post", "/v1/decision/hours-demand", await post("/v1/decision/hours-demand", {}, headers)],
      [
        "post",
        "/v1/decision/hours-demand",
        await post("/v1/decision/hours-demand", { mode: "telemetry", soc_pct: 1 }, headers),
      ],
      [
        "post",
        "/v1/plant/telemetry",
        await post("/v1/plant/telemetry", { soc_pct: 1, pv_power_kw: "" }, headers),
      ],
      ["post", "/v1/plant/telemetry", await post("/v1/plant/telemetry", "[", headers)],
    ] as const;
    for (const [method, path, answer] of answers) {
      const pointer = `/paths/${escaped(path)}/${method}/responses/${answer.status}/content/application~1json/schema`;
      expect(check(pointer, answer.json), `${method} ${path} ${answer.status}`).toEqual([]);
      expect(isScalarsFirst(answer.text), path).toBe(true);
    }
  }
  // The check itself can fail.
  const forecast = (await get("/v1/forecast")).json;
  const pointer = "/paths/~1v1~1forecast/get/responses/200/content/application~1json/schema";
  expect(check(pointer, { ...forecast, horizon_hours: "48" })).not.toEqual([]);
});
