"use strict";

const { configuredFields, fieldsOf, mergedFields } = require("../../lib/fields.js");
const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { nextChange } = require("../../lib/next-change.js");
const { answerMessages } = require("../../lib/query-node.js");
const { startNode } = require("../../lib/start-node.js");

/** The fields of POST /v1/decision/hours-demand by group; in the dialog their names are joined, as `battery_soc_pct`. */
const GROUPS = {
  battery: {
    soc_pct: "number",
    capacity_kwh: "number",
    min_soc_pct: "number",
    max_soc_pct: "number",
    max_charge_power_kw: "number",
    max_discharge_power_kw: "number",
    efficiency_pct: "number",
    grid_charge_allowed: "flag",
  },
  meter: { import_kwh: "number", export_kwh: "number" },
  load: { power_kw: "number", daily_kwh: "number", hourly_kwh: "numbers", ev_power_kw: "number" },
  pv: { power_kw: "number", daily_kwh: "numbers", hourly_kwh: "numbers" },
};

const DEFAULTS = { gateway: "" };

const hasAny = (fields) => Object.keys(fields).length > 0;

/** The configured request in the form of the API. */
function configuredRequest(config) {
  const request = configuredFields(config, { timezone: "text", locale: "text" });
  for (const [group, kinds] of Object.entries(GROUPS)) {
    const own = Object.fromEntries(Object.keys(kinds).map((name) => [name, config[`${group}_${name}`]]));
    const fields = configuredFields(own, kinds);
    // "Not allowed" is an explicit choice here, unlike a cleared checkbox.
    if (own.grid_charge_allowed === "false") fields.grid_charge_allowed = false;
    if (hasAny(fields)) request[group] = fields;
  }
  return request;
}

/** The configured request overridden by the message's fields, also within each group. */
function requestOf(configured, given) {
  const request = mergedFields(configured, given);
  for (const group of Object.keys(GROUPS)) {
    const own = given[group];
    // An array is sent unchanged; the gateway rejects it.
    if (typeof own === "object" && own !== null && !Array.isArray(own))
      request[group] = mergedFields(configured[group], own);
  }
  return request;
}

module.exports = (RED) => {
  /** The number of charging hours needed and which hours they are. */
  function HourgateHoursDemand(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const configured = configuredRequest(config);
      answerMessages(this, {
        ask: (msg) =>
          gateway.api().call("POST", "/v1/decision/hours-demand", {
            body: requestOf(configured, fieldsOf(msg.payload)),
          }),
        show: (plan) => ({
          value: plan.hours_needed,
          next: nextChange(plan.charge_hours, plan.charge_now === 1, gatewayNowMs(plan)),
        }),
      });
    });
  }

  RED.nodes.registerType("hourgate-hours-demand", HourgateHoursDemand);
};
