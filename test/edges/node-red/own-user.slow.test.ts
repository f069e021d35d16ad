import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayProcess, sandbox, startGateway, TEST_KEY } from "../../e2e/gateway-process.js";

const OWNER = { email: "owner@example.org", password: "correct horse battery" };
/** Secrets that the gateway gets by its environment. */
const ENVIRONMENT = { HOURGATE_OWNER__KEY: TEST_KEY, HOURGATE_OWNER__PASSWORD: OWNER.password };
const isRoot = process.geteuid?.() === 0;

/** What a flow author tries: a function node leaves its sandbox and reads what it can. */
const ATTACK = `
const host = setTimeout.constructor("return process")();
const fs = host.getBuiltinModule("fs");
const net = host.getBuiltinModule("net");
const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
const read = (path) => attempt(() => fs.readFileSync(path, "latin1"));
msg.payload = {
  uid: host.getuid(),
  groups: host.getgroups(),
  home: host.env.HOME,
  environment: host.env,
  own: read("/proc/self/environ"),
  gateway: read("/proc/" + host.ppid + "/environ"),
  state: read("DATA/state.json"),
  audit: read("DATA/audit.jsonl"),
  list: attempt(() => fs.readdirSync("DATA")),
  series: attempt(() => fs.readdirSync("DATA/series")),
  write: attempt(() => fs.writeFileSync("DATA/x", "x")),
  flows: typeof read("DATA/node-red/flows.json"),
};
net.connect("DATA/SOCKET")
  .on("connect", () => { msg.payload.socket = "connected"; node.send(msg); })
  .on("error", (error) => { msg.payload.socket = error.code; node.send(msg); });
`;

describe.runIf(isRoot || process.env.CI)("a gateway that runs as root", () => {
  const box = sandbox({
    owner: { email: OWNER.email },
    node_red: { enabled: true, port: 0 },
    market: { sources: [] },
    weather: { sources: [] },
  });
  const data = join(box.folder, "data");
  let gateway: GatewayProcess;
  beforeAll(async () => {
    if (!isRoot) throw new Error("CI must run as root: this test switches the user of Node-RED.");
    gateway = await startGateway(box.config, ENVIRONMENT);
    await gateway.logged('"Node-RED is running."');
  });
  afterAll(async () => {
    await gateway?.end("SIGTERM");
    box.remove();
  });

  const lineOf = async (text: string) => JSON.parse(await gateway.logged(text)) as Record<string, number>;

  it("keeps its secrets from what flows can read", async () => {
    const { port } = await lineOf("The port of the Node-RED editor is open.");
    const { process: child, pid } = await lineOf('"Node-RED is running."');
    const editor = `http://127.0.0.1:${port}/node-red`;
    const credentials = { username: OWNER.email, ...OWNER };
    const body = new URLSearchParams({
      client_id: "node-red-editor",
      grant_type: "password",
      scope: "*",
      ...credentials,
    });
    const signedIn = await fetch(`${editor}/auth/token`, { method: "POST", body });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const func = ATTACK.replaceAll("DATA", data).replace("SOCKET", "admin.sock");
    // A node without a position would be a config node.
    const at = { z: "tab", x: 100, y: 100 };
    const flow = [
      { id: "tab", type: "tab" },
      { ...at, id: "in", type: "http in", url: "/attack", method: "get", wires: [["attack"]] },
      { ...at, id: "attack", type: "function", func, wires: [["answer"]] },
      { ...at, id: "answer", type: "http response", wires: [] },
    ];
    const deployed = await fetch(`${editor}/flows`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(flow),
    });
    expect(deployed.status).toBe(204);
    let answer: Response;
    do answer = await fetch(`${editor}/attack`);
    while (answer.status !== 200);
    const seen = (await answer.json()) as Record<string, unknown>;
    expect(seen).toMatchObject({
      uid: 60_880,
      groups: [60_880],
      home: join(data, "node-red"),
      gateway: "EACCES",
      state: "EACCES",
      audit: "EACCES",
      list: "EACCES",
      series: "EACCES",
      write: "EACCES",
      flows: "string",
      socket: "EACCES",
    });
    // As root the test sees all processes.
    const shown = [seen, ...[pid, child].map((id) => readFileSync(`/proc/${id}/environ`, "latin1"))];
    for (const secret of Object.values(ENVIRONMENT)) expect(JSON.stringify(shown)).not.toContain(secret);
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).toContain("PATH=");
  });

  it("keeps its folder closed, except for the way to that of Node-RED", () => {
    expect(statSync(data).mode & 0o777).toBe(0o710);
    expect([statSync(data).uid, statSync(data).gid]).toEqual([0, 60_880]);
    const userFolder = statSync(join(data, "node-red"));
    expect([userFolder.uid, userFolder.mode & 0o777]).toEqual([60_880, 0o700]);
  });
});

it.skipIf(isRoot || process.env.CI)(
  "SKIPPED: Node-RED under its own user needs a gateway that runs as root",
  () => {},
);
