"use strict";

const { randomBytes } = require("node:crypto");
const { createGatewayApi } = require("../../lib/gateway-api.js");
const { brokerOf, checkKey, createLiveConnection } = require("../../lib/live-connection.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { url: "http://localhost:8080", mqttUrl: "", prefix: "hourgate", plant: "home" };

module.exports = (RED) => {
  /** The gateway of one plant: its HTTP API and the MQTT connection shared by all live nodes. */
  function HourgateConfig(settings) {
    startNode(RED, this, settings, DEFAULTS, ({ url, mqttUrl, prefix, plant }) => {
      const apiKey = this.credentials?.apiKey?.trim();
      const api = createGatewayApi({ url: url.trim(), apiKey });
      const status = () => api.call("GET", "v1/status");
      let live;
      let isChecked = false;
      this.api = () => api;
      /** Rejects with a GatewayError if HTTP calls with the key are about another plant than the configured one. */
      this.checkPlant = async () => {
        if (isChecked) return;
        const { access, plants } = await status();
        checkKey({ access, plants: plants?.slice(0, 1) }, plant.trim());
        isChecked = true;
      };
      this.live = () => {
        // Connects with the first live node: flows with queries only need no broker.
        live ??= createLiveConnection({
          mqttUrl: mqttUrl.trim(),
          apiKey,
          findBroker: async () => brokerOf(await status(), { url: url.trim(), apiKey, plant: plant.trim() }),
          prefix: prefix.trim(),
          plant: plant.trim(),
          clientId: `hg-nr-${randomBytes(8).toString("hex")}`,
        });
        return live;
      };
      this.on("close", (done) => {
        Promise.resolve(live?.close()).finally(done);
      });
    });
  }

  RED.nodes.registerType("hourgate-config", HourgateConfig, {
    credentials: { apiKey: { type: "password" } },
  });
};
