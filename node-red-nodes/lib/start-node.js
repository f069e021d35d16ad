"use strict";

const { migrate } = require("../resources/migrations.js");

/** The status of a node with invalid settings. */
const FAILED = { fill: "red", shape: "ring", text: "–" };

/** Reports the error of a node with invalid settings: once to the log, and to the catch nodes for each message. */
function fail(node, error) {
  node.status(FAILED);
  node.error(error.message);
  node.on("input", (_msg, _send, done) => done(error));
}

/**
 * Creates a node, migrates its settings to the current version, adds `defaults`, and calls `start(config, gateway)`.
 * Errors are reported to the log and for each message; they are not thrown.
 */
function startNode(RED, node, settings, defaults, start) {
  RED.nodes.createNode(node, settings);
  // Clears the status from before the deploy.
  node.status({});
  try {
    const config = migrate(settings, defaults);
    if (!("gateway" in defaults)) return start(config);
    const gateway = RED.nodes.getNode(config.gateway);
    if (typeof gateway?.live !== "function")
      throw new Error("This node has no gateway: open the node and select or add one.");
    start(config, gateway);
  } catch (error) {
    fail(node, error);
  }
}

/** Calls an asynchronous handler for each message; its errors are passed to `done` and so to the catch nodes. */
function onInput(node, handle) {
  node.on("input", (msg, send, done) => {
    Promise.resolve()
      .then(() => handle(msg, send))
      .then(
        () => done(),
        (error) => done(error),
      );
  });
}

module.exports = { onInput, startNode };
