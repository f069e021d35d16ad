"use strict";

const { GatewayError } = require("../../lib/gateway-error.js");
const { answerMessages } = require("../../lib/query-node.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", reading: "soc_pct", transport: "http" };

/** The body of POST /v1/plant/telemetry: a sample, a batch, or a scalar as the value of the selected reading. */
function bodyOf(payload, reading) {
  if (Array.isArray(payload)) return { samples: payload };
  if (typeof payload === "object" && payload !== null && !Buffer.isBuffer(payload)) return payload;
  if (typeof payload === "boolean") return { [reading]: payload ? 1 : 0 };
  if (typeof payload === "number" || (typeof payload === "string" && payload.trim() !== ""))
    return { [reading]: payload };
  throw new GatewayError(
    "msg.payload must be a number, an object with readings, or an array of such objects.",
    "invalid_payload",
  );
}

module.exports = (RED) => {
  /** Sends readings of the plant to the gateway; they are on disk when the answer arrives. */
  function HourgateTelemetry(settings) {
    startNode(RED, this, settings, DEFAULTS, ({ reading, transport }, gateway) => {
      // Opens the connection before the first reading arrives.
      if (transport === "mqtt") gateway.live().connect();
      answerMessages(this, {
        ask: async (msg) => {
          const body = bodyOf(msg.payload, reading);
          if (transport === "mqtt") return gateway.live().command("telemetry", body);
          const answer = await gateway.api().call("POST", "/v1/plant/telemetry", { body });
          // Valid readings are stored even when others in the same message are rejected.
          for (const { message } of answer.rejected ?? []) this.warn(message);
          return answer;
        },
        show: ({ accepted }) => ({ value: accepted ?? 1 }),
      });
    });
  }

  RED.nodes.registerType("hourgate-telemetry", HourgateTelemetry);
};
