import { once } from "node:events";
import { connect } from "node:net";
import mqttPacket, { type IConnectPacket, type Packet } from "mqtt-packet";

/** A client without a library: what it sends and receives are packets. */
export interface RawClient {
  readonly received: Packet[];
  send(packet: Packet): void;
  sendBytes(bytes: Buffer): void;
  /** The next packet of this kind that was not taken yet. */
  next<Kind extends Packet["cmd"]>(cmd: Kind): Promise<Extract<Packet, { cmd: Kind }>>;
  /** Resolves when the broker has closed the connection. */
  readonly closed: Promise<unknown>;
  close(): void;
}

/** A CONNECT packet with a password. */
export function connectPacket({
  password,
  ...options
}: Omit<Partial<IConnectPacket>, "password"> & { password?: string }): IConnectPacket {
  const credentials = password === undefined ? {} : { username: "raw", password: Buffer.from(password) };
  return {
    cmd: "connect",
    protocolId: "MQTT",
    protocolVersion: 4,
    clientId: "raw",
    keepalive: 60,
    clean: true,
    ...credentials,
    ...options,
  };
}

/** Connects and waits for the CONNACK, which is left to `next`. `level` claims another level of the protocol. */
export async function rawClient(
  port: number,
  packet: IConnectPacket,
  { level }: { level?: number } = {},
): Promise<RawClient> {
  const protocolVersion = level === undefined ? (packet.protocolVersion ?? 4) : 5;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = once(socket, "close");
  const received: Packet[] = [];
  const open: Packet[] = [];
  const waiting = new Set<() => void>();
  const parser = mqttPacket.parser({ protocolVersion });
  parser.on("packet", (one) => {
    received.push(one);
    open.push(one);
    for (const check of [...waiting]) check();
  });
  socket.on("data", (bytes) => parser.parse(bytes));
  const client: RawClient = {
    received,
    closed,
    sendBytes: (some) => void socket.write(some),
    send: (one) => void socket.write(mqttPacket.generate(one, { protocolVersion })),
    next: (cmd) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const index = open.findIndex((one) => one.cmd === cmd);
          const [found] = index === -1 ? [] : open.splice(index, 1);
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found as never);
        };
        waiting.add(check);
        void closed.then(() => reject(new Error(`The connection was closed before ${cmd}.`)));
        check();
      }),
    close: () => void socket.end(),
  };
  const bytes = mqttPacket.generate(packet, { protocolVersion });
  // The fixed header has two bytes, the name of the protocol six.
  if (level !== undefined) bytes[8] = level;
  socket.write(bytes);
  await Promise.race([closed, new Promise<void>((resolve) => parser.once("packet", () => resolve()))]);
  return client;
}
