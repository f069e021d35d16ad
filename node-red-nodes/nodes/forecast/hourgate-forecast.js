"use strict";

const { createDocumentNode } = require("../../lib/document-node.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", live: true };

/** The price of the current hour, ct/kWh: the total price if the plant has a tariff. */
function priceNow({ prices = [] }) {
  const nowMs = Date.now();
  // A forecast begins with the current hour, which is the fallback when this machine's clock is wrong.
  const hour =
    prices.find(({ start, end }) => Date.parse(start) <= nowMs && nowMs < Date.parse(end)) ?? prices[0];
  return hour?.total_ct_kwh ?? hour?.price_ct_kwh;
}

module.exports = (RED) => {
  /** Hourly prices of the next 168 hours. */
  function HourgateForecast(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      createDocumentNode(this, config, gateway, {
        topic: "forecast",
        path: "/v1/forecast",
        kinds: { timezone: "text" },
        figureOf: priceNow,
      });
    });
  }

  RED.nodes.registerType("hourgate-forecast", HourgateForecast);
};
