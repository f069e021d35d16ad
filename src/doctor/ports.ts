import { connect, createServer } from "node:net";
import type { Settings } from "../config/settings.js";
import { errorCode } from "../store/errors.js";
import { about, type Finding } from "./finding.js";
import type { RunningGateway } from "./running-gateway.js";

const CONNECT_LIMIT_MS = 2_000;

interface Port {
  what: string;
  host: string;
  port: number;
  key: string;
  /** What to do where another program has it. */
  otherwise: string;
}

/** The ports that the gateway listens on: taken by it where it runs, else free to be taken. */
export async function examinePorts(
  { http, mqtt }: Settings,
  gateway: RunningGateway["state"],
): Promise<Finding[]> {
  const ports: Port[] = [];
  // While something answers there, the finding about the gateway has told what it is.
  if (gateway === "none")
    ports.push({
      what: "HTTP port",
      ...http,
      key: "http.port",
      otherwise: "stop it or set http.port to a free one",
    });
  const embedded = mqtt.external.url === null && mqtt.broker.enabled;
  if (embedded)
    ports.push({
      what: "MQTT port",
      ...mqtt.broker,
      key: "mqtt.broker.port",
      otherwise:
        "it is often Mosquitto: stop it, set mqtt.broker.port to a free one, or join that broker with mqtt.external.url",
    });
  if (embedded && mqtt.broker.ws_port !== null)
    ports.push({
      what: "MQTT WebSocket port",
      host: mqtt.broker.host,
      port: mqtt.broker.ws_port,
      key: "mqtt.broker.ws_port",
      otherwise: "stop it or set mqtt.broker.ws_port to a free one",
    });
  const findings = await Promise.all(
    ports.map((port) => (gateway === "running" ? examineServed(port) : examineFree(port))),
  );
  const silent = mqtt.external.url === null && !mqtt.broker.enabled;
  return silent
    ? [...findings, about("MQTT broker").ok("None is configured: nothing is mirrored to MQTT.")]
    : findings;
}

async function examineFree({ what, host, port, key, otherwise }: Port): Promise<Finding> {
  const found = about(what);
  if (port === 0) return found.ok("Any free one is taken.");
  const fault = await listenFault(host, port);
  if (fault === undefined) return found.ok(`${port} is free.`);
  if (fault === "EADDRINUSE") return found.bad(`Another program has ${port}: ${otherwise}.`);
  if (fault === "EACCES")
    return found.bad(`This user may not listen on ${port}; set ${key} to one above 1023.`);
  return found.bad(`${host}:${port} cannot be listened on (${fault}); check ${key} and the host beside it.`);
}

function listenFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(errorCode(error) ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function examineServed({ what, host, port, key }: Port): Promise<Finding> {
  const found = about(what);
  if (port === 0) return found.ok("The gateway took any free one.");
  return (await answers(host, port))
    ? found.ok(`The gateway takes connections on ${port}.`)
    : found.bad(
        `The gateway runs, but nothing listens on ${port}: see its log, and restart it if ${key} was changed.`,
      );
}

function answers(host: string, port: number): Promise<boolean> {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return new Promise((resolve) => {
    const socket = connect({ host: reachable, port, timeout: CONNECT_LIMIT_MS });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
