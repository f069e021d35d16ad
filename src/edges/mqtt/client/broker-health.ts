import type { ComponentSentence, RefusedMqttClient } from "../../../core/domain/component-sentence.js";
import type { HealthRegistry } from "../../../core/health-registry.js";
import type { Log } from "../../../core/log.js";
import type { BrokerResource, ResourceUsage } from "../broker/budget.js";

const BROKER = "broker";
const LIMITS = "broker_limits";
const MAPS = "mqtt_maps";
const UPDATE_MS = 60_000;

export interface BrokerHealthOptions {
  components: HealthRegistry;
  /** Map filters that are ignored because they are not approved. */
  unapproved(): { siteId: string; filter: string }[];
  /** Limits that were reached lately, by sign-in. */
  refusals(): { resource: BrokerResource; signIn: string }[];
  /** Clients that were refused lately because of their protocol, or a subscription. */
  refusedClients(): readonly RefusedMqttClient[];
  /** What is in use of the limits; empty without an embedded broker. */
  usage(): readonly ResourceUsage[];
  log: Log;
}

/** Reports the components of MQTT: the broker, its limits and the telemetry maps. */
export class BrokerHealth {
  readonly #options: BrokerHealthOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastRefusals = "";
  /** The state of the broker without its refused clients. */
  #broker: { state: "ok" | "degraded" | "down"; detail: ComponentSentence[] } | undefined;
  #lastRefusedClients = "";
  #hasPendingUpdate = false;
  /** Components that have been reported; before the first problem they are not. */
  readonly #reported = new Set<string>();

  constructor(options: BrokerHealthOptions) {
    this.#options = options;
  }

  start(): void {
    this.#update();
    this.#timer = setInterval(() => this.#update(), UPDATE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  report(state: "ok" | "degraded" | "down", ...detail: ComponentSentence[]): void {
    this.#broker = { state, detail };
    this.#lastRefusedClients = "";
    this.#options.components.report(BROKER, state, detail);
    this.#reportRefusedClients();
  }

  /** Reports limits and maps; calls of one turn of the event loop are combined. */
  update(): void {
    if (this.#hasPendingUpdate) return;
    this.#hasPendingUpdate = true;
    setImmediate(() => {
      this.#hasPendingUpdate = false;
      this.#update();
    });
  }

  #update(): void {
    this.#reportLimits();
    this.#reportRefusedClients();
    this.#reportMaps();
  }

  #reportLimits(): void {
    const { refusals, usage, log } = this.#options;
    const reached = refusals().map(({ resource, signIn }) => `${resource} (${signIn})`);
    const used = usage();
    if (used.length > 0) this.#reported.add(LIMITS);
    this.#reportProblem(LIMITS, reached, {
      problem: { code: "broker_limits_reached", reached },
      solved: { code: "broker_limits_ok", usage: used },
    });
    const text = reached.join();
    if (reached.length > 0 && text !== this.#lastRefusals)
      log.warn({ reached }, "MQTT clients reached limits of the broker.");
    this.#lastRefusals = text;
  }

  /** A client with a wrong setting is no fault of the broker: its state stays. */
  #reportRefusedClients(): void {
    const { refusedClients, components } = this.#options;
    const clients = refusedClients().map(({ name, level, filter }) => ({ name, level, filter }));
    const text = clients.length === 0 ? "" : JSON.stringify(clients);
    if (this.#broker === undefined || text === this.#lastRefusedClients) return;
    this.#lastRefusedClients = text;
    const { state, detail } = this.#broker;
    const refused = clients.length === 0 ? [] : [{ code: "broker_clients_refused", clients } as const];
    components.report(BROKER, state, [...detail, ...refused]);
  }

  #reportMaps(): void {
    const maps = this.#options.unapproved().map(({ siteId, filter }) => `${filter} of ${siteId}`);
    this.#reportProblem(MAPS, maps, {
      problem: { code: "mqtt_maps_unapproved", maps },
      solved: { code: "mqtt_maps_ok" },
    });
  }

  #reportProblem(
    component: string,
    items: readonly string[],
    { problem, solved }: { problem: ComponentSentence; solved: ComponentSentence },
  ): void {
    const { components } = this.#options;
    if (items.length > 0) {
      this.#reported.add(component);
      components.report(component, "degraded", [problem]);
    } else if (this.#reported.has(component)) components.report(component, "ok", [solved]);
  }
}
