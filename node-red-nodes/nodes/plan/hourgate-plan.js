"use strict";

const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { createContextValue } = require("../../lib/context-value.js");
const { nextChange } = require("../../lib/next-change.js");
const { differs, essenceOf, planEvent } = require("../../lib/plan-event.js");
const { startNode } = require("../../lib/start-node.js");
const { createValueNode } = require("../../lib/value-node.js");

const DEFAULTS = { gateway: "" };

module.exports = (RED) => {
  /** The full plan at each change (first output), and plant.plan_updated when a change requires an action (second). */
  function HourgatePlan(settings) {
    startNode(RED, this, settings, DEFAULTS, (_config, gateway) => {
      const stored = createContextValue(RED, this, "plan");
      // A promise chain: the previous plan must have been handled before the next one is compared with it.
      let lastNotified = stored.read().catch(() => undefined);

      const notify = (message) => {
        const essence = essenceOf(message.payload);
        lastNotified = lastNotified
          .then((before) => {
            const isFirst = before === undefined;
            if (!isFirst && !differs(before, essence, gatewayNowMs(message.payload))) {
              this.send([message, null]);
              // The reference stays the plan of the last event, so that small changes add up.
              return before;
            }
            this.send([message, isFirst ? null : { ...message, payload: planEvent(message.payload) }]);
            stored
              .write(essence)
              .catch((error) => this.error(`The plan could not be stored: ${error.message}.`, {}));
            return essence;
          })
          .catch((error) => {
            // The stored value was changed by hand or written by another version.
            this.error(`The plan could not be compared with the previous one: ${error.message}.`, {});
            this.send([message, null]);
            return essence;
          });
      };

      createValueNode(this, gateway, {
        topic: "plan",
        topics: { plan: "json" },
        payloadOf: ({ plan }) => plan,
        show: (plan) => ({
          value: plan.hours_needed,
          next: nextChange(plan.charge_hours, plan.charge_now === 1, gatewayNowMs(plan)),
          nowMs: gatewayNowMs(plan),
          isOn: plan.charge_now === 1,
        }),
        onPayload: notify,
      });
    });
  }

  RED.nodes.registerType("hourgate-plan", HourgatePlan);
};
