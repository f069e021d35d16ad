"use strict";

const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { nextChange } = require("../../lib/next-change.js");
const { startNode } = require("../../lib/start-node.js");
const { createSwitchNode } = require("../../lib/switch-node.js");

const DEFAULTS = { gateway: "", override: "auto", overrideMinutes: 120 };

module.exports = (RED) => {
  /** 1 while the battery is to be charged from the grid, otherwise 0; can be overridden. */
  function HourgateChargeNow(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      createSwitchNode(RED, this, config, gateway, {
        topic: "charge_now",
        topics: {},
        nextOf: ({ plan }, isOn) => nextChange(plan?.charge_hours, isOn, gatewayNowMs(plan)),
        extraOf: () => ({}),
        act: async () => false,
      });
    });
  }

  RED.nodes.registerType("hourgate-charge-now", HourgateChargeNow);
};
