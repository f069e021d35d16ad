import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Aedes, type AedesPublishPacket, type Client } from "aedes";

/** A recorded response of a gateway to a real request (2026-01-15, prices of that day). */
export const recorded = <Answer = Record<string, unknown>>(name: string): Answer =>
  JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), "utf8")) as Answer;

/** The gateway's topics at that time. */
export const topics = recorded<Record<string, string>>("topics");

export const KEY = `hg_live_${"t".repeat(43)}`;

export interface Asked {
  method: string;
  path: string;
  key: string | undefined;
  query: Record<string, string>;
  body: unknown;
}

const ANSWERS: Record<string, string> = {
  "POST /v1/decision/windows": "windows",
  "POST /v1/decision/hours-demand": "hours-demand",
  "GET /v1/forecast": "forecast",
  "GET /v1/plant/pv-forecast": "pv-forecast",
  "POST /v1/plant/telemetry": "telemetry",
  "GET /v1/plant/device-schedules": "device-schedules",
  "POST /v1/plant/device-overrides": "device-overrides",
};

/** What the nodes read of the status. */
const STATUS = { access: { token_present: true, token_valid: true }, plants: ["home", "cabin"] };

/** The gateway's HTTP API with recorded responses; unknown paths and requests without the key get the recorded error. */
export async function startHttp() {
  const asked: Asked[] = [];
  const askedStatus: Asked[] = [];
  const instead: { status: number; text: string; headers?: Record<string, string> }[] = [];
  const states: typeof instead = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://gateway");
      const text = Buffer.concat(chunks).toString();
      const key = request.headers["x-api-key"];
      const isStatus = url.pathname === "/v1/status";
      (isStatus ? askedStatus : asked).push({
        method: request.method ?? "",
        path: url.pathname,
        key: typeof key === "string" ? key : undefined,
        query: Object.fromEntries(url.searchParams),
        body: text === "" ? undefined : JSON.parse(text),
      });
      const set = (isStatus ? states : instead).shift();
      if (isStatus && set === undefined) {
        response.end(JSON.stringify(STATUS));
        return;
      }
      response.writeHead(set?.status ?? 200, { "Content-Type": "application/json", ...set?.headers });
      const name = key === KEY ? ANSWERS[`${request.method} ${url.pathname}`] : undefined;
      response.end(set?.text ?? JSON.stringify(recorded(name ?? "not-available")));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** Requests for the status, which has the plants of the key and the broker. */
    askedStatus,
    /** Overrides the response to the next request. */
    answerNext: (status: number, text: string, headers?: Record<string, string>) =>
      void instead.push({ status, text, ...(headers && { headers }) }),
    /** Overrides the response to the next request for the status. */
    answerStatusNext: (status: number, text: string) => void states.push({ status, text }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type HttpDouble = Awaited<ReturnType<typeof startHttp>>;

/**
 * A real broker with the API key as the password and the gateway's recorded retained messages. It acknowledges incoming
 * messages as the gateway does; `refuse` sets the error of the next acknowledgement.
 */
export async function startBroker({ port = 0, held = topics }: { port?: number; held?: typeof topics } = {}) {
  const broker = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const received: { topic: string; text: string }[] = [];
  const refusals: string[] = [];
  let connections = 0;
  broker.authenticate = (_client, _name, password, done) => done(null, password?.toString() === KEY);
  broker.authorizeSubscribe = (_client, subscription, done) =>
    done(null, /^hourgate\/(home\/|status$)/.test(subscription.topic) ? subscription : null);
  broker.on("client", () => void connections++);
  const publish = (topic: string, text: string, retain = true) =>
    new Promise<void>((done, fail) =>
      broker.publish(
        { cmd: "publish", topic, payload: Buffer.from(text), qos: 1, retain, dup: false },
        (error) => (error ? fail(error) : done()),
      ),
    );
  broker.on("publish", (packet: AedesPublishPacket, client: Client | null) => {
    if (client === null || packet.topic.startsWith("$")) return;
    const text = packet.payload.toString();
    received.push({ topic: packet.topic, text });
    const error = refusals.shift();
    const { id } = text.startsWith("{") ? (JSON.parse(text) as { id?: string }) : {};
    const ack = { topic: packet.topic, ok: error === undefined, error, id };
    publish("hourgate/home/ack", JSON.stringify(ack), false).catch((failure: unknown) => {
      // A broker that is stopped drops what it has not sent yet.
      if (!broker.closed) throw failure;
    });
  });
  for (const [topic, text] of Object.entries(held)) await publish(topic, text);
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    broker.handle(socket);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `mqtt://127.0.0.1:${bound}`,
    received,
    refuse: (message: string) => void refusals.push(message),
    connections: () => connections,
    publish,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await new Promise<void>((done) => broker.close(done));
    },
  };
}

export type BrokerDouble = Awaited<ReturnType<typeof startBroker>>;
