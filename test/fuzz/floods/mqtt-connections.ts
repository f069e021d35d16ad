import { connect } from "node:net";
import { connectAsync } from "mqtt";
import type { Flood } from "./flood.js";

/** Idle connections without sign-in must not keep a device out. */
export const connectionFlood: Flood = {
  name: "MQTT connections",
  answerMs: 2000,
  async run({ mqttPort, tenant }) {
    const idle = Array.from({ length: 1000 }, () => connect(mqttPort, "127.0.0.1"));
    for (const socket of idle) socket.on("error", () => {});
    const started = performance.now();
    const device = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      ...tenant,
      clientId: "device",
      reconnectPeriod: 100,
    });
    const tookMs = performance.now() - started;
    await device.endAsync(true);
    for (const socket of idle) socket.destroy();
    if (tookMs > 10_000) throw new Error(`a device needed ${tookMs.toFixed(0)} ms to sign in`);
  },
};
