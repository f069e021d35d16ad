// A Node-RED that install.mjs has installed: start, deploy, press inject nodes, read status and debug messages.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export class NodeRed {
  constructor(folder, port, WebSocket) {
    const about = join(folder, "installed.json");
    if (!existsSync(about)) throw new Error(`no Node-RED in ${folder}: run install.mjs`);
    Object.assign(this, JSON.parse(readFileSync(about, "utf8")), {
      folder,
      port,
      url: `http://127.0.0.1:${port}`,
      WebSocket,
    });
    this.log = "";
    this.debug = [];
    this.status = new Map();
  }

  async start({ fresh = true } = {}) {
    if (fresh)
      for (const name of readdirSync(this.user))
        if (/^(\.?flows|context|\.config\.(runtime|nodes))/.test(name))
          rmSync(join(this.user, name), { recursive: true, force: true });
    this.child = spawn(this.node, [this.red, "--userDir", this.user, "--port", `${this.port}`], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (chunk) => {
        this.log += chunk;
      });
    await this.until("Node-RED answers", async () => (await fetch(`${this.url}/settings`)).ok);
    await this.listen();
  }

  async listen() {
    this.socket = new this.WebSocket(`${this.url.replace("http", "ws")}/comms`);
    this.socket.on("message", (data) => {
      for (const { topic, data: about } of [JSON.parse(`${data}`)].flat()) {
        if (topic === "debug") this.debug.push(about);
        else if (topic?.startsWith("status/")) this.status.set(topic.slice(7), about);
      }
    });
    this.socket.on("error", () => {});
    await new Promise((open) => this.socket.once("open", open));
    for (const subscribe of ["debug", "status/#"]) this.socket.send(JSON.stringify({ subscribe }));
  }

  async stop() {
    this.socket?.terminate();
    if (!this.child || this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    process.kill(-this.child.pid, "SIGTERM");
    const force = setTimeout(() => process.kill(-this.child.pid, "SIGKILL"), 15_000);
    await ended;
    clearTimeout(force);
  }

  async ask(path, init) {
    const response = await fetch(`${this.url}${path}`, {
      signal: AbortSignal.timeout(20_000),
      ...init,
      headers: { accept: "application/json", ...init?.headers },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  types() {
    return this.ask("/nodes").then((sets) => sets.filter(({ module }) => module === "@hourgate/node-red"));
  }
  /** { 'charge-now': flow } of all examples, as the menu Import, Examples offers them; those of the folder Deutsch too. */
  async examples() {
    const base = "/library/examples/flows/@hourgate/node-red";
    const out = {};
    const walk = async (prefix) => {
      for (const entry of await this.ask(
        `${base}${prefix === "" ? "" : `/${encodeURI(prefix.slice(0, -1))}`}`,
      )) {
        if (typeof entry === "string") await walk(`${prefix}${entry}/`);
        else out[`${prefix}${entry.fn}`] = await this.ask(`${base}/${encodeURI(`${prefix}${entry.fn}`)}`);
      }
    };
    await walk("");
    return out;
  }
  deploy(flow, type = "full") {
    return this.ask("/flows", {
      method: "POST",
      headers: { "content-type": "application/json", "Node-RED-Deployment-Type": type },
      body: JSON.stringify(flow),
    });
  }
  inject(id) {
    return this.ask(`/inject/${id}`, { method: "POST" });
  }

  /** What lies in the user directory, apart from modules: { path: text }. */
  files(at = this.user, out = {}) {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      if (name === "node_modules") continue;
      if (statSync(path).isDirectory()) this.files(path, out);
      else out[path] = readFileSync(path, "utf8");
    }
    return out;
  }

  async until(what, ask, ms = 60_000) {
    let last;
    for (const end = Date.now() + ms; Date.now() < end; await sleep(250)) {
      try {
        last = await ask();
        if (last !== undefined && last !== null && last !== false) return last;
      } catch (error) {
        last = error.message;
      }
    }
    throw new Error(`${what} did not happen within ${ms / 1000} s; last: ${JSON.stringify(last)}`);
  }
}

/** All examples as one flow, with the gateway's address and key in the configuration nodes. */
export function together(examples, gateway) {
  const nodes = new Map();
  for (const flow of Object.values(examples))
    for (const node of flow)
      nodes.set(node.id, node.type === "hourgate-config" ? { ...node, ...gateway } : node);
  return [...nodes.values()];
}
