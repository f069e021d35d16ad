import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connectPacket, publishPacket } from "../mqtt-cases.js";
import type { Flood } from "./flood.js";

const FLOOD_MS = 3000;

/** Telemetry with QoS 0, as fast as the connection takes it: only the flooder's own messages may be delayed. */
export const publishFlood: Flood = {
  name: "MQTT publishes",
  answerMs: 2000,
  async run({ mqttPort, tenant }) {
    const socket = connect(mqttPort, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write(connectPacket({ ...tenant, clientId: "publish-flood", clean: true }));
    const packet = publishPacket("hourgate/cabin/telemetry/soc_pct", Buffer.from("50"), { qos: 0, id: 0 });
    const burst = Buffer.concat(Array.from({ length: 200 }, () => packet));
    const over = performance.now() + FLOOD_MS;
    while (performance.now() < over) {
      if (socket.writableLength < 1_000_000) socket.write(burst);
      else await wait(5);
      await new Promise(setImmediate);
    }
    socket.destroy();
  },
};
