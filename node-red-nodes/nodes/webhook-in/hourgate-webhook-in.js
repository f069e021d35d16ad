"use strict";

const { GatewayError } = require("../../lib/gateway-error.js");
const { isSigned } = require("../../lib/signature.js");
const { startNode } = require("../../lib/start-node.js");
const { clockText } = require("../../lib/status.js");
const { createWebhookEndpoint } = require("../../lib/webhook-endpoint.js");

const DEFAULTS = { path: "/hourgate" };

/** Verifies and answers one delivery. Returns the event, or undefined when it was rejected. */
function receive(request, response, body, secret) {
  const refuse = (status, reason) => void response.status(status).type("text/plain").send(`${reason}\n`);
  if (body === undefined) return refuse(413, "The body exceeds 1 MiB.");
  if (!isSigned(request.get("X-Service-Signature"), body, secret, Date.now()))
    return refuse(401, "The signature is invalid or differs by more than 300 s from the current time.");
  let event;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return refuse(400, "The body is not valid JSON.");
  }
  if (typeof event !== "object" || event === null || Array.isArray(event))
    return refuse(400, "The body is not a JSON object.");
  response.status(200).type("text/plain").send("ok\n");
  return event;
}

module.exports = (RED) => {
  const endpoint = createWebhookEndpoint(RED);

  /** Receives the gateway's events at a path of this Node-RED and sends those with a valid signature. */
  function HourgateWebhookIn(settings) {
    startNode(RED, this, settings, DEFAULTS, ({ path }) => {
      const secret = this.credentials?.secret?.trim();
      if (endpoint === undefined || RED.settings.httpNodeRoot === false)
        throw new GatewayError(
          "This Node-RED does not serve HTTP nodes (httpNodeRoot: false): set httpNodeRoot in settings.js.",
          "no_http",
        );
      if (!secret)
        throw new GatewayError(
          "The signing secret is missing: enter the one that the gateway showed.",
          "no_secret",
        );
      if (!endpoint.isFree(path))
        throw new GatewayError(`Another node uses the path ${path}: choose another one.`, "path_in_use");

      const stop = endpoint.listen(path, (request, response, body) => {
        const event = receive(request, response, body, secret);
        const time = clockText(Date.now());
        if (event === undefined) return void this.status({ fill: "red", shape: "ring", text: `– ${time}` });
        const name = String(event.event ?? "");
        // "plant.plan_updated 06:10" exceeds 20 characters.
        const shortName = name.slice(name.indexOf(".") + 1).slice(0, 14) || "–";
        this.status({ fill: "green", shape: "dot", text: `${shortName} ${time}` });
        this.send({ topic: name, payload: event });
      });
      this.on("close", stop);
    });
  }

  RED.nodes.registerType("hourgate-webhook-in", HourgateWebhookIn, {
    credentials: { secret: { type: "password" } },
  });
};
