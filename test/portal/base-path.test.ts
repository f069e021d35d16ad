import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import { expect, it } from "vitest";
import { isBasePath, TrustedProxies } from "../../src/core/net/trusted-proxies.js";
import { addressBelow, htmlBelow, Replies } from "../../src/portal/replies.js";

it("writes addresses of the portal below the path, and no other text", () => {
  const html =
    '<a href="/help" title="a href="/><a href="//other">x</a><a href="#y"/><p data-url="/portal/data?a=1&amp;b=2">href=&quot;/no</p>';
  expect(htmlBelow("/gate", html)).toBe(
    '<a href="/gate/help" title="a href="/><a href="//other">x</a><a href="#y"/><p data-url="/gate/portal/data?a=1&amp;b=2">href=&quot;/no</p>',
  );
  expect(htmlBelow("", html)).toBe(html);
  expect(addressBelow("/gate", "https://host/x")).toBe("https://host/x");
});

it("a page shows what a text of a stranger says: nothing is reversed", () => {
  const written: Buffer[] = [];
  const response = { setHeader() {}, writeHead() {}, end: (body: Buffer) => void written.push(body) };
  const replies = new Replies(new TrustedProxies([]));
  const request = { method: "GET", socket: {}, headers: {} } as Request;
  const document = "client \u202Eevil\u2067\u200D";
  replies.send(request, response as unknown as Response, { document, type: "text/html" });
  expect(String(written[0])).toBe("client evil\u200D");
});

it("takes only paths that are safe in HTML, headers and cookies", () => {
  for (const path of ["/hourgate", "/api/hassio_ingress/Qx7-token_1", "/a/b.c/~d"])
    expect(isBasePath(path), path).toBe(true);
  for (const path of ["", "/", "/a/", "//host", "a", "/a/../b", "/a;b", '/a"', "/a b", `/${"a".repeat(200)}`])
    expect(isBasePath(path), path).toBe(false);
});

it("a fixed path applies to requests of the proxy only, whatever they say", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8"], "/hourgate");
  const from = (remoteAddress: string) =>
    ({ socket: { remoteAddress }, headers: { "x-ingress-path": "/other" } }) as unknown as IncomingMessage;
  expect(proxies.basePath(from("::ffff:10.1.2.3"))).toBe("/hourgate");
  expect(proxies.isIngress(from("10.1.2.3"))).toBe(false);
  expect(proxies.basePath(from("192.168.1.2"))).toBe("");
});
