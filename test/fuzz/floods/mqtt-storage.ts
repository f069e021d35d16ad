import { connect, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { connectPacket, publishPacket } from "../mqtt-cases.js";
import type { Flood } from "./flood.js";

const FLOOD_MS = 3000;

/** Everything that a broker stores: QoS 2 without PUBREL, absent sessions with queues, retained messages. */
export const storageFlood: Flood = {
  name: "MQTT storage",
  answerMs: 3000,
  async run({ mqttPort, tenant }) {
    const url = `mqtt://127.0.0.1:${mqttPort}`;
    for (let index = 0; index < 150; index++) {
      const session = await connectAsync(url, { ...tenant, clientId: `absent-${index}`, clean: false });
      session.on("error", () => {});
      await session.subscribeAsync("hourgate/cabin/#", { qos: 1 }).catch(() => undefined);
      await session.endAsync(true);
    }
    const sockets = Array.from({ length: 20 }, (_, index) => rawFlooder(mqttPort, tenant, index));
    const over = performance.now() + FLOOD_MS;
    const payload = Buffer.alloc(100_000, "x");
    for (let id = 1; performance.now() < over; id++) {
      for (const socket of sockets) {
        if (socket.writableLength > 1_000_000 || socket.destroyed) continue;
        socket.write(publishPacket("hourgate/cabin/telemetry", payload, { qos: 2, id: id % 65_000 || 1 }));
        socket.write(
          publishPacket(`hourgate/cabin/telemetry/${id}`, payload, { qos: 1, id: 1, retain: true }),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const socket of sockets) socket.destroy();
  },
};

function rawFlooder(
  port: number,
  { username, password }: { username: string; password: string },
  index: number,
): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(connectPacket({ username, password, clientId: `raw-${index}`, clean: false }));
  return socket;
}
