import type { IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { isOwnOrigin, localPath } from "../../src/portal/origin.js";
import { openPortal, PASSWORD } from "./harness.js";

const request = (headers: Record<string, string>) => ({ headers, socket: {} }) as unknown as IncomingMessage;

describe("where a form comes from", () => {
  const baseUrl = "https://gate.example";
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ "sec-fetch-site": "cross-site", origin: "http://gate.local:8080", host: "gate.local:8080" }, false],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ origin: "http://gate.local:8080", host: "gate.local:8080" }, true],
    [{ origin: "http://gate.local:9090", host: "gate.local:8080" }, false],
    [{ origin: "https://gate.example", host: "127.0.0.1:8080" }, true],
    [{ origin: "https://evil.example", host: "gate.local", "x-forwarded-host": "evil.example" }, false],
    [{ origin: "null", host: "gate.local" }, false],
  ])("%j: %s", (headers, own) => {
    expect(isOwnOrigin(request(headers), { baseUrl })).toBe(own);
  });

  it("ignores X-Forwarded-Host", () => {
    const headers = { origin: "https://front.example", host: "inner", "x-forwarded-host": "front.example" };
    expect(isOwnOrigin(request(headers), { baseUrl })).toBe(false);
  });
});

describe("where to go after the sign-in", () => {
  it.each([
    ["/settings/keys?site=home", "/settings/keys?site=home"],
    ["/settings/../admin", "/admin"],
    ["//evil.example", undefined],
    ["/\\evil.example", undefined],
    ["/\t/evil.example", undefined],
    ["/.//evil.example", undefined],
    ["/..//evil.example/x", undefined],
    ["https://evil.example", undefined],
    ["javascript:alert(1)", undefined],
    ["dashboard", undefined],
    ["", undefined],
    [null, undefined],
  ])("%j leads to %j", (text, path) => {
    expect(localPath(text)).toBe(path);
  });

  it("never leads to another host", () => {
    // Each of these in front of a host is what some browser has once read as a way out.
    for (const way of ["/", "//", "/\\", "\\\\", "/%2f", "/;/", "/ /", "/\n/", "/./", "/.//", "/%5c", "/@"]) {
      const path = localPath(`${way}evil.example`);
      if (path !== undefined) expect(new URL(path, "http://gate.example").host).toBe("gate.example");
    }
  });
});

it("leads browsers to HTTPS where the gateway has TLS, and keeps its path", async () => {
  const portal = await openPortal({ hasTls: true });
  onTestFinished(() => portal.close());
  const browser = portal.browser();
  const secure = portal.url.replace("http:", "https:");
  const asked = await browser.get("/login?next=%2Fsettings");
  expect([asked.status, asked.location]).toEqual([303, `${secure}/login?next=%2Fsettings`]);
  // A password that was sent without TLS is not sent again.
  const sent = await browser.post("/login", { email: "a@example.org", password: PASSWORD });
  expect([sent.status, sent.location]).toEqual([303, `${secure}/login`]);
});
