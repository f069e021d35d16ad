"use strict";

const { randomBytes } = require("node:crypto");
const { createGatewayApi } = require("../../lib/gateway-api.js");
const { brokerOf, checkKey, checkTopics, enteredBroker } = require("../../lib/broker.js");
const { createLiveConnection } = require("../../lib/live-connection.js");
const { startNode } = require("../../lib/start-node.js");

const DEFAULTS = { url: "http://localhost:8080", mqttUrl: "", prefix: "hourgate", plant: "home" };

module.exports = (RED) => {
  /** The gateway of one plant: its HTTP API and the MQTT connection shared by all live nodes. */
  function HourgateConfig(settings) {
    startNode(RED, this, settings, DEFAULTS, (config) => {
      const [url, mqttUrl, prefix, plant] = ["url", "mqttUrl", "prefix", "plant"].map((name) =>
        config[name].trim(),
      );
      const apiKey = this.credentials?.apiKey?.trim();
      const api = createGatewayApi({ url, apiKey });
      const status = () => api.call("GET", "v1/status");
      let live;
      let isChecked = false;
      /** Rejects with a GatewayError if calls with the key are about another plant than the configured one. */
      const checkPlant = async () => {
        // Prices are also given without a key.
        if (isChecked || !apiKey) return;
        const answer = await status();
        checkKey(answer);
        checkTopics({ plants: answer.plants?.slice(0, 1) }, { plant });
        isChecked = true;
      };
      this.api = () => ({
        call: async (...request) => {
          await checkPlant();
          return api.call(...request);
        },
      });
      this.live = () => {
        // Connects with the first live node: flows with queries only need no broker.
        live ??= createLiveConnection({
          findBroker: async () =>
            mqttUrl
              ? enteredBroker(mqttUrl, apiKey)
              : brokerOf(await status(), { url, apiKey, plant, prefix }),
          check: async () => {
            if (!mqttUrl) return;
            // A broker may be reached where the gateway itself is not.
            const answer = await status().catch(() => ({}));
            checkTopics(answer, { plant, prefix });
          },
          prefix,
          plant,
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
