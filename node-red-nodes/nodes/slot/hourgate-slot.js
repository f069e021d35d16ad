"use strict";

const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { GatewayError } = require("../../lib/gateway-error.js");
const { nextChange } = require("../../lib/next-change.js");
const { startNode } = require("../../lib/start-node.js");
const { createSwitchNode } = require("../../lib/switch-node.js");

const DEFAULTS = { gateway: "", slot: 1, override: "auto", overrideMinutes: 120 };

const PLUGGED = new Map([
  ["1", 1],
  ["true", 1],
  ["0", 0],
  ["false", 0],
]);

/** Sends `msg.plugged` and a request in `msg.payload` to the gateway; resolves to true when there was either. */
async function act(msg, live, slot) {
  const isRequest = typeof msg.payload === "object" && msg.payload !== null && !Array.isArray(msg.payload);
  if (msg.plugged !== undefined) {
    const plugged = PLUGGED.get(String(msg.plugged).trim().toLowerCase());
    if (plugged === undefined)
      throw new GatewayError("msg.plugged must be 0 (not plugged in) or 1 (plugged in).", "invalid_plugged");
    await live.command(`slots/${slot}/plugged/set`, plugged);
  }
  if (isRequest) await live.command(`slots/${slot}/set`, msg.payload);
  return isRequest || msg.plugged !== undefined;
}

module.exports = (RED) => {
  /** 1 while a flexible device (wallbox, boiler …) is to run, otherwise 0; accepts requests, plugged and an override. */
  function HourgateSlot(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const slot = Number(config.slot);
      if (!Number.isInteger(slot) || slot < 1 || slot > 8)
        throw new GatewayError("The slot must be a number from 1 to 8.", "invalid_slot");
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
