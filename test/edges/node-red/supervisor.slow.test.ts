import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { WebSocket } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMAND, type GatewayProcess, sandbox, startGateway } from "../../e2e/gateway-process.js";
import { eventually } from "../../support/eventually.js";
import { manifest } from "./palette.js";
import { FLOWS } from "./supervised-flows.js";

// The built gateway with its real Node-RED. The tests run in order; each continues with the state of the previous one.

const OWNER = { email: "owner@example.org", password: "correct horse battery" };
const GUEST = { email: "guest@example.org", password: "another horse staple" };
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

const box = sandbox({
  owner: OWNER,
  node_red: { enabled: true, port: 0 },
  market: { sources: [{ type: "awattar", enabled: false }] },
  weather: { sources: [{ type: "met_no", enabled: false }] },
});
let gateway: GatewayProcess;
let token: string;

beforeAll(async () => {
  gateway = await startGateway(box.config);
  await serves();
});

afterAll(async () => {
  await gateway?.end("SIGKILL");
  box.remove();
});

const RUNNING = '"Node-RED is running."';

/** The editor's own address, once its port is open. */
const origin = () => {
  const line = gateway
    .output()
    .split("\n")
    .find((one) => one.includes("The port of the Node-RED editor is open."));
  if (line === undefined) throw new Error("The port of the editor is not open yet.");
  return `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
};

const editor = (path: string, init: RequestInit = {}) =>
  fetch(`${origin()}/node-red${path}`, {
    ...init,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers },
  });

/** The editor answers when the log says that Node-RED is running. */
const serves = (from = 0) => gateway.logged(RUNNING, from);

/** The process id of the last start in the log. */
const processId = () => {
  const lines = gateway.output().split("\n");
  const line = lines.findLast((one) => one.includes(RUNNING));
  return line === undefined ? undefined : (JSON.parse(line) as { process: number }).process;
};

function isGone(pid: number): boolean {
  try {
    // A zombie has exited; its new parent may reap it late.
    if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return true;
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function signIn({ email, password }: { email: string; password: string }) {
  const body = new URLSearchParams({
    client_id: "node-red-editor",
    grant_type: "password",
    scope: "*",
    username: email,
    password,
  });
  const response = await fetch(`${origin()}/node-red/auth/token`, { method: "POST", body });
  return {
    status: response.status,
    token: ((await response.json()) as { access_token?: string }).access_token,
  };
}

const deploy = () =>
  editor("/flows", {
    method: "POST",
    body: JSON.stringify(FLOWS),
    headers: { "Content-Type": "application/json" },
  });

it("starts after the gateway and is listed as its component", async () => {
  await serves();
  expect((await editor("/")).status).toBe(200);
  const output = gateway.output();
  expect(output.indexOf("serves the portal on")).toBeGreaterThan(0);
  expect(output.indexOf("serves the portal on")).toBeLessThan(output.indexOf(RUNNING));
  const status = await (await fetch(`${gateway.http}/v1/status`)).json();
  const part = (status as { components: { name: string; state: string }[] }).components.find(
    ({ name }) => name === "node_red",
  );
  expect(part).toMatchObject({ state: "ok" });
});

it("accepts the gateway's administrator, and rejects wrong passwords and other accounts", async () => {
  const create = promisify(execFile)(process.execPath, [
    COMMAND,
    ...["account", "create", GUEST.email, "--password-stdin", "--confirmed", "--config", box.config],
  ]);
  create.child.stdin!.end(`${GUEST.password}\n`);
  await create;

  expect((await editor("/flows")).status).toBe(401);
  expect((await signIn({ ...OWNER, password: "wrong" })).token).toBeUndefined();
  expect((await signIn(GUEST)).token).toBeUndefined();
  const signedIn = await signIn({ ...OWNER, email: "Owner@Example.org" });
  expect(signedIn.status).toBe(200);
  token = signedIn.token!;
  expect((await editor("/flows")).status).toBe(200);
  expect(gateway.output()).not.toContain(OWNER.password);
});

it("serves the editor with the palette, without the exec node, and rejects installing packages", async () => {
  const page = await editor("/");
  expect(page.headers.get("content-security-policy")).toBe("frame-ancestors 'self'");
  // Other origins must not be able to read responses of the editor or of the sign-in.
  for (const path of ["/", "/flows", "/theme", "/auth/login"])
    expect((await editor(path)).headers.get("access-control-allow-origin"), path).toBeNull();
  expect(await page.text()).toContain("hourgate · Node-RED");
  const script = await editor("/red/red.min.js");
  expect(script.status).toBe(200);
  expect(script.headers.get("cache-control")).not.toBe("no-store");
  expect((await script.text()).length).toBeGreaterThan(100_000);

  const nodes = (await (await editor("/nodes", { headers: { Accept: "application/json" } })).json()) as {
    module: string;
    types: string[];
    err?: string;
  }[];
  const ours = nodes.filter(({ module }) => module === "@hourgate/node-red");
  expect(ours).toHaveLength(Object.keys(manifest["node-red"].nodes).length);
  expect(nodes.filter(({ err }) => err !== undefined)).toEqual([]);
  expect(nodes.flatMap(({ types }) => types)).not.toContain("exec");
  const install = await editor("/nodes", {
    method: "POST",
    body: JSON.stringify({ module: "node-red-contrib-something" }),
    headers: { "Content-Type": "application/json" },
  });
  expect(install.ok).toBe(false);
});

it("forwards WebSockets, and rejects those of other paths", async () => {
  const socket = new WebSocket(`${origin().replace("http", "ws")}/node-red/comms`);
  const answer = await new Promise((resolveWith, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ auth: token })));
    socket.addEventListener("message", ({ data }) => resolveWith(data));
    socket.addEventListener("error", reject);
  });
  expect(answer).toBe('{"auth":"ok"}');
  socket.close();
  // Without the editor's token it is closed after five seconds; those of flows need a portal session.
  const idle = new WebSocket(`${origin().replace("http", "ws")}/node-red/comms`);
  const opened = performance.now();
  const closedAfter = new Promise<number>((closed) =>
    idle.addEventListener("close", () => closed(performance.now() - opened)),
  );
  const ofFlow = new WebSocket(`${origin().replace("http", "ws")}/node-red/of-a-flow`);
  await new Promise((refused) => ofFlow.addEventListener("error", refused));
  expect(await closedAfter).toBeGreaterThan(4_500);
  const elsewhere = new WebSocket(`${origin().replace("http", "ws")}/node-redder`);
  await new Promise((refused) => elsewhere.addEventListener("error", refused));
});

it("redirects from the gateway's own port, which serves nothing of Node-RED", async () => {
  const answer = await fetch(`${gateway.http}/node-red/hello?a=1`, { redirect: "manual", method: "POST" });
  expect(answer.status).toBe(307);
  expect(answer.headers.get("location")).toBe(`${origin()}/node-red/hello?a=1`);
});

it("serves HTTP nodes of flows, without the portal's cookies and with the client's address", async () => {
  expect((await deploy()).status).toBe(204);
  // Node-RED responds to a deploy before all flows have started.
  const hello = await eventually(async () => {
    const answer = await editor("/hello?a=1", {
      headers: { Cookie: "hourgate_session=s; mine=1", "X-Forwarded-For": "6.6.6.6" },
    });
    expect(answer.status).toBe(200);
    return answer;
  });
  const seen = (await hello.json()) as { headers: Record<string, string>; path: string; key?: string };
  expect(seen.headers).toMatchObject({ cookie: "mine=1", "x-forwarded-for": "127.0.0.1" });
  expect(seen.path).toBe(process.env.PATH);
  expect(seen.key ?? "").toBe("");
  const size = 3_000_000;
  const large = await editor("/size", {
    method: "POST",
    body: "x".repeat(size),
    headers: { "Content-Type": "text/plain" },
  });
  expect(await large.text()).toBe(String(size));
});

it.skipIf(CHROMIUM === undefined && !process.env.CI)(
  "works in a browser: sign-in, palette, no blocked resources",
  async () => {
    if (CHROMIUM === undefined) throw new Error("Chromium is missing: install it to test the editor.");
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ locale: "en-GB" });
      page.setDefaultTimeout(60_000);
      const complaints: string[] = [];
      page.on("console", (message) => {
        // Node-RED's editor requests its settings before the sign-in.
        if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`${gateway.http}/node-red/`);
      await page.fill("#node-dialog-login-username", OWNER.email);
      await page.fill("#node-dialog-login-password", OWNER.password);
      await page.click("#node-dialog-login-submit");
      await page.waitForSelector("[data-palette-type='hourgate-charge-now']");
      // The code editor uses workers, which a content security policy would block first.
      await page.dblclick("#hello-function");
      // Other tabs of the dialog contain hidden editors.
      await page.waitForSelector(".monaco-editor .view-line >> visible=true");
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

it("restarts after an uncaught error of a flow, while the gateway continues", async () => {
  // Node-RED catches an error thrown in a timer; an unhandled rejection ends its process.
  expect((await editor("/throw")).status).toBe(200);
  const before = processId()!;
  const from = gateway.output().length;
  await expect(editor("/reject").then(({ status }) => status)).resolves.toBe(503);
  const gap = await editor("/hello", {
    headers: { Accept: "text/html", "Accept-Language": "de-AT,de;q=0.9" },
  });
  expect(gap.status).toBe(503);
  expect(gap.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await gap.text()).toContain("Node-RED ist nicht verfügbar");
  expect((await fetch(`${gateway.http}/health`)).status).toBe(200);
  await serves(from);
  expect(processId()).not.toBe(before);
  // The session and the flows are preserved.
  expect((await editor("/flows")).status).toBe(200);
  expect((await editor("/hello")).status).toBe(200);
  expect(gateway.output()).toContain("rejected by the flow");
});

it("ends a token with the sign-out in the editor", async () => {
  await serves();
  const second = { Authorization: `Bearer ${(await signIn(OWNER)).token}` };
  expect((await editor("/flows", { headers: second })).status).toBe(200);
  await editor("/auth/revoke", { method: "POST", headers: second });
  expect((await editor("/flows", { headers: second })).status).toBe(401);
  expect((await editor("/flows")).status).toBe(200);
});

it("ends the editor's tokens with the password", async () => {
  await serves();
  expect((await editor("/flows")).status).toBe(200);
  await promisify(execFile)(process.execPath, [
    COMMAND,
    ...["account", "reset-password", OWNER.email, "--config", box.config],
  ]);
  expect((await editor("/flows")).status).toBe(401);
});

it("leaves no process behind when the gateway is killed, even if a flow blocks its event loop", async () => {
  const child = processId()!;
  // A raw socket, since this request is never answered.
  const { hostname, port } = new URL(origin());
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write("GET /node-red/block HTTP/1.1\r\nHost: x\r\n\r\n");
  // The event loop is blocked: other requests are not answered either.
  const answers = () => editor("/hello", { signal: AbortSignal.timeout(250) }).catch(() => undefined);
  while ((await answers()) !== undefined);
  await gateway.end("SIGKILL");
  await eventually(() => expect(isGone(child)).toBe(true));
  socket.destroy();
});

it("stops with the gateway", async () => {
  gateway = await startGateway(box.config);
  await serves();
  const child = processId()!;
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(isGone(child)).toBe(true);
});
