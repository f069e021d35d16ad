import { expect, it } from "vitest";
import type { BrokerConnection } from "../../../src/edges/mqtt/client/connection.js";
import { PassedOn } from "../../../src/edges/mqtt/topics/passed-on.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";

it("passes on what a moved home sent before the connection was ready", async () => {
  const sent: [string, string][] = [];
  const publish = async (topic: string, payload: Buffer) => void sent.push([topic, payload.toString()]);
  let connection: BrokerConnection | undefined;
  const passedOn = new PassedOn({
    topics: createTopics("hourgate/0"),
    moved: {
      origin: () => undefined,
      target: (plant) => (plant === "gone" ? "hourgate/1" : undefined),
      isExpected: async () => false,
    },
    isPlant: (plant) => plant === "home",
    connection: () => connection,
    isStopped: () => false,
  });
  const message = (topic: string) =>
    passedOn.take(topic, Buffer.from("42"), { retained: false, replyTo: undefined });
  const passed = message("hourgate/0/gone/telemetry/soc_pct");
  connection = { publish } as unknown as BrokerConnection;
  expect(await passed).toBe(true);
  expect(sent).toEqual([["hourgate/1/gone/telemetry/soc_pct", "42"]]);
  expect(message("hourgate/0/home/telemetry/soc_pct")).toBeUndefined();
});
