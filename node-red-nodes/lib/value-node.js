"use strict";

const { GatewayError } = require("./gateway-error.js");
const { createLiveNode } = require("./live-node.js");
const { onInput } = require("./start-node.js");

/**
 * A live node that gives out one thing: `payloadOf(values)` (undefined while it is not known) at each change, and for each
 * message that comes in. `topic` goes into `msg.topic`, `show(payload)` gives `{ value, next, isOn }` for the status,
 * `onPayload(message)` may send the message in another way than by the only output. With `answersItself` the caller
 * answers what comes in; `restsOnSoc` as in live-node.js.
 */
function createValueNode(
  node,
  gateway,
  { topic, topics, payloadOf, show, onPayload, answersItself, restsOnSoc },
) {
  let sent;
  let sinceMs;

  const messageOf = () => ({
    topic: live.topicOf(topic),
    payload: payloadOf(live.values()),
    stale: live.isStale(),
  });

  const emit = () => {
    const message = messageOf();
    if (message.payload === undefined) return;
    const text = JSON.stringify(message.payload);
    if (text === sent) return;
    sent = text;
    sinceMs = Date.now();
    if (onPayload) onPayload(message);
    else node.send(message);
  };

  const live = createLiveNode(node, gateway, {
    topics,
    ...(restsOnSoc === undefined ? {} : { restsOnSoc }),
    onValues: emit,
    show: (values) => {
      const payload = payloadOf(values);
      return payload === undefined ? {} : { sinceMs, ...show(payload) };
    },
  });

  if (!answersItself)
    onInput(node, async (msg, send) => {
      const message = messageOf();
      if (message.payload === undefined)
        throw new GatewayError("The gateway has not told this value yet.", "not_known");
      send({ ...msg, ...message });
    });

  node.on("close", () => live.close());
}

module.exports = { createValueNode };
