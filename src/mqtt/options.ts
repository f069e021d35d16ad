import type { Access } from "../accounts/access.js";
import type { Site } from "../accounts/sites.js";
import type { Bus } from "../bus.js";
import type { Sample } from "../domain/sample.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { TopicMapEntry } from "../telemetry/topic-map.js";
import type { Clock } from "../time/clock.js";
import type { MirrorOptions } from "./mirror.js";
import type { SlotCommands } from "./slot-commands.js";
import type { SlotMirrorOptions } from "./slots.js";

/** The part of the configuration's `mqtt` that this edge reads. */
export interface MqttServiceSettings {
  prefix: string;
  heartbeat_seconds: number;
  homeassistant: { enabled: boolean; prefix: string };
  broker: {
    enabled: boolean;
    host: string;
    port: number;
    ws_port: number | null;
    anonymous: boolean;
    /** A user without a plant belongs to the first one. */
    users: readonly { username: string; password: string; plant: string | null }[];
  };
  /** With a url the gateway joins that broker and runs none. */
  external: { url: string | null; username: string | null; password: string | null };
}

export interface MqttOptions {
  settings: MqttServiceSettings;
  dataFolder: string;
  /** Stays the same over restarts; the broker knows the gateway's client by it. */
  installationId: string;
  version: string;
  /** Address of the gateway's own pages, for the device page of Home Assistant. */
  baseUrl(): string;
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  accounts: { access(key: string): Access; sites(): readonly Site[] };
  telemetry: {
    ingest(siteId: string, samples: Sample[], options: { thinSeconds: number }): Promise<unknown>;
  };
  /** The topics of other devices that tell readings of the plant. */
  telemetryMap(siteId: string): readonly TopicMapEntry[];
  planDocument: MirrorOptions["planDocument"];
  forecastDocument: MirrorOptions["forecastDocument"];
  pvForecastDocument?: NonNullable<MirrorOptions["pvForecastDocument"]>;
  outputsWithoutPlan: MirrorOptions["outputsWithoutPlan"];
  /** Topics of others that parts of the gateway want to hear of, the retained message included. */
  listeners?: readonly { topic: string; receive(payload: string): void }[];
  /** Calls that are served on `…/request/<name>`; they answer with the document that HTTP would, errors too. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** The flexible devices; left out: there are none. */
  slots?: SlotCommands & { documents: SlotMirrorOptions["slotDocuments"] };
  log: Log;
}
