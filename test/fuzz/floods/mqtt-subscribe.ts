import { connectAsync } from "mqtt";
import type { Flood } from "./flood.js";

/** SUBSCRIBE packets with too many filters, and as many filters as are accepted, from one persistent session. */
export const subscribeFlood: Flood = {
  name: "MQTT subscriptions",
  answerMs: 2000,
  async run({ mqttPort, tenant }) {
    const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      ...tenant,
      clientId: "subscribe-flood",
      clean: false,
    });
    client.on("error", () => {});
    const filters = (count: number, round: number) =>
      Array.from({ length: count }, (_, index) => `hourgate/cabin/${round}/${index}/${"x/".repeat(10)}#`);
    // Without the limits the first of these packets ended the process.
    for (let round = 0; round < 5; round++)
      await client.subscribeAsync(filters(1500, round)).catch(() => undefined);
    for (let round = 5; round < 30; round++)
      await client.subscribeAsync(filters(100, round)).catch(() => undefined);
    await client.endAsync(true);
  },
};
