import { onTestFinished } from "vitest";
import { createOperations } from "../../../src/api/catalogue.js";
import { type Log, silentLog } from "../../../src/core/log.js";
import { createHttpServer, type HttpServer } from "../../../src/edges/http/server.js";
import { type FakeServices, fakeServices } from "../../api/fake-services.js";
import { listening } from "../../support/listening.js";

export interface Served {
  url: string;
  port: number;
  services: FakeServices;
  server: HttpServer;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // The tests look at many shapes of answers; each reads what it expects.
  json: ReturnType<typeof JSON.parse>;
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? undefined : JSON.parse(text),
  };
}

/** A real server on a free port, closed when the test ends. */
export async function serve(
  services: FakeServices = fakeServices(),
  { proxies = [], log = silentLog }: { proxies?: string[]; log?: Log } = {},
): Promise<Served> {
  const server = createHttpServer({
    operations: createOperations(services),
    services,
    settings: { host: "127.0.0.1", port: 0 },
    ...listening({ proxies }),
    log,
  });
  const { port } = await server.start();
  onTestFinished(() => server.stop());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    services,
    server,
    get: async (path, headers = {}) => reply(await fetch(url + path, { headers })),
    post: async (path, body, headers = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return reply(
        await fetch(url + path, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: text }),
        }),
      );
    },
  };
}

/** The top-level scalars stand before the first object or array. */
export function isScalarsFirst(text: string): boolean {
  const kinds = Object.values(JSON.parse(text) as object).map(
    (value) => typeof value === "object" && value !== null,
  );
  const first = kinds.indexOf(true);
  return first < 0 || kinds.slice(first).every(Boolean);
}
