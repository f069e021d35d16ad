"use strict";

const { migrate } = require("../resources/migrations.js");

/** The status of a node that cannot work. */
const BROKEN = { fill: "red", shape: "ring", text: "–" };

/** Tells why the node cannot work: now to the log, and to the catch nodes for each message. */
function refuse(node, error) {
  node.status(BROKEN);
  node.error(error.message);
  node.on("input", (_msg, _send, done) => done(error));
}

/**
 * Creates a node with its settings brought to this version and completed with `defaults`, then runs
 * `start(config, gateway)`. What goes wrong there is said once to the log and again for each message; it is never thrown.
 */
function startNode(RED, node, settings, defaults, start) {
  RED.nodes.createNode(node, settings);
  // What stood there before the deploy is over.
  node.status({});
  try {
    const config = migrate(settings, defaults);
    if (!("gateway" in defaults)) return start(config);
    const gateway = RED.nodes.getNode(config.gateway);
    if (typeof gateway?.live !== "function")
      throw new Error("This node has no gateway: open it and choose or add one.");
    start(config, gateway);
  } catch (error) {
    refuse(node, error);
  }
}

/** Calls an asynchronous handler for each message; what it throws goes to `done`, and so to the catch nodes. */
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
