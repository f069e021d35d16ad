"use strict";

const { configuredFields, fieldsOf, mergedFields } = require("./fields.js");
const { answerMessages } = require("./query-node.js");
const { createValueNode } = require("./value-node.js");

/**
 * A node for a document that the gateway both publishes and answers with: pushed at each change where `config.live`
 * says so, and asked for, with the node's own parameters, by each message. `figureOf(document)` is the figure of the status.
 */
function createDocumentNode(node, config, gateway, { topic, path, kinds, figureOf }) {
  const configured = configuredFields(config, kinds);
  const questions = {
    ask: (msg) => gateway.api().call("GET", path, { query: mergedFields(configured, fieldsOf(msg.payload)) }),
    show: (document) => ({ value: figureOf(document) }),
  };
  if (!config.live) return answerMessages(node, questions);
  createValueNode(node, gateway, {
    topic,
    topics: { [topic]: "json" },
    payloadOf: (values) => values[topic],
    show: (document) => ({ value: figureOf(document), isOn: true }),
    answersItself: true,
    restsOnSoc: false,
  });
  answerMessages(node, questions);
}

module.exports = { createDocumentNode };
