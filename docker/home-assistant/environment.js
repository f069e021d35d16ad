/** The address from which the Supervisor passes on what comes through the ingress. */
const SUPERVISOR = "172.30.32.2";

/**
 * The gateway's environment in the add-on. `options`: /data/options.json; `broker`: Home Assistant's broker, undefined without
 * one; `config`: path of the user's configuration file, undefined without one.
 */
export function environmentOf({ options, broker, config }) {
  return {
    HOURGATE_DATA_DIR: "/data/hourgate",
    ...(config !== undefined && { HOURGATE_CONFIG: config }),
    HOURGATE_HTTP__PORT: "8080",
    HOURGATE_HTTP__TRUST_PROXY: `[${SUPERVISOR}]`,
    HOURGATE_HTTP__BASE_PATH: "ingress",
    // Home Assistant has a Node-RED add-on of its own.
    HOURGATE_NODE_RED__ENABLED: "false",
    HOURGATE_LOG__LEVEL: options.log_level,
    HOURGATE_LOG__FORMAT: "text",
    ...(options.base_url && { HOURGATE_HTTP__BASE_URL: options.base_url }),
    ...(options.owner_email && { HOURGATE_OWNER__EMAIL: options.owner_email }),
    ...(broker !== undefined && {
      HOURGATE_MQTT__EXTERNAL__URL: `${broker.ssl ? "mqtts" : "mqtt"}://${broker.host}:${broker.port}`,
      HOURGATE_MQTT__EXTERNAL__USERNAME: broker.username,
      HOURGATE_MQTT__EXTERNAL__PASSWORD: broker.password,
    }),
  };
}

/** Home Assistant's broker as the Supervisor knows it; undefined if there is none. Throws if the Supervisor does not answer. */
export async function brokerOf({ token, url = "http://supervisor" }) {
  const response = await fetch(`${url}/services/mqtt`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  return response.ok && answer.result === "ok" ? answer.data : undefined;
}
