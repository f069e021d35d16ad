import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";

/** Loxone Miniserver: `/dev/sps/io/<name>/<value>` with basic authentication. */
export class Loxone extends HttpDevice {
  readonly inputs = new Map([
    ["HG State", "0"],
    ["HG Power", "0"],
  ]);
  readonly user = "hourgate";
  readonly password = "secret";

  actual(): string {
    return [...this.inputs].map(([name, value]) => `${name} ${value}`).join(", ");
  }

  byHand(): void {
    for (const name of this.inputs.keys()) this.inputs.set(name, "77");
  }

  /** Virtual inputs return to their default. */
  protected forget(): void {
    for (const name of this.inputs.keys()) this.inputs.set(name, "0");
  }

  protected answer({ path, headers }: Asked): Answer | undefined {
    const authorization = `Basic ${Buffer.from(`${this.user}:${this.password}`).toString("base64")}`;
    if (headers.authorization !== authorization) return { status: 401 };
    const [, name, value] = /^\/dev\/sps\/io\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (name === undefined || !this.inputs.has(name))
      return { status: 404, text: '<LL control="" value="" Code="404"/>' };
    if (value !== undefined) this.take(`${name} ${value}`, () => void this.inputs.set(name, value));
    const shown = value ?? this.inputs.get(name);
    return {
      text: `<?xml version="1.0" encoding="utf-8"?>\r\n<LL control="dev/sps/io/${name}" value="${shown}" Code="200"/>`,
    };
  }
}

/** Home Assistant's REST API with one entity for each of the entity ids. */
export class HomeAssistant extends HttpDevice {
  #isStarting = false;
  readonly token = "eyJhbGciOi.token";
  readonly states = new Map([
    ["select.battery_mode", "free"],
    ["switch.boiler", "off"],
    ["number.feed_in_limit", "10000"],
  ]);

  actual(): string {
    return [...this.states.values()].join(", ");
  }

  byHand(): void {
    this.states.set("select.battery_mode", "vacation");
    this.states.set("switch.boiler", this.states.get("switch.boiler") === "on" ? "off" : "on");
    this.states.set("number.feed_in_limit", "1234");
  }

  /** Home Assistant restarts: the entities are there, but their values come a minute later. */
  protected forget(): void {
    this.#isStarting = true;
  }

  override async start(): Promise<void> {
    await super.start();
    this.after(60_000, () => {
      this.#isStarting = false;
    });
  }

  protected answer({ method, path, body, headers }: Asked): Answer | undefined {
    if (headers.authorization !== `Bearer ${this.token}`) return { status: 401, text: "401: Unauthorized" };
    const entity = /^\/api\/states\/([a-z_]+\.\w+)$/.exec(path)?.[1];
    if (method === "GET" && entity !== undefined) {
      const state = this.states.get(entity);
      return state === undefined
        ? { status: 404, text: '{"message":"Entity not found."}' }
        : json({
            entity_id: entity,
            state: this.#isStarting ? "unavailable" : state,
            attributes: {},
            last_updated: this.clock.now().toISOString(),
          });
    }
    const service = /^\/api\/services\/(\w+\/\w+)$/.exec(path)?.[1];
    if (method !== "POST" || service === undefined) return undefined;
    const given = JSON.parse(body || "{}") as { entity_id: string; option?: string; value?: number };
    const states: Record<string, string | undefined> = {
      "switch/turn_on": "on",
      "switch/turn_off": "off",
      "select/select_option": given.option,
      "number/set_value": given.value === undefined ? undefined : String(given.value),
    };
    if (!(service in states)) return { status: 400, text: "400: Bad Request" };
    const state = states[service];
    if (state === undefined || !this.states.has(given.entity_id)) return json([]);
    this.take(`${service} ${body}`, () => void this.states.set(given.entity_id, state));
    return json([{ entity_id: given.entity_id, state }]);
  }
}
