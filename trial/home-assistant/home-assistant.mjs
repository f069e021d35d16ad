// Starts, sets up and questions a real Home Assistant by its own HTTP and WebSocket API.
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Starts the installation in `installation` with its configuration in `config`. */
export function startHomeAssistant({ installation, config, port, log }) {
  const output = openSync(log, "a");
  return spawn("bash", [join(HERE, "start.sh"), installation, config, String(port)], {
    stdio: ["ignore", output, output],
    detached: true,
  });
}

/** A Home Assistant with its token. */
export class HomeAssistant {
  #base;
  #token;
  #next = 1;

  constructor(port) {
    this.#base = `http://127.0.0.1:${port}`;
  }

  /** Resolves when it answers; takes a minute or two at the first start. */
  async ready(seconds = 300) {
    for (let second = 0; second < seconds; second++) {
      try {
        const { state } = this.#token ? await this.get("/api/config") : { state: "RUNNING" };
        if (state === "RUNNING" && (await fetch(`${this.#base}/api/onboarding`)).status < 500) return;
      } catch {}
      await wait(1_000);
    }
    throw new Error("Home Assistant does not answer; see its log.");
  }

  /** Creates the owner, whose token is used from now on. */
  async onboard() {
    const client_id = `${this.#base}/`;
    const user = { client_id, name: "Trial", username: "trial", password: "trial-only", language: "en" };
    const { auth_code: code } = await this.post("/api/onboarding/users", user);
    await this.signIn({ grant_type: "authorization_code", code, client_id });
    for (const step of ["core_config", "analytics"]) await this.post(`/api/onboarding/${step}`, {});
    await this.post("/api/onboarding/integration", { client_id, redirect_uri: `${client_id}?auth` });
  }

  async signIn(form) {
    const answer = await fetch(`${this.#base}/auth/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    this.#token = (await answer.json()).access_token;
  }

  /** Walks the form "Add integration → MQTT" with its defaults and these fields. */
  async addMqtt(fields) {
    const flow = "/api/config/config_entries/flow";
    let step = await this.post(flow, { handler: "mqtt" });
    for (let count = 0; count < 5 && !["create_entry", "abort"].includes(step.type); count++) {
      if (step.type === "menu") {
        step = await this.post(`${flow}/${step.flow_id}`, { next_step_id: "broker" });
        continue;
      }
      const next = await this.post(`${flow}/${step.flow_id}`, valuesOf(step.data_schema, fields));
      if (next.errors && Object.keys(next.errors).length > 0) return next;
      step = next;
    }
    return step;
  }

  get(path) {
    return this.#call("GET", path);
  }

  post(path, body) {
    return this.#call("POST", path, body);
  }

  async #call(method, path, body) {
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** One command of the WebSocket API. */
  async ask(type, more = {}) {
    const socket = new WebSocket(`${this.#base.replace("http", "ws")}/api/websocket`);
    try {
      return await new Promise((resolve, reject) => {
        const id = this.#next++;
        socket.on("error", reject);
        socket.on("message", (data) => {
          const message = JSON.parse(data.toString());
          if (message.type === "auth_required")
            socket.send(JSON.stringify({ type: "auth", access_token: this.#token }));
          if (message.type === "auth_ok") socket.send(JSON.stringify({ id, type, ...more }));
          if (message.type !== "result" || message.id !== id) return;
          if (message.success) resolve(message.result);
          else reject(new Error(`${type}: ${message.error.message}`));
        });
      });
    } finally {
      socket.close();
    }
  }

  call(domain, service, data) {
    return this.post(`/api/services/${domain}/${service}`, data);
  }

  /** The states by entity id. */
  async states() {
    return Object.fromEntries((await this.get("/api/states")).map((state) => [state.entity_id, state]));
  }

  /** Counts the changes of each entity for some seconds that do not change its state. */
  async changes(seconds) {
    const counts = {};
    const socket = new WebSocket(`${this.#base.replace("http", "ws")}/api/websocket`);
    socket.on("message", (data) => {
      const message = JSON.parse(data.toString());
      if (message.type === "auth_required")
        socket.send(JSON.stringify({ type: "auth", access_token: this.#token }));
      if (message.type === "auth_ok")
        socket.send(JSON.stringify({ id: 1, type: "subscribe_events", event_type: "state_changed" }));
      const { entity_id: id, old_state, new_state } = message.event?.data ?? {};
      if (id && old_state?.state === new_state?.state) counts[id] = (counts[id] ?? 0) + 1;
    });
    await wait(seconds * 1_000);
    socket.close();
    return counts;
  }
}

/** The values of a form: its defaults as a browser shows them, and `fields`. */
function valuesOf(schema, fields) {
  const values = {};
  for (const { type, name, schema: section, default: standard, required, selector } of schema) {
    if (type === "expandable") values[name] = valuesOf(section, fields);
    else if (name in fields) values[name] = fields[name];
    else if (standard !== undefined) values[name] = standard;
    else if (required && selector?.boolean) values[name] = false;
    else if (required && selector?.select) values[name] = selector.select.options[0];
  }
  return values;
}
