"use strict";

const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { nextChange } = require("../../lib/next-change.js");
const { pluggedOf, slotOf } = require("../../lib/slot-fields.js");
const { startNode } = require("../../lib/start-node.js");
const { createSwitchNode } = require("../../lib/switch-node.js");

const DEFAULTS = { gateway: "", slot: 1, override: "auto", overrideMinutes: 120 };

/** Sends `msg.plugged` and a request in `msg.payload` to the gateway; resolves to true when there was either. */
async function act(msg, live, slot) {
  const isRequest = typeof msg.payload === "object" && msg.payload !== null && !Array.isArray(msg.payload);
  if (msg.plugged !== undefined) await live.command(`slots/${slot}/plugged/set`, pluggedOf(msg.plugged));
  if (isRequest) await live.command(`slots/${slot}/set`, msg.payload);
  return isRequest || msg.plugged !== undefined;
}

module.exports = (RED) => {
  /** 1 while a flexible device (wallbox, boiler …) is to run, otherwise 0; accepts requests, plugged and an override. */
  function HourgateSlot(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const slot = slotOf(config.slot);
      const planTopic = `slots/${slot}/plan`;
      const nextTopic = `slots/${slot}/next_start`;
      createSwitchNode(RED, this, config, gateway, {
        topic: `slots/${slot}/charge_now`,
        topics: { [planTopic]: "json", [nextTopic]: "text" },
        nextOf: (values, isOn) =>
          nextChange(values[planTopic]?.windows, isOn, gatewayNowMs(values.plan)) ??
          (isOn ? null : (values[nextTopic] ?? null)),
        extraOf: (values) => ({ slot, plan: values[planTopic] ?? null }),
        act: (msg, live) => act(msg, live, slot),
        // The schedule of a device does not depend on the state of charge.
        dependsOnSoc: false,
      });
    });
  }

  RED.nodes.registerType("hourgate-slot", HourgateSlot);
};
