"use strict";

const { configuredFields, fieldsOf, mergedFields } = require("../../lib/fields.js");
const { answerMessages } = require("../../lib/query-node.js");
const { startNode } = require("../../lib/start-node.js");

/** The fields of POST /v1/decision/windows. */
const FIELDS = {
  start: "text",
  end: "text",
  window_start_hour: "number",
  window_end_hour: "number",
  flex_pack: "number",
  mode: "text",
  role: "text",
  count: "number",
  energy_kwh: "number",
  max_power_kw: "number",
  timezone: "text",
  segments: "text",
  segment_consecutive: "text",
  hours_completed: "number",
  deadline_strict: "flag",
  repeat_daily: "flag",
  deadline_hour: "number",
  slot_id: "text",
  energy_delivered_kwh: "number",
  battery_to_ev_pct: "number",
  plugged: "number",
  allocation: "text",
};

const DEFAULTS = { gateway: "" };

module.exports = (RED) => {
  /** The cheapest or most expensive hours of a window, or the schedule of a flexible device. */
  function HourgateWindows(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const configured = configuredFields(config, FIELDS);
      answerMessages(this, {
        ask: (msg) =>
          gateway.api().call("POST", "/v1/decision/windows", {
            body: mergedFields(configured, fieldsOf(msg.payload)),
          }),
        show: ({ charge_now: value, next_start: next }) => ({ value, next }),
      });
    });
  }

  RED.nodes.registerType("hourgate-windows", HourgateWindows);
};
