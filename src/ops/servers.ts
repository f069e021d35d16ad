import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import type { FleetConfiguration } from "./fleet/settings.js";

/** A server that a command starts and stops. */
export interface Startable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayStart {
  log?: Log;
  /** Replaces the clock of the configuration. */
  clock?: Clock;
  /** Number of loads sampled for the expectation of a plan. */
  sampledLoads?: number | undefined;
  /** Another process has taken over the data. */
  onStoreLost?(fault: Error): void;
  /** Called as soon as the state of components can be reported. */
  onComponents?(components: HealthRegistry): void;
}

/** A gateway that serves a shard of a fleet. */
export interface ShardGateway extends Startable {
  /** The hashes of the keys and links that came with accounts of other shards. */
  guestTokens(): readonly string[];
}

export type CreateGateway = (
  settings: Settings,
  options: GatewayStart,
) => ShardGateway & { readonly ports: { http: number | undefined; mqtt: number | undefined } };

/** The servers that commands run; the command line hands them in. Each is loaded when a command needs it. */
export interface Servers {
  loadGateway(): Promise<{ createGateway: CreateGateway }>;
  loadRouter(): Promise<{ createRouter(settings: FleetConfiguration): Startable }>;
}
