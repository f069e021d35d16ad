"use strict";

const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { createKept } = require("../../lib/kept.js");
const { nextChange } = require("../../lib/next-change.js");
const { differs, essenceOf, planEvent } = require("../../lib/plan-event.js");
const { startNode } = require("../../lib/start-node.js");
const { createValueNode } = require("../../lib/value-node.js");

const DEFAULTS = { gateway: "" };

module.exports = (RED) => {
  /** The whole plan at each change (first output), and plant.plan_updated where one has to act on it (second). */
  function HourgatePlan(settings) {
    startNode(RED, this, settings, DEFAULTS, (_config, gateway) => {
      const kept = createKept(RED, this, "plan");
      // One after the other: what was told last must be known before the next plan is looked at.
      let told = kept.read().catch(() => undefined);

      const tell = (message) => {
        const essence = essenceOf(message.payload);
        told = told
          .then((before) => {
            const isFirst = before === undefined;
            if (!isFirst && !differs(before, essence, gatewayNowMs(message.payload))) {
              this.send([message, null]);
              // Compared with what was told last, not with what came last: small steps add up to a change.
              return before;
            }
            this.send([message, isFirst ? null : { ...message, payload: planEvent(message.payload) }]);
            kept
              .write(essence)
              .catch((error) => this.error(`The plan cannot be kept over a restart: ${error.message}.`, {}));
            return essence;
          })
          .catch((error) => {
            // What was kept is of another form, changed by hand or by another version.
            this.error(`The plan cannot be compared with the one before: ${error.message}.`, {});
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
        onPayload: tell,
      });
    });
  }

  RED.nodes.registerType("hourgate-plan", HourgatePlan);
};
