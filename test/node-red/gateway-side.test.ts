import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/log.js";
import { childEnvironment } from "../../src/node-red/child.js";
import { forwardedHeaders } from "../../src/node-red/headers.js";
import { createLineForwarder, redactLogLine } from "../../src/node-red/log-lines.js";
import { createMessageCheck } from "../../src/node-red/messages.js";
import { restartAfter } from "../../src/node-red/restart-policy.js";
import { createEditorSignIn } from "../../src/node-red/sign-in.js";
import { prepareUserFolder } from "../../src/node-red/user-folder.js";
import { SignInThrottle } from "../../src/portal/throttle.js";

it("restarts after 1 s, doubled up to a minute, without flows from the fifth failure on; running for a minute resets the count", () => {
  const waits: number[] = [];
  let failures = 0;
  for (let end = 1; end <= 9; end++) {
    const restart = restartAfter({ ranMs: 3_000, failures });
    failures = restart.failures;
    waits.push(restart.waitMs / 1000);
    expect(restart.safeMode).toBe(end >= 5);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(restartAfter({ ranMs: 60_000, failures })).toEqual({ failures: 1, waitMs: 1_000, safeMode: false });
});

describe("log lines of Node-RED", () => {
  it("are redacted", () => {
    const key = `hg_live_${"k".repeat(43)}`;
    const line = redactLogLine(
      `${key} Bearer abcdefgh.ijk mqtt://user:pass@broker:1883 /c/abcdefghijklmnop/line ?access_token=zzz&a=1 whsec_abc`,
    );
    expect(line).toBe("hg_live_… Bearer … mqtt://…@broker:1883 /c/…/line ?access_token=…&a=1 whsec_…");
    expect(redactLogLine("x".repeat(50_000)).length).toBeLessThan(2_100);
  });

  it("are limited to 100 in ten seconds; omitted lines are counted", () => {
    const lines: string[] = [];
    const write = (_fields: object, message: string) => void lines.push(message);
    let nowMs = 0;
    const forward = createLineForwarder(
      { info: write, warn: write, error: write, debug: write },
      () => nowMs,
    );
    for (let index = 0; index < 250; index++) forward(40, `line ${index}`);
    expect(lines).toHaveLength(100);
    nowMs = 10_000;
    forward(40, "later");
    expect(lines.slice(100)).toEqual(["Node-RED wrote more lines than are kept.", "Node-RED: later"]);
  });
});

it("accepts only valid messages from the process", () => {
  const isMessage = createMessageCheck();
  expect(isMessage({ type: "ready", port: 1880 })).toBe(true);
  expect(isMessage({ type: "sign_in", id: 1, email: "a", password: "b", address: "" })).toBe(true);
  for (const invalid of [
    null,
    "ready",
    [],
    {},
    { type: "exec" },
    { type: "ready" },
    { type: "ready", port: "1" },
  ])
    expect(isMessage(invalid), JSON.stringify(invalid)).toBe(false);
  expect(isMessage({ type: "sign_in", id: 1, email: { $ne: 1 }, password: "b", address: "" })).toBe(false);
});

describe("editor sign-in", () => {
  const signInWith = (verify: () => Promise<{ administrator: boolean } | undefined>) => {
    let asked = 0;
    const signIn = createEditorSignIn({
      verify: () => {
        asked++;
        return verify();
      },
      isAdministrator: () => true,
      throttle: new SignInThrottle({ limit: 3, windowMs: 60_000, wallNowMs: () => 0 }),
      addressName: (address) => address,
      log: silentLog,
    });
    const attempt = (email: string, address: string) => signIn.signIn({ email, password: "p", address });
    return { attempt, asked: () => asked };
  };

  it("accepts administrators only, and rejects when the verification fails", async () => {
    expect(await signInWith(async () => ({ administrator: true })).attempt("a@b", "1.1.1.1")).toBe(true);
    expect(await signInWith(async () => ({ administrator: false })).attempt("a@b", "1.1.1.1")).toBe(false);
    expect(await signInWith(async () => undefined).attempt("a@b", "1.1.1.1")).toBe(false);
    expect(await signInWith(() => Promise.reject(new Error("disk"))).attempt("a@b", "1.1.1.1")).toBe(false);
  });

  it("rejects without verification after too many failures of an account (in any spelling) or of an address", async () => {
    const byAccount = signInWith(async () => undefined);
    for (const email of ["a@b", "A@B", " a@b "]) await byAccount.attempt(email, "");
    await byAccount.attempt("a@b", "9.9.9.9");
    expect(byAccount.asked()).toBe(3);
    const byAddress = signInWith(async () => undefined);
    for (const email of ["a@b", "c@d", "e@f", "g@h"]) await byAddress.attempt(email, "9.9.9.9");
    expect(byAddress.asked()).toBe(3);
  });
});

describe("user folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hourgate-node-red-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("contains a secret that is created once and readable by its owner only", async () => {
    const userFolder = join(folder, "data/node-red");
    const first = await prepareUserFolder(userFolder);
    expect(first.credentialSecret).toMatch(/^[\w-]{43}$/);
    expect(await prepareUserFolder(userFolder)).toEqual(first);
    expect(statSync(userFolder).mode & 0o777).toBe(0o700);
    expect(statSync(join(userFolder, "credential-secret")).mode & 0o777).toBe(0o600);
  });

  it("is rejected with a damaged secret, which is not replaced", async () => {
    writeFileSync(join(folder, "credential-secret"), "");
    await expect(prepareUserFolder(folder)).rejects.toThrow(/damaged; restore it, or delete it/);
    expect(readFileSync(join(folder, "credential-secret"), "utf8")).toBe("");
  });
});

it("removes the gateway's settings from the environment of flows", () => {
  expect(
    childEnvironment(
      { PATH: "/bin", HOURGATE_OWNER__PASSWORD: "x", hourgate_owner__key: "y", TZ: "UTC" },
      "Europe/Vienna",
    ),
  ).toEqual({ PATH: "/bin", TZ: "UTC" });
  expect(childEnvironment({ PATH: "/bin" }, "Europe/Vienna")).toEqual({ PATH: "/bin", TZ: "Europe/Vienna" });
});

it("forwards requests without hop-by-hop headers and portal cookies, with the client's address", () => {
  const req = {
    headers: {
      host: "box:8080",
      connection: "keep-alive, X-Hop",
      "x-hop": "1",
      "transfer-encoding": "chunked",
      cookie: "hourgate_session=s; theme=dark; hourgate_language=de; a=b",
      forwarded: "for=6.6.6.6",
      "x-forwarded-for": "6.6.6.6",
      authorization: "Bearer t",
    },
  } as unknown as IncomingMessage;
  expect(forwardedHeaders(req, { address: "192.168.1.7", protocol: "http" })).toEqual({
    host: "box:8080",
    authorization: "Bearer t",
    cookie: "theme=dark; a=b",
    "x-forwarded-for": "192.168.1.7",
    "x-forwarded-proto": "http",
    "x-forwarded-host": "box:8080",
  });
});
