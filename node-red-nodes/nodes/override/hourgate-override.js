"use strict";

const { configuredFields } = require("../../lib/fields.js");
const { GatewayError } = require("../../lib/gateway-error.js");
const { requestTime } = require("../../lib/gateway-time.js");
const { answerMessages } = require("../../lib/query-node.js");
const { slotOf } = require("../../lib/slot-fields.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", slot: 1, override: "run", until: "", minutes: "" };

/** Of a vehicle: its target, its least state of charge for now, the energy of a guest. */
const VALUES = { target_soc_pct: "number", min_soc_pct: "number", energy_kwh: "number" };

const isGiven = (value) => value !== undefined && value !== null && value !== "";

/** End of the override in minutes. Throws a GatewayError for anything that is no positive number. */
function minutesOf(value) {
  const minutes = Number(String(value).trim().replace(",", "."));
  if (!(minutes > 0 && minutes <= 10_080))
    throw new GatewayError(
      "msg.override_minutes must be a number above 0, at most 10080 (7 days).",
      "invalid_override",
    );
  return minutes;
}

/** The end that the message gives, else that of the dialog: `{ until }`, `{ minutes }` or neither. */
function endOf(msg, config) {
  if (isGiven(msg.override_until)) return { until: msg.override_until };
  if (isGiven(msg.override_minutes)) return { minutes: minutesOf(msg.override_minutes) };
  if (isGiven(config.until)) return { until: config.until };
  return isGiven(config.minutes) ? { minutes: minutesOf(config.minutes) } : {};
}

/** The time of the request; undefined: the gateway's default. `issuedAt` resolves with the gateway's time. */
async function untilOf({ until, minutes }, issuedAt) {
  if (minutes !== undefined) return new Date(Date.parse(await issuedAt()) + minutes * 60_000).toISOString();
  if (until === undefined) return undefined;
  const isClock = /^\s*\d?\d:\d\d\s*$/.test(until);
  return requestTime(until, isClock ? await issuedAt() : "");
}

module.exports = (RED) => {
  /** Overrides the schedule of a slot on the gateway until a time. */
  function HourgateOverride(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const call = (...request) => gateway.api().call(...request);
      const issuedAt = async () => (await call("GET", "/v1/plant/device-schedules")).issued_at;
      answerMessages(this, {
        ask: async (msg) => {
          const slot = slotOf(msg.slot ?? config.slot);
          const override = String(msg.override ?? config.override)
            .trim()
            .toLowerCase();
          const until = override === "auto" ? undefined : await untilOf(endOf(msg, config), issuedAt);
          const body = {
            slot_id: slot,
            override,
            ...(until !== undefined && { until }),
            ...configuredFields(msg, VALUES),
          };
          return call("POST", "/v1/plant/device-overrides", { body });
        },
        show: ({ recipes: [schedule] }) => ({ value: schedule.override, next: schedule.override_until }),
      });
    });
  }

  RED.nodes.registerType("hourgate-override", HourgateOverride);
};
