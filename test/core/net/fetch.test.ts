import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backoffMs, parseRetryAfter } from "../../../src/core/net/backoff.js";
import { FetchError, fetchText, parseJson, redirectTarget } from "../../../src/core/net/fetch.js";
import { type AnsweringServer, answeringServer, json } from "../../support/answering-server.js";

describe("backoff", () => {
  it("doubles from 5 s to 15 min, half of it jitter", () => {
    const longest = [1, 2, 3, 4, 9, 50].map((failures) => backoffMs(failures, () => 1));
    expect(longest).toEqual([5_000, 10_000, 20_000, 40_000, 900_000, 900_000]);
    expect(backoffMs(1, () => 0)).toBe(2_500);
  });

  it("is at least Retry-After, which is limited", () => {
    expect(backoffMs(1, () => 0.5, 120_000)).toBe(120_000);
    expect(backoffMs(1, () => 0.5, 1e12)).toBe(86_400_000);
  });

  it("reads Retry-After in seconds and as a date", () => {
    const now = Date.parse("2026-01-15T12:00:00Z");
    expect(parseRetryAfter("120", now)).toBe(120_000);
    expect(parseRetryAfter("Thu, 15 Jan 2026 12:05:00 GMT", now)).toBe(300_000);
    expect(parseRetryAfter("Thu, 15 Jan 2026 11:00:00 GMT", now)).toBe(0);
    for (const nonsense of [null, "", "soon", "-5", "1.5"])
      expect(parseRetryAfter(nonsense, now)).toBeUndefined();
  });

  it("is finite and not negative for any header", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 2000 }), (header, failures) => {
        const wait = backoffMs(failures, () => 0.5, parseRetryAfter(header, 0));
        expect(wait >= 0 && wait <= 86_400_000).toBe(true);
      }),
    );
  });
});

describe("fetchText", () => {
  let server: AnsweringServer;
  const { signal } = new AbortController();
  beforeAll(async () => {
    server = await answeringServer(json("{}"));
  });
  afterAll(() => server.close());
  const get = (options = {}) => fetchText(new URL("prices?key=secret", server.url), { signal, ...options });

  it("returns the body and the validators", async () => {
    const conditions: (string | undefined)[] = [];
    server.answer((request, response) => {
      conditions.push(request.headers["if-none-match"]);
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304);
      else response.writeHead(200, { etag: '"v1"', "last-modified": "Thu, 15 Jan 2026 12:05:00 GMT" });
      response.end(response.statusCode === 200 ? "first" : undefined);
    });
    const first = await get();
    expect(first.body).toBe("first");
    const second = await get({ validators: first.validators });
    expect(second).toMatchObject({ notModified: true, body: "" });
    // Validators of another address are not used.
    await get({ validators: { ...first.validators, url: "http://127.0.0.1/other" } });
    expect(conditions).toEqual([undefined, '"v1"', undefined]);
  });

  it("takes the answer of a version that ends, and drops a byte order mark", async () => {
    server.answer((_, response) => response.writeHead(203).end("\ufeff{}"));
    const { body } = await get();
    expect(parseJson(body, "api.test")).toEqual({});
  });

  it("reports a status with Retry-After, and never the query", async () => {
    server.answer((_request, response) => response.writeHead(429, { "retry-after": "90" }).end("slow down"));
    const error = await get().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FetchError);
    expect(error).toMatchObject({ retryAfterMs: 90_000 });
    expect(String(error)).toContain("status 429");
    expect(String(error)).not.toContain("secret");
  });

  it("uses credentials from the address, and sends them to no other server", async () => {
    const headers: (string | undefined)[] = [];
    server.answer((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(headers.length === 1 ? 200 : 500).end("{}");
    });
    const url = new URL("prices", server.url);
    url.username = "mirror";
    url.password = "geheim%40";
    await expect(fetchText(url, { signal })).resolves.toMatchObject({ body: "{}" });
    const error = await fetchText(url, { signal }).catch((caught: unknown) => caught);
    expect(headers).toEqual(Array(2).fill(`Basic ${Buffer.from("mirror:geheim@").toString("base64")}`));
    expect(String(error)).toContain("status 500");
    // An unreachable server, and credentials with an invalid escape.
    const gone = new URL("http://mirror:geheim%zz@127.0.0.1:1/prices");
    await expect(fetchText(gone, { signal })).rejects.toThrow(
      /^(?!.*geheim).*127\.0\.0\.1:1 cannot be reached/,
    );
  });

  it("does not send a key to a redirect target, and follows at most five redirects", async () => {
    const other = await answeringServer(json('"elsewhere"'));
    const received: unknown[] = [];
    other.answer((request, response) => {
      received.push(
        request.headers["x-api-key"],
        request.headers.authorization,
        request.headers["user-agent"],
      );
      response.end("elsewhere");
    });
    const here: (string | string[] | undefined)[] = [];
    server.answer((request, response) => {
      here.push(request.headers["x-api-key"]);
      const location = request.url === "/moved" ? `${other.url}leak` : "/moved";
      response.writeHead(302, { location }).end();
    });
    const headers = { "X-API-Key": "hg_live_secret", Authorization: "Basic eDp5", "User-Agent": "me" };
    const answer = await get({ headers });
    expect(answer.body).toBe("elsewhere");
    expect(here).toEqual(["hg_live_secret", "hg_live_secret"]);
    expect(received).toEqual([undefined, undefined, "me"]);
    await other.close();

    server.answer((_request, response) => response.writeHead(301, { location: "/again" }).end());
    await expect(get()).rejects.toThrow("redirects more than 5 times");
    server.answer((_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
    await expect(get()).rejects.toThrow("not https");
  });

  it("lets no server of the internet have a device asked in clear text", () => {
    const target = (from: string, to: string) => redirectTarget(new URL(from), new URL(from), to).host;
    for (const host of ["192.168.1.5", "rebound.example", "prices.example"])
      expect(() => target("https://prices.example/day", `http://${host}/relay/0?turn=on`)).toThrow(
        "not https",
      );
    expect(() => target("http://prices.example/day", "http://192.168.1.5/relay/0?turn=on")).toThrow(
      "not https",
    );
    expect(target("http://prices.example/day", "/today")).toBe("prices.example");
    expect(target("http://prices.example/day", "https://www.prices.example/")).toBe("www.prices.example");
    expect(target("http://192.168.1.9/day", "http://server.lan/")).toBe("server.lan");
  });

  it("times out if a server hangs before or during its answer", async () => {
    server.answer(() => {});
    await expect(get({ timeoutMs: 40 })).rejects.toThrow("did not answer within 0.04 s");
    server.answer((_request, response) => response.writeHead(200).write("half"));
    await expect(get({ timeoutMs: 40 })).rejects.toThrow("did not answer within");
  });

  it("fails on an incomplete answer and an unreachable server", async () => {
    server.answer((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    });
    await expect(get()).rejects.toThrow("closed the connection");
    await expect(fetchText(new URL("http://127.0.0.1:1/"), { signal })).rejects.toThrow("cannot be reached");
  });

  it("limits the size of the answer, compressed or not", async () => {
    server.answer((_request, response) => response.end("x".repeat(2000)));
    await expect(get({ maxBytes: 1000 })).rejects.toThrow("answered more than");
    server.answer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1_000_000)));
    });
    await expect(get({ maxBytes: 100_000 })).rejects.toThrow("answered more than");
  });

  it("aborts when the gateway stops", async () => {
    server.answer(() => {});
    const stop = new AbortController();
    const requested = get({ signal: stop.signal });
    stop.abort();
    await expect(requested).rejects.toThrow("was stopped");
  });

  it("shows the beginning of a body that is not JSON", () => {
    expect(() => parseJson("<html><body>502", "api.test")).toThrow('it begins "<html><body>502"');
    expect(() => parseJson('{"data":[', "api.test")).toThrow("not complete JSON");
    expect(() => parseJson("", "api.test")).toThrow("it is empty");
  });
});
