import type { Access } from "../../accounts/access.js";
import type { MqttApprovals } from "../../accounts/mqtt-approvals.js";
import type { MqttSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { SiteRuntimes } from "../../config/site-runtimes.js";
import type { Bus } from "../../core/bus.js";
import type { Sample } from "../../core/domain/sample.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Language } from "../../core/language.js";
import type { Log } from "../../core/log.js";
import type { HostNames } from "../../core/net/host-names.js";
import type { Clock } from "../../core/time/clock.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { LeftOutReading } from "../../telemetry/left-out.js";
import type { Ingested } from "../../telemetry/service.js";
import type { TopicMapEntry } from "../../telemetry/topic-map.js";
import type { MqttLimits } from "./broker/budget.js";
import type { ActuatorMirrorOptions, SetActuatorEnabled } from "./topics/actuators.js";
import type { DeviceMirrorOptions } from "./topics/devices.js";
import type { DisplayFacts } from "./topics/display.js";
import type { MirrorOptions } from "./topics/mirror.js";
import type { MovedPlants } from "./topics/passed-on.js";
import type { PresenceTopicOptions } from "./topics/presence.js";
import type { SlotCommands } from "./topics/slot-commands.js";
import type { SlotMirrorOptions } from "./topics/slots.js";

/** The part of the configuration's `mqtt` that this module uses, with the certificates (PEM) to trust of an external broker. */
export type MqttServiceSettings = Pick<
  MqttSettings,
  "prefix" | "heartbeat_seconds" | "homeassistant" | "broker"
> & {
  external: Pick<MqttSettings["external"], "url" | "username" | "password"> & { ca?: string | undefined };
};

export interface MqttOptions {
  settings: MqttServiceSettings;
  limits: MqttLimits;
  dataFolder: string;
  /** The same at each start; identifies the gateway's client at the broker. */
  installationId: string;
  /** The store lets only one process at a time use it, so no other gateway has the same installation id. */
  hasExclusiveStore: boolean;
  version: string;
  /** Base URL of the portal, for the device page of Home Assistant. */
  baseUrl(): string;
  hosts: Pick<HostNames, "accepts">;
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  /** Where targets and announcements are kept. */
  documents: DocumentArchive;
  accounts: { access(key: string): Access; sites(): readonly Site[] };
  /** Language of an account's user. */
  languageOf(accountId: string): Language;
  telemetry: {
    ingest(
      siteId: string,
      samples: Sample[],
      options: { thinSeconds: number },
    ): Promise<Pick<Ingested, "held">>;
    leaveOut(siteId: string, readings: readonly LeftOutReading[]): void;
  };
  /** The topics of other devices with readings of the plant. */
  telemetryMap(siteId: string): readonly TopicMapEntry[];
  /** Which topics outside their own the plants may use. */
  approvals: Pick<MqttApprovals, "mayRead" | "mayPublish" | "isUnrestricted" | "onChange">;
  sites: SiteRuntimes;
  /** In a fleet. */
  moved?: MovedPlants;
  plans: MirrorOptions["plans"];
  planDocument: MirrorOptions["planDocument"];
  forecastDocument: MirrorOptions["forecastDocument"];
  pvForecastDocument: MirrorOptions["pvForecastDocument"];
  savings: MirrorOptions["savings"];
  display: DisplayFacts;
  /** Topics that other parts of the gateway read, retained messages included. */
  listeners: readonly { topic: string; receive(payload: string): void }[];
  /** Operations served on `…/request/<name>`; they answer with the documents of HTTP, errors included. */
  requests: Readonly<Record<string, (siteId: string, body: object) => Promise<object>>>;
  /** A client of the embedded broker connected, sent something or left; `keyId` is that of its API key. */
  onClientActivity(siteId: string, keyId: string | undefined): void;
  /** The flexible devices. */
  slots: SlotCommands & { documents: SlotMirrorOptions["slotDocuments"] };
  /** Absences and guests. */
  presence: PresenceTopicOptions;
  /** `setEnabled` throws ActuatorInputError. */
  actuators: ActuatorMirrorOptions["actuators"] & { setEnabled: SetActuatorEnabled };
  devices: DeviceMirrorOptions["devices"];
  log: Log;
}
