"use strict";

const { GatewayError } = require("../../lib/gateway-error.js");
const { startNode } = require("../../lib/start-node.js");
const { createValueNode } = require("../../lib/value-node.js");
const { outputs: OUTPUTS } = require("../../resources/outputs.js");

const DEFAULTS = { gateway: "", output: "O1" };

/** The output name `O7` for `O7`, `o7`, `7` or 7. Throws a GatewayError for unknown outputs. */
function outputName(value) {
  const number = /^o?(\d{1,2})$/i.exec(String(value).trim())?.[1];
  const name = `O${Number(number)}`;
  if (!Object.hasOwn(OUTPUTS, name))
    throw new GatewayError(
      `The output must be one of O1 to O${Object.keys(OUTPUTS).length}.`,
      "invalid_output",
    );
  return name;
}

module.exports = (RED) => {
  /** One of the outputs, as a number. */
  function HourgateOutput(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const topic = `outputs/${outputName(config.output)}`;
      createValueNode(this, gateway, {
        topic,
        topics: { [topic]: "number" },
        // Price and price quartile do not depend on the battery.
        dependsOnSoc: topic !== "outputs/O7" && topic !== "outputs/O8",
        payloadOf: (values) => values[topic],
        show: (value) => ({ value, isOn: value !== 0 }),
      });
    });
  }

  RED.nodes.registerType("hourgate-output", HourgateOutput);
};
