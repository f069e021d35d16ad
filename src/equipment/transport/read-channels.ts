import { setTimeout as wait } from "node:timers/promises";
import { filterMatches } from "../../core/domain/mqtt-filter.js";
import { localLookup, systemResolve } from "../../core/net/resolve.js";
import { DeviceError } from "../command.js";
import { authOf, foreignBrokerOf } from "../device-connection.js";
import { render, renderFlag, renderNumber } from "../expression.js";
import type { ReadChannels } from "../reading/channels.js";
import type { ReadingSource, TextRequest } from "../reading/compile.js";
import { addressLimits, hostAndPort } from "../released-hosts.js";
import { renderRequests } from "../render-requests.js";
import type { TemplateRequest, TemplateTransport } from "../template.js";
import { channelOf, type TransportSources } from "./create.js";
import { HttpTransport } from "./http.js";
import { checkAddress, modbusAddress, openModbus, TIMEOUT_S, urlOf } from "./modbus-address.js";
import { SPEEDWIRE } from "./speedwire.js";
import { askUdp } from "./udp-text.js";

export interface ReadChannelOptions {
  siteId: string;
  transport: TemplateTransport;
  /** Of the template's parameters. */
  values: Readonly<Record<string, unknown>>;
  sources: readonly ReadingSource[];
  now(): number;
}

const LARGEST_PAYLOAD = 64 * 1024;
/** A request that failed at once is repeated after this time. */
const AGAIN_MS = 100;
const RCT_PORT = 8_899;
const RCT_TIMEOUT_MS = 3_000;

/** The ways to a device within the rules of its site. Throws ActuatorInputError, ExpressionError. */
export function createReadChannels(shared: TransportSources, options: ReadChannelOptions): ReadChannels {
  const { siteId, transport, values, sources, now } = options;
  const { addresses, resolve = systemResolve } = shared;
  const limits = addressLimits(shared, siteId);
  const stops: (() => void | Promise<void>)[] = [];
  const starts: (() => void)[] = [];
  const stopped = new AbortController();
  let bytes = 0;

  const checked = (url: URL) => checkAddress(url, limits);
  const has = (...kinds: ReadingSource["kind"][]) => sources.some(({ kind }) => kinds.includes(kind));
  const modbus = has("register", "sunspec") ? connection() : undefined;
  const request = has("http") ? httpTransport() : undefined;
  const mqtt = has("mqtt") ? mqttChannel() : undefined;
  const rct = has("rct") ? rctConnection() : undefined;
  const obis = has("obis") ? telegrams() : undefined;

  function connection() {
    const { connection, release } = openModbus(shared, { siteId, transport, values });
    stops.push(release);
    return connection;
  }

  function rctConnection() {
    const { host, port } = modbusAddress(transport, { port: RCT_PORT, ...values });
    checked(urlOf(`http://${host}:${port}`));
    const lookup = localLookup(resolve, limits.allowPublic);
    const { connection, release } = addresses.rct({ host, port, lookup, timeoutMs: RCT_TIMEOUT_MS });
    stops.push(release);
    return connection;
  }

  function httpTransport() {
    const urls = sources.flatMap((one) => (one.kind === "http" ? [urlOf(one.request.url)] : []));
    urls.forEach(checked);
    const client = new HttpTransport({
      auth: authOf(transport, values),
      verifiesTls: transport.verify_tls === undefined || renderFlag(transport.verify_tls, values),
      timeoutMs: renderNumber(transport.timeout_s ?? TIMEOUT_S, values) * 1000,
      limits,
      ownHosts: [...new Set(urls.map(hostAndPort))],
      resolve,
      addresses,
    });
    stops.push(() => client.stop());
    return async (request: TextRequest): Promise<string> => {
      const { queue, reach } = addresses.http(request.url);
      return queue.run(async () => {
        reach.check(new URL(request.url).host);
        try {
          const text = await client.fetch(request, stopped.signal).catch(async (error: unknown) => {
            // Small devices take one connection, and need a moment to see that the last one is closed.
            if (!(error instanceof DeviceError) || error.fault !== "unreachable") throw error;
            await wait(AGAIN_MS);
            return client.fetch(request, stopped.signal);
          });
          reach.succeed();
          bytes += text.length + request.url.length;
          return text;
        } catch (error) {
          const isSilent = error instanceof DeviceError && ["timeout", "unreachable"].includes(error.fault);
          if (isSilent) reach.fail();
          else reach.succeed();
          throw error;
        }
      });
    };
  }

  function mqttChannel() {
    const channel = channelOf(shared, siteId, foreignBrokerOf(transport, values));
    const topics = [...new Set(sources.flatMap((one) => (one.kind === "mqtt" ? [one.topic] : [])))];
    const last = new Map<string, { text: string; atMs: number }>();
    const publish = (list: readonly TemplateRequest[]) => {
      for (const { topic = "", payload = "" } of renderRequests(list, { ...values, tick: tick++ }))
        void channel.publish(topic, payload).catch(() => {});
    };
    let tick = 0;
    const begin = () => {
      publish(transport.setup ?? []);
      publish(transport.keepalive?.requests ?? []);
    };
    starts.push(() => {
      const unsubscribe = channel.subscribe(topics, (topic, text) => {
        if (text.length > LARGEST_PAYLOAD) return;
        bytes += text.length + topic.length;
        const received = { text, atMs: now() };
        for (const filter of topics) if (filterMatches(filter, topic)) last.set(filter, received);
      });
      stops.push(
        unsubscribe,
        channel.onConnection((isConnected) => isConnected && begin()),
      );
      if (channel.isConnected) begin();
      if (transport.keepalive === undefined) return;
      const everyMs = renderNumber(transport.keepalive.every_s, values) * 1000;
      const timer = setInterval(() => channel.isConnected && publish(transport.keepalive!.requests), everyMs);
      timer.unref();
      stops.push(() => clearInterval(timer));
    });
    stops.push(() => channel.close?.());
    return {
      get isConnected() {
        return channel.isConnected;
      },
      last: (topic: string) => last.get(topic),
      ask: (topic: string, payload: string) => channel.publish(topic, payload),
    };
  }

  function telegrams() {
    const { group = SPEEDWIRE.group, port = SPEEDWIRE.port, serial = "" } = transport.speedwire ?? {};
    const { connection: listener, release } = addresses.speedwire({
      now,
      group,
      port: renderNumber(port, values),
    });
    const wanted = render(serial, values).trim();
    stops.push(release);
    return (code: string) => {
      const telegram = listener.telegram(wanted);
      const value = telegram?.values.get(code);
      return telegram === undefined || value === undefined ? undefined : { value, atMs: telegram.atMs };
    };
  }

  return {
    modbus,
    mqtt,
    obis,
    request,
    rct: rct && ((id) => rct.read(id)),
    async askUdp(text) {
      const { udp } = transport;
      const host = render(udp?.host ?? "{{ host }}", values).trim();
      const port = renderNumber(udp?.port ?? 0, values);
      checked(urlOf(`http://${host}:${port}`));
      const [found] = await resolve(host).catch(() => []);
      if (found === undefined) throw new DeviceError("unreachable", `${host} has no address`);
      const localPort = renderNumber(udp?.local_port ?? 0, values);
      // A fixed port hears one device at a time.
      const { queue } = addresses.http(localPort > 0 ? `udp port ${localPort}` : `http://${host}:${port}`);
      const answer = await queue.run(() =>
        askUdp({ host: found.address, port, localPort, text, timeoutMs: TIMEOUT_S * 1000 }),
      );
      bytes += text.length + answer.length;
      return answer;
    },
    get bytes() {
      return bytes + (modbus?.bytes ?? 0) + (rct?.bytes ?? 0);
    },
    start() {
      for (const start of starts.splice(0)) start();
    },
    async stop() {
      stopped.abort();
      await Promise.all(stops.splice(0).map((stop) => stop()));
    },
  };
}
