import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { listenTcp } from "./listen.js";
import { MAX_PACKET_BYTES } from "./packet-guard.js";

export interface WebSocketListener {
  readonly port: number;
  stop(): Promise<void>;
}

/** A frame may hold several packets; what one packet may hold is the broker's own limit. */
const MAX_FRAME_BYTES = 16 * MAX_PACKET_BYTES;
const MAX_CONNECTIONS = 1000;

/**
 * Listens for MQTT over WebSocket (subprotocol `mqtt`, any path) and hands each connection on as a stream of bytes.
 * Throws BrokerError when it cannot listen.
 */
export async function listenWebSocket(
  { host, port }: { host: string; port: number },
  onConnection: (stream: Duplex) => void,
): Promise<WebSocketListener> {
  const server = createServer((_request, response) => {
    response.writeHead(426, { "content-type": "text/plain", upgrade: "websocket" });
    response.end("This port speaks MQTT over WebSocket.\n");
  });
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new WebSocketServer({
    server,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has("mqtt") ? "mqtt" : false),
  });
  // The server's own errors come out here a second time; listen() below tells of them.
  sockets.on("error", () => {});
  const open = new Set<WebSocket>();
  sockets.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    onConnection(createWebSocketStream(socket));
  });
  await listenTcp(server, { host, port }, "mqtt.broker.ws_port");
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}
