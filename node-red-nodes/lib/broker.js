"use strict";

const { GatewayError } = require("./gateway-error.js");

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

/**
 * The broker named by the gateway's status, with the API key as the password of the embedded one. Gateways before 0.2 do not name it: then
 * port 1883 on the gateway's host. Throws GatewayError without a broker, and for a key, plant or topic prefix that is not the gateway's.
 */
function brokerOf(status, { url, apiKey, plant, prefix }) {
  const { mqtt: broker = { url: null, port: 1883 } } = status;
  checkKey(status);
  checkTopics(status, { plant, prefix });
  const { hostname } = new URL(url);
  if (broker.url) {
    const address = new URL(broker.url);
    // A broker on the gateway's own machine, which may be another one than this.
    if (LOOPBACK.test(address.hostname)) address.hostname = hostname;
    return { address: address.href.replace(/\/$/, "") };
  }
  if (broker.port === null)
    throw new GatewayError(
      "The gateway has no MQTT broker: enable mqtt.broker in its configuration, or enter the MQTT address.",
      "no_broker",
    );
  return { address: `mqtt://${hostname}:${broker.port}`, apiKey };
}

/** The broker at the address that was entered. Throws GatewayError for one that is none. */
function enteredBroker(address, apiKey) {
  if (!/^(mqtts?|wss?):\/\/[^/]/.test(address) || !URL.canParse(address))
    throw new GatewayError(
      `"${hostOf(address)}" is not a valid MQTT address: use the form mqtt://192.168.1.10:1883.`,
      "invalid_url",
    );
  return { address, apiKey };
}

/** Throws GatewayError without a key, and for one that the gateway does not know. */
function checkKey({ access }) {
  if (access?.token_present === false)
    throw new GatewayError(
      "The gateway node has no API key: enter one of the plant in the gateway node.",
      "unknown_key",
    );
  if (access?.token_valid === false)
    throw new GatewayError(
      "The gateway does not know this API key: enter one of the plant in the gateway node.",
      "unknown_key",
    );
}

/** Throws GatewayError for a plant that the key does not reach, and for another topic prefix than the gateway's. */
function checkTopics({ plants, mqtt }, { plant, prefix }) {
  if (plants !== undefined && plant !== undefined && !plants.includes(plant))
    throw new GatewayError(
      `The API key is for the plant ${plants.join(", ")}, not for "${plant}": correct the plant or the key in the gateway node.`,
      "wrong_plant",
    );
  if (mqtt?.prefix !== undefined && prefix !== undefined && mqtt.prefix !== prefix)
    throw new GatewayError(
      `The gateway's topics begin with "${mqtt.prefix}", not with "${prefix}": correct the topic prefix in the gateway node.`,
      "wrong_prefix",
    );
}

/** Host and port of an address. Error messages must not contain its user name and password. */
function hostOf(address) {
  try {
    return new URL(address).host;
  } catch {
    return address.replace(/^.*@/, "");
  }
}

/** Credentials for the broker: none when the address contains them, otherwise the API key as the password. */
function signInOf(address, apiKey) {
  if (/^\w+:\/\/[^/]*@/.test(address) || !apiKey) return {};
  return { username: "node-red", password: apiKey };
}

module.exports = { brokerOf, checkKey, checkTopics, enteredBroker, hostOf, signInOf };
