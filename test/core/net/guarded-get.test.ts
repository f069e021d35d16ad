import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FetchError } from "../../../src/core/net/fetch.js";
import { type GuardedGetOptions, guardedGet } from "../../../src/core/net/guarded-get.js";
import { type AnsweringServer, answeringServer } from "../../support/answering-server.js";

describe("guardedGet", () => {
  let server: AnsweringServer;
  const { signal } = new AbortController();
  beforeAll(async () => {
    server = await answeringServer((_request, response) => response.end("text"));
  });
  afterAll(() => server.close());
  const get = (address = "calendar.ics?token=secret", options: Partial<GuardedGetOptions> = {}) =>
    guardedGet(new URL(address, server.url), {
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      allowPrivateHosts: true,
      signal,
      timeoutMs: 5000,
      maxBytes: 1000,
      ...options,
    });

  it("returns the body, and asks with a condition the next time", async () => {
    server.answer((request, response) => {
      response.setHeader("etag", '"v1"');
      response.statusCode = request.headers["if-none-match"] === '"v1"' ? 304 : 200;
      response.end(response.statusCode === 200 ? "first" : undefined);
    });
    const first = await get();
    expect(first).toMatchObject({ notModified: false, body: "first" });
    expect(await get(undefined, { validators: first.validators })).toMatchObject({ notModified: true });
  });

  it("sends name and password to their own origin only", async () => {
    const seen: (string | undefined)[] = [];
    server.answer(({ url, headers }, response) => {
      seen.push(headers.authorization);
      const to = url === "/own" ? "/second" : `http://other.example:${new URL(server.url).port}/end`;
      if (url === "/end") response.end("end");
      else response.writeHead(302, { location: to }).end();
    });
    const address = server.url.replace("127.0.0.1", "me:open%20sesame@127.0.0.1");
    expect((await get(`${address}own`)).body).toBe("end");
    const basic = `Basic ${Buffer.from("me:open sesame").toString("base64")}`;
    expect(seen).toEqual([basic, basic, undefined]);
  });

  it("connects to no host that is not allowed: by address, by name, by redirect, in any notation", async () => {
    const hosts = [
      "127.0.0.1",
      "2130706433",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "localhost",
      "router.local",
      "10.0.0.1",
    ];
    const before = server.requests.length;
    for (const host of [...hosts, "evil.example"])
      for (const scheme of ["http", "https"])
        await expect(
          get(`${scheme}://${host}:${new URL(server.url).port}/`, { allowPrivateHosts: false }),
        ).rejects.toThrow("is not on the internet");
    expect(server.requests).toHaveLength(before);
    // Link-local addresses with meta data of clouds, and plain http to the internet.
    for (const [address, ip] of [
      ["http://169.254.169.254/", "169.254.169.254"],
      ["http://public.example/", "93.184.215.14"],
    ] as const) {
      const resolve = async () => [{ address: ip, family: 4 }];
      await expect(get(address, { allowPrivateHosts: false, resolve })).rejects.toThrow(FetchError);
    }
    server.answer(
      (_request, response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    );
    await expect(get()).rejects.toThrow("not https");
    server.answer((_request, response) => void response.writeHead(302, { location: "/again" }).end());
    await expect(get()).rejects.toThrow("redirects more than 5 times");
  });

  it("ends with a limit of size and of time, and says what is wrong without the path", async () => {
    server.answer((_request, response) => response.end("x".repeat(1001)));
    await expect(get()).rejects.toThrow("answered more than 1 KiB");
    server.answer((_request, response) => void response.write("x"));
    await expect(get(undefined, { timeoutMs: 50 })).rejects.toThrow("did not answer within 0.05 s");
    server.answer((_request, response) => void response.writeHead(404).end());
    await expect(get()).rejects.toThrow(/^127\.0\.0\.1:\d+ answered with status 404\.$/);
    server.answer(
      ({ socket }) =>
        void socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    );
    await expect(get()).rejects.toThrow("cannot be reached or closed the connection");
    server.answer(({ socket }) => void socket.destroy());
    const error: Error = (await get().catch((reason: Error) => reason)) as Error;
    expect(error).toBeInstanceOf(FetchError);
    expect(error.message).not.toContain("secret");
  });
});
