"use strict";

const { createLiveNode } = require("./live-node.js");
const { onInput } = require("./start-node.js");

/**
 * A live node with one value: `payloadOf(values)` (undefined while unknown) is sent at each change and for each incoming
 * message. `topic` becomes `msg.topic`, `show(payload)` returns `{ value, next, isOn }` for the status,
 * `onPayload(message)` replaces the sending to the first output. With `ownInput` the caller handles incoming messages;
 * `dependsOnSoc` as in live-node.js.
 */
function createValueNode(
  node,
  gateway,
  { topic, topics, payloadOf, show, onPayload, ownInput, dependsOnSoc },
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
    ...(dependsOnSoc === undefined ? {} : { dependsOnSoc }),
    onValues: emit,
    show: (values) => {
      const payload = payloadOf(values);
      return payload === undefined ? {} : { sinceMs, ...show(payload) };
    },
  });

  if (!ownInput)
    onInput(node, async (msg, send) => {
      const message = messageOf();
      if (message.payload === undefined) throw live.notKnown();
      send({ ...msg, ...message });
    });

  node.on("close", () => live.close());
}

module.exports = { createValueNode };
