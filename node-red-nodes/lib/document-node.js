"use strict";

const { configuredFields, fieldsOf, mergedFields } = require("./fields.js");
const { answerMessages } = require("./query-node.js");
const { createValueNode } = require("./value-node.js");

/**
 * A node for a document that the gateway publishes over MQTT and also serves over HTTP. With `config.live` each change is
 * sent; each incoming message requests the document with the node's parameters. `figureOf(document)` returns the value
 * that the status shows.
 */
function createDocumentNode(node, config, gateway, { topic, path, kinds, figureOf }) {
  const configured = configuredFields(config, kinds);
  const handlers = {
    ask: (msg) => gateway.api().call("GET", path, { query: mergedFields(configured, fieldsOf(msg.payload)) }),
    show: (document) => ({ value: figureOf(document) }),
  };
  if (!config.live) return answerMessages(node, handlers);
  createValueNode(node, gateway, {
    topic,
    topics: { [topic]: "json" },
    payloadOf: (values) => values[topic],
    show: (document) => ({ value: figureOf(document), isOn: true }),
    ownInput: true,
    dependsOnSoc: false,
  });
  answerMessages(node, handlers);
}

module.exports = { createDocumentNode };
