import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { childEnvironment } from "../../../src/edges/node-red/child.js";
import { messageCheck } from "../../../src/edges/node-red/messages.js";
import { requestHeaders } from "../../../src/edges/node-red/proxy.js";
import { NodeRedService } from "../../../src/edges/node-red/service.js";
import { createEditorSignIn } from "../../../src/edges/node-red/sign-in.js";
import { createLineForwarder, redactLogLine, restartAfter } from "../../../src/edges/node-red/supervisor.js";
import { prepareUserFolder, SetUpError } from "../../../src/edges/node-red/user-folder.js";
import { componentText } from "../../../src/texts/index.js";

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
      { info: write, warn: write, error: write, debug: write, trace: write },
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
  const isMessage = (value: unknown) => messageCheck.fits(value);
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

describe("the sign-in", () => {
  const owner = { id: "owner", email: "a@b", secret: "s1", administrator: true };
  const signInWith = (
    signIn: () => Promise<typeof owner | undefined>,
    account = owner,
    wallNowMs = () => 0,
  ) =>
    createEditorSignIn({
      signIn,
      account: (id) => (id === account.id ? account : undefined),
      signedOut,
      onSignOut: () => {},
      log: silentLog,
      wallNowMs,
    });
  const signedOut = new Map<string, number>();
  const attempt = { email: "a@b", password: "p", address: "1.1.1.1" };

  it("accepts administrators only, and rejects when the check fails", async () => {
    const token = await signInWith(async () => owner).signIn(attempt);
    expect(signInWith(async () => owner).user(token!)).toBe("a@b");
    const tenant = { ...owner, administrator: false };
    expect(await signInWith(async () => tenant).signIn(attempt)).toBeUndefined();
    expect(await signInWith(async () => undefined).signIn(attempt)).toBeUndefined();
    expect(await signInWith(() => Promise.reject(new Error("disk"))).signIn(attempt)).toBeUndefined();
  });

  it("ends tokens with the credentials, with the administrator's role and after a day", async () => {
    const signIn = async () => owner;
    const token = (await signInWith(signIn).signIn(attempt))!;
    expect(signInWith(signIn, { ...owner, secret: "s2" }).user(token)).toBeUndefined();
    expect(signInWith(signIn, { ...owner, administrator: false }).user(token)).toBeUndefined();
    expect(signInWith(signIn, { ...owner, id: "other" }).user(token)).toBeUndefined();
    expect(signInWith(signIn, owner, () => 86_400_000 - 1).user(token)).toBe("a@b");
    signedOut.set("of another token", 86_400_000);
    expect(signInWith(signIn, owner, () => 86_400_000).user(token)).toBeUndefined();
    for (const forged of ["", "owner", `${token}.x`, token.replace(/^owner\.\d+/, "owner.9999999999999")])
      expect(signInWith(signIn).user(forged)).toBeUndefined();
    signInWith(signIn).signOut(`${token}x`);
    expect(signInWith(signIn).user(token)).toBe("a@b");
    signInWith(signIn).signOut(token);
    expect(signInWith(signIn).user(token)).toBeUndefined();
    expect([...signedOut.values()]).toEqual([86_400_000, 86_400_000]);
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
    const options = { dataFolder: join(folder, "data"), userFolder };
    const first = await prepareUserFolder(options);
    expect(first.credentialSecret).toMatch(/^[\w-]{43}$/);
    expect(await prepareUserFolder(options)).toEqual(first);
    expect(statSync(userFolder).mode & 0o777).toBe(0o700);
    expect(statSync(join(userFolder, "credential-secret")).mode & 0o777).toBe(0o600);
  });

  it("is rejected with a damaged secret, which is not replaced", async () => {
    writeFileSync(join(folder, "credential-secret"), "");
    const prepare = () => prepareUserFolder({ dataFolder: folder, userFolder: folder });
    await expect(prepare()).rejects.toThrow(/damaged; restore it, or delete it/);
    expect(readFileSync(join(folder, "credential-secret"), "utf8")).toBe("");
    // A flow author must not make the gateway read another file in its place.
    rmSync(join(folder, "credential-secret"));
    symlinkSync("/etc/passwd", join(folder, "credential-secret"));
    await expect(prepare()).rejects.toThrow(/cannot be used \(ELOOP\)/);
    // Nor make it wait for a named pipe, or read an endless file.
    rmSync(join(folder, "credential-secret"));
    execFileSync("mkfifo", [join(folder, "credential-secret")]);
    await expect(prepare()).rejects.toThrow(/credential-secret is not a file; remove it/);
    rmSync(join(folder, "credential-secret"));
    writeFileSync(join(folder, "credential-secret"), "x".repeat(5_000));
    await expect(prepare()).rejects.toThrow(/damaged/);
    rmSync(join(folder, "credential-secret"));
    mkdirSync(join(folder, "credential-secret"));
    await expect(prepare()).rejects.toThrow(/damaged/);
  });

  it.runIf(process.geteuid?.() === 0)("that its user cannot enter is named in either language", async () => {
    const dataFolder = join(folder, "data");
    const user = { uid: 60_880, gid: 60_880 };
    const preparing = prepareUserFolder({ dataFolder, userFolder: join(dataFolder, "node-red"), user });
    const fault = await preparing.catch((error: unknown) => error);
    if (!(fault instanceof SetUpError)) throw fault;
    expect(fault.message).toContain(`runs as user 60880 (node_red.uid), which cannot enter ${folder}; give`);
    expect(componentText([fault.sentence], "de")).toContain(`der den Ordner ${folder} nicht betreten darf.`);
  });
});

it("without its package the gateway says so, and runs", async () => {
  const reported: unknown[] = [];
  let isListening = false;
  const service = new NodeRedService({
    settings: { path: "/node-red", base_url: null, uid: 1 },
    dataFolder: "/nonexistent",
    timezone: "Europe/Vienna",
    signIn: { signIn: async () => undefined, user: () => undefined, signOut: () => {} },
    client: () => ({ address: "192.168.1.7", protocol: "http" }),
    isSignedIn: () => false,
    isInstalled: () => false,
    listen: () => ({
      start: async () => {
        isListening = true;
        return { port: 1880 };
      },
      stop: async () => {},
      onUpgrade: () => {},
    }),
    components: { report: (...given) => void reported.push(given) },
    log: silentLog,
  });
  await service.start();
  expect(reported).toEqual([["node_red", "down", [{ code: "node_red_missing" }]]]);
  expect([isListening, service.pid, service.port]).toEqual([false, undefined, undefined]);
  const server = createServer((req, res) => service.redirect(req, res, () => res.end("next"))).listen(0);
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/node-red/`, { redirect: "manual" });
  expect([answer.status, await answer.text()]).toEqual([503, "Node-RED is not installed.\n"]);
  server.close();
  await service.stop();
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
      cookie:
        "hourgate_session=s; __Host-hourgate_session=t; __Secure-hourgate_session=u; __secure-hourgate_device=v; =hourgate_session=w; theme=dark; __Host-Http-hourgate_device=x; hourgate_language=de; a=b",
      forwarded: "for=6.6.6.6",
      "x-forwarded-for": "6.6.6.6",
      authorization: "Bearer t",
    },
  } as unknown as IncomingMessage;
  expect(requestHeaders(req, { address: "192.168.1.7", protocol: "http" })).toEqual({
    host: "box:8080",
    authorization: "Bearer t",
    cookie: "theme=dark; a=b",
    "x-forwarded-for": "192.168.1.7",
    "x-forwarded-proto": "http",
    "x-forwarded-host": "box:8080",
  });
});
