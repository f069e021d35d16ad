"use strict";

const { createDocumentNode } = require("../../lib/document-node.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", live: true, granularity: "both" };

module.exports = (RED) => {
  /** The PV yield of the plant for up to seven days. */
  function HourgatePvForecast(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      createDocumentNode(this, config, gateway, {
        topic: "pv_forecast",
        path: "/v1/plant/pv-forecast",
        kinds: { granularity: "text", days: "number", timezone: "text", locale: "text" },
        figureOf: ({ daily, total_kwh: totalKwh }) => daily?.[0]?.kwh ?? totalKwh,
      });
    });
  }

  RED.nodes.registerType("hourgate-pv-forecast", HourgatePvForecast);
};
