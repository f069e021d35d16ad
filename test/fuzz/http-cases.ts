import type { Random } from "../support/random.js";
import { anyBytes, anyText, anyValue, mutated } from "./values.js";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** A request of the OpenAPI description. */
export interface Route {
  path: string;
  method: string;
  /** Query parameters, or fields of the body. */
  fields: Schema;
}

export interface HttpCase {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

interface OpenApi {
  paths: Record<
    string,
    Record<string, { parameters?: { name: string; schema: Schema }[]; requestBody?: { content: unknown } }>
  >;
  components: { schemas: Record<string, Schema> };
}

/** Paths that are not in the description; `<token>` is the token of a controller link. */
const FURTHER_PATHS = [
  "/",
  "/openapi.json",
  "/metrics",
  "/login",
  "/register",
  "/confirm",
  "/logout",
  "/dashboard",
  "/settings/keys",
  "/settings/plan",
  "/settings/webhook",
  "/settings/ems",
  "/settings/sites",
  "/admin",
  "/v1",
  "/v1/",
  "//v1/status",
  "/node-red",
  "/c/<token>/line",
  "/c/<token>/value/O1",
  "/c/<token>/on/charge_now",
  "/c/<token>/telemetry",
  "/c/<token>/flex",
  "/c/<token>/hours",
  "/c/<token>/value/PRICE",
  "/c/<token>/on/O1",
  "/c/<token>/evcc/grid",
  "/c/<token>/evcc/feedin",
  "/c/<token>/evcc/solar",
  "/c/<token>/evcc/x",
  "/c/short/line",
  "/c/",
];
const FURTHER_FIELDS = [
  "soc_pct",
  "import_kwh",
  "flex_pack",
  "slot_id",
  "email",
  "password",
  "lang",
  "count",
  "_",
  "token",
];

export function routesOf(description: OpenApi): Route[] {
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const reference = /schemas\/(\w+)/.exec(JSON.stringify(requestBody ?? ""))?.[1];
      const body = reference === undefined ? undefined : description.components.schemas[reference];
      const fields = body ?? {
        properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      };
      return { path, method: method.toUpperCase(), fields };
    }),
  );
  const properties = Object.fromEntries(FURTHER_FIELDS.map((name) => [name, {}]));
  return [...described, ...FURTHER_PATHS.map((path) => ({ path, method: "GET", fields: { properties } }))];
}

/** One request, mostly to an existing path with valid field names. */
export function httpCase(
  random: Random,
  routes: readonly Route[],
  secrets: { key: string; token: string },
): HttpCase {
  const route = random.pick(routes);
  const method = random.chance(0.9)
    ? route.method
    : random.pick(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"]);
  const path = (
    random.chance(0.95) ? route.path : `${route.path}/${escaped(random, anyText(random, 10))}`
  ).replace("<token>", random.chance(0.8) ? secrets.token : "A".repeat(random.integer(1, 60)));
  const fields = objectFor(random, route.fields) as Record<string, unknown>;
  const headers = headersFor(random, secrets.key);
  if (method === "POST" || method === "PUT" || method === "PATCH")
    return { method, path, headers, body: bodyOf(random, fields) };
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    Array.from(
      { length: random.chance(0.95) ? 1 : 2 },
      () => `${escaped(random, name)}=${escaped(random, value)}`,
    ),
  );
  return { method, path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}`, headers };
}

/** The bytes of a request with random defects. */
export function malformedHttp(random: Random, one: HttpCase): Buffer {
  const headers = Object.entries({ Host: "x", ...one.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = one.body === undefined ? "" : `Content-Length: ${one.body.length}\r\n`;
  const head = Buffer.from(
    `${one.method} ${one.path} HTTP/1.1\r\n${headers.join("")}${length}\r\n`,
    "latin1",
  );
  return mutated(random, Buffer.concat([head, one.body ?? Buffer.alloc(0)]));
}

function headersFor(random: Random, key: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(0.7)) headers["X-API-Key"] = random.chance(0.95) ? key : "hg_live_wrong";
  if (random.chance(0.8)) headers["Content-Type"] = "application/json";
  else if (random.chance(0.5))
    headers["Content-Type"] = random.pick([
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      ";;",
      "",
    ]);
  if (random.chance(0.1))
    headers["Accept-Language"] = random.pick(["de", "en;q=0.1", "*;;q", "x".repeat(3000)]);
  if (random.chance(0.05))
    headers.Cookie = random.pick(["a", "session=%ff; ;;=", `session=${"x".repeat(3000)}`]);
  if (random.chance(0.05)) headers["X-Request-Id"] = random.pick(["a b", "x".repeat(500), "ok"]);
  if (random.chance(0.03)) headers.Expect = "100-continue";
  if (random.chance(0.03)) headers["Content-Encoding"] = random.pick(["gzip", "identity", "x"]);
  if (random.chance(0.03)) headers["X-Forwarded-For"] = random.pick(["::1", "x, y", "999.1.1.1"]);
  return headers;
}

function bodyOf(random: Random, fields: Record<string, unknown>): Buffer {
  const kind = random.next();
  if (kind < 0.03) return anyBytes(random, 200);
  if (kind < 0.06) return Buffer.from("[".repeat(random.integer(1, 100_000)));
  if (kind < 0.1) return Buffer.from(JSON.stringify(anyValue(random)));
  const text = Buffer.from(JSON.stringify(fields));
  return kind < 0.15 ? mutated(random, text) : text;
}

/** An object with some of the fields of the schema and values that mostly have the right type. */
function objectFor(random: Random, schema: Schema, depth = 3): unknown {
  if (random.chance(0.05)) return depth === 3 ? {} : anyValue(random);
  if (schema.properties !== undefined && depth > 0) {
    const names = Object.keys(schema.properties);
    const taken = names.filter(() => random.chance(Math.min(0.5, 3 / Math.max(1, names.length))));
    return Object.fromEntries(
      taken.map((name) => [name, objectFor(random, schema.properties![name]!, depth - 1)]),
    );
  }
  if (schema.items !== undefined && random.chance(0.7) && depth > 0)
    return Array.from({ length: random.pick([0, 1, 2, 24, 168, 1001]) }, () =>
      objectFor(random, schema.items!, depth - 1),
    );
  const types = [schema.type ?? []].flat();
  if (types.some((type) => type === "number" || type === "integer") && random.chance(0.6))
    return random.chance(0.5) ? random.integer(0, 24) : random.between(0, 120);
  return anyValue(random, 1);
}

function escaped(random: Random, value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // Characters that the client rejects are replaced.
  if (random.chance(0.05)) return text.replace(/[^\x21-\x7e]|[#?&]/g, "%").slice(0, 4000);
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "?")).slice(0, 8000);
}
