// A real ioBroker that install.mjs has installed: settings, scripts, states. Used by trial.mjs and by the bar.
import { execFile, spawn } from "node:child_process";
import { createCipheriv, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const exec = promisify(execFile);

export class IoBroker {
  constructor(folder) {
    const about = join(folder, "installed.json");
    if (!existsSync(about)) throw new Error(`no ioBroker in ${folder}: run install.mjs`);
    Object.assign(this, JSON.parse(readFileSync(about, "utf8")));
    this.env = { ...process.env, PATH: [dirname(this.node), process.env.PATH].join(delimiter) };
    this.log = "";
  }

  /** The command line of ioBroker. */
  async command(...args) {
    const { stdout } = await exec(this.node, ["node_modules/iobroker.js-controller/iobroker.js", ...args], {
      cwd: this.app,
      env: this.env,
      timeout: 120_000,
    });
    return stdout;
  }

  /** Settings of an instance; passwords are encrypted as the admin adapter does. */
  async set(instance, { pass, ...settings }) {
    const all = { ...settings };
    if (pass !== undefined) {
      const secret = (await this.command("object", "get", "system.config", "native.secret"))
        .trim()
        .replaceAll('"', "");
      const iv = randomBytes(16);
      const cipher = createCipheriv("aes-192-cbc", Buffer.from(secret, "hex"), iv);
      all.pass = `$/aes-192-cbc:${iv.toString("hex")}:${cipher.update(pass, "utf8", "hex")}${cipher.final("hex")}`;
    }
    await this.command(
      "set",
      instance,
      ...Object.entries(all).flatMap(([key, value]) => [`--${key}`, `${value}`]),
    );
  }

  /** Stores a JavaScript of the JavaScript adapter; it runs when the adapter (re)starts, or at once. */
  script(name, source) {
    return this.object(`script.js.common.${name}`, {
      type: "script",
      common: {
        name,
        engineType: "Javascript/js",
        engine: "system.adapter.javascript.0",
        source,
        enabled: true,
        debug: false,
        verbose: false,
      },
      native: {},
    });
  }

  /** Stores an object; the running controller's database is used, because the command line does not accept all JSON. */
  object(id, value) {
    return this.putObjects({ [id]: value });
  }

  putObjects(objects) {
    return new Promise((done, failed) => {
      const child = spawn(this.node, [new URL("objects.cjs", import.meta.url).pathname, this.app], {
        stdio: ["pipe", "ignore", "pipe"],
      });
      let error = "";
      child.stderr.on("data", (chunk) => {
        error += chunk;
      });
      child.on("exit", (code) => (code === 0 ? done() : failed(new Error(error.slice(0, 400)))));
      child.stdin.end(JSON.stringify(objects));
    });
  }

  start() {
    this.child = spawn(this.node, ["node_modules/iobroker.js-controller/controller.js"], {
      cwd: this.app,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (chunk) => {
        this.log += chunk;
      });
  }

  async stop() {
    if (!this.child || this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    process.kill(-this.child.pid, "SIGTERM");
    const force = setTimeout(() => process.kill(-this.child.pid, "SIGKILL"), 15_000);
    await ended;
    clearTimeout(force);
  }

  async api(path) {
    const response = await fetch(`http://127.0.0.1:${this.ports.api}/${path}`, {
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** { id: { val, ack, ts } } of all states that match. */
  states(pattern) {
    return this.api(`states?pattern=${encodeURIComponent(pattern)}`);
  }
  objects(pattern) {
    return this.api(`objects?pattern=${encodeURIComponent(pattern)}`);
  }
  async value(id) {
    return (await this.states(id))[id]?.val;
  }
  /** Writes a state with ack=false, as a visualization does. */
  write(id, value, type = typeof value) {
    return this.api(`set/${encodeURIComponent(id)}?value=${encodeURIComponent(value)}&type=${type}`);
  }

  async until(what, ask, ms = 60_000) {
    let last;
    for (const end = Date.now() + ms; Date.now() < end; await sleep(300)) {
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
