import { connect, createServer, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Settings } from "../../config/settings.js";
import { reachOfAddress } from "../../core/net/address.js";
import { errorCode } from "../../store/errors.js";
import { about, type DoctorTexts, type Finding } from "./finding.js";
import type { RunningGateway } from "./running-gateway.js";

const CONNECT_LIMIT_MS = 2_000;

interface Port {
  what: string;
  host: string;
  port: number;
  key: string;
  /** The sentence for a port that another program uses. */
  taken(port: number): string;
}

/** Examines the ports of the gateway: it must listen on them if it runs, otherwise they must be free. */
export async function examinePorts(
  { http, mqtt }: Settings,
  { gateway, texts }: { gateway: RunningGateway["state"]; texts: DoctorTexts },
): Promise<Finding[]> {
  const ports: Port[] = [];
  // If a program answers there, the finding about the gateway describes it.
  if (gateway === "none")
    ports.push({
      what: texts.what.httpPort,
      host: http.host,
      port: http.port,
      key: "http.port",
      taken: texts.port.takenHttp,
    });
  const { external, broker } = mqtt;
  const isEmbedded = external.url === null && broker.enabled;
  if (isEmbedded)
    ports.push({
      what: texts.what.mqttPort,
      host: broker.host,
      port: broker.port,
      key: "mqtt.broker.port",
      taken: texts.port.takenMqtt,
    });
  if (isEmbedded && broker.ws_port !== null)
    ports.push({
      what: texts.what.wsPort,
      host: broker.host,
      port: broker.ws_port,
      key: "mqtt.broker.ws_port",
      taken: texts.port.takenWs,
    });
  const findings = await Promise.all(
    ports.map((port) => (gateway === "running" ? examineServed(port, texts) : examineFree(port, texts))),
  );
  if (external.url === null && !broker.enabled)
    findings.push(about(texts.what.broker).ok(texts.port.noBroker));
  findings.push(examineEncryption({ http, mqtt }, machineAddresses(), texts));
  return findings;
}

/** Whether keys and passwords are encrypted on their way; if not, how far away they can be read. */
export function examineEncryption(
  { http, mqtt: { external, broker } }: Pick<Settings, "http" | "mqtt">,
  addresses: readonly string[],
  { what, port: texts }: DoctorTexts,
): Finding {
  const found = about(what.encryption);
  const isEmbedded = external.url === null && broker.enabled;
  const plain = [
    ...(http.tls === null ? [{ key: "http.tls", host: http.host }] : []),
    ...(isEmbedded && broker.tls === null ? [{ key: "mqtt.broker.tls", host: broker.host }] : []),
  ];
  if (plain.length === 0) return found.ok(texts.encrypted);
  const open = plain.filter(({ host }) => !/^(localhost|::1|127\..*)$/.test(host));
  if (open.length === 0) return found.ok(texts.plainHere);
  const keys = open.map(({ key }) => key);
  const listening = open.flatMap(({ host }) => {
    if (host === "0.0.0.0") return addresses.filter((address) => isIPv4(address));
    return host === "::" ? addresses : [host];
  });
  const atPublic = listening.find((address) => reachOfAddress(address, []) === "public");
  return atPublic === undefined
    ? found.note(texts.plain(keys))
    : found.warn(texts.plainPublic(keys, atPublic));
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

async function examineFree({ what, host, port, key, taken }: Port, texts: DoctorTexts): Promise<Finding> {
  const found = about(what);
  if (port === 0) return found.ok(texts.port.any);
  const fault = await listenFault(host, port);
  if (fault === undefined) return found.ok(texts.port.free(port));
  if (fault === "EADDRINUSE") return found.bad(taken(port));
  if (fault === "EACCES") return found.bad(texts.port.forbidden(port, key));
  return found.bad(texts.port.unusable(`${host}:${port}`, fault, key));
}

/** Why a port cannot be opened: the code of the error; undefined if it can. */
export function listenFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(errorCode(error) ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function examineServed({ what, host, port, key }: Port, texts: DoctorTexts): Promise<Finding> {
  const found = about(what);
  if (port === 0) return found.ok(texts.port.anyServed);
  return (await answers(host, port))
    ? found.ok(texts.port.served(port))
    : found.bad(texts.port.notServed(port, key));
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
