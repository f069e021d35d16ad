"use strict";

const { startNode } = require("../../lib/start-node.js");
const { createValueNode } = require("../../lib/value-node.js");

const DEFAULTS = { gateway: "" };

module.exports = (RED) => {
  /** The maximum discharge power of the battery, kW, and its reason. */
  function HourgateDischargeCap(settings) {
    startNode(RED, this, settings, DEFAULTS, (_config, gateway) => {
      createValueNode(this, gateway, {
        topic: "discharge/power_kw",
        topics: { "discharge/power_kw": "number", "discharge/reason": "text" },
        payloadOf: ({ "discharge/power_kw": powerKw, "discharge/reason": reason }) =>
          powerKw === undefined || reason === undefined ? undefined : { discharge_power_kw: powerKw, reason },
        show: ({ discharge_power_kw: powerKw }) => ({ value: powerKw, isOn: powerKw > 0 }),
      });
    });
  }

  RED.nodes.registerType("hourgate-discharge-cap", HourgateDischargeCap);
};
