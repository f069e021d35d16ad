import type { Settings } from "./settings.js";

/**
 * The configured parts that this version accepts but does not serve yet, one sentence each. What merely stands at its
 * default is not listed.
 */
export function unservedParts(settings: Settings): string[] {
  const { mqtt, node_red: nodeRed, webhooks, smtp } = settings;
  const parts: string[] = [];
  const add = (configured: boolean, key: string, what: string) => {
    if (configured) parts.push(`${key}: ${what} not served by this version yet.`);
  };
  add(mqtt.external.url !== null, "mqtt.external", "joining an external broker is");
  add(mqtt.broker.ws_port !== null, "mqtt.broker.ws_port", "MQTT over WebSocket is");
  add(mqtt.telemetry.length > 0, "mqtt.telemetry", "telemetry from topics of other devices is");
  add(
    !mqtt.homeassistant.enabled || mqtt.homeassistant.prefix !== "homeassistant",
    "mqtt.homeassistant",
    "Home Assistant discovery is",
  );
  add(!nodeRed.enabled || nodeRed.path !== "/node-red", "node_red", "the embedded Node-RED editor is");
  add(webhooks.allow_private_hosts, "webhooks", "webhooks are");
  add(smtp !== null, "smtp", "mail is");
  return parts;
}
