"use strict";

const { createDocumentNode } = require("../../lib/document-node.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", live: true };

/** The price of the hour in progress, ct/kWh: all-in where the plant has a tariff. */
function priceNow({ prices = [] }) {
  const nowMs = Date.now();
  // A forecast begins with the hour in progress, which is right where this machine's clock is not.
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
