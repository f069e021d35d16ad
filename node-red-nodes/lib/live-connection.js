"use strict";

const { randomUUID } = require("node:crypto");
const mqtt = require("mqtt");
const { backoffMs } = require("./backoff.js");
const { createAcknowledgements } = require("./acknowledgements.js");
const { GatewayError } = require("./gateway-error.js");

const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const REFUSED_SUBSCRIPTION = 128;

/** mqttUrl, or where the gateway's own broker listens when only the HTTP address is known. */
function brokerUrl({ url, mqttUrl }) {
  if (mqttUrl) return mqttUrl;
  try {
    return `mqtt://${new URL(url).hostname}:1883`;
  } catch {
    return "mqtt://localhost:1883";
  }
}

/** Host and port of an address: who signs in there, and with what, is no matter for a message. */
function hostOf(address) {
  try {
    return new URL(address).host;
  } catch {
    return address.replace(/^.*@/, "");
  }
}

/** User name and password: those in the address (a broker of its own), else the key, which the gateway's broker knows. */
function signInOf(address, apiKey) {
  if (/^\w+:\/\/[^/]*@/.test(address) || !apiKey) return {};
  return { username: "node-red", password: apiKey };
}

/**
 * The one MQTT connection of a config node. It connects when the first topic is watched, stays connected with growing
 * waits between attempts, and keeps the last text of each watched topic. A text is `confirmed` while the broker has told
 * it in the connection that stands: what was known before a loss may have changed since.
 */
function createLiveConnection({ url, mqttUrl, apiKey, prefix, plant, clientId, backoff = backoffMs }) {
  const root = `${prefix}/${plant}/`;
  const statusTopic = `${prefix}/status`;
  const topics = new Map();
  const stateListeners = new Set();
  const acknowledgements = createAcknowledgements();
  let client;
  let attempt = 0;
  let timer;
  let ended = false;
  let state = { connected: false, online: true, problem: undefined };

  const setState = (change) => {
    const next = { ...state, ...change };
    if (Object.keys(next).every((name) => next[name] === state[name])) return;
    state = next;
    for (const listener of [...stateListeners]) listener(state);
  };

  const subscribe = (names) => {
    if (names.length === 0) return;
    client.subscribe(names, { qos: 1 }, (error, granted = []) => {
      if (ended || !client.connected) return;
      // The library makes an error of a refusal, or hands out the code, depending on its version.
      if (error || granted.some(({ qos }) => qos >= REFUSED_SUBSCRIPTION))
        setState({
          problem: `The broker refuses the topics below ${root}: check topic prefix and plant, and that the key belongs to this plant.`,
        });
    });
  };

  const take = (topic, payload) => {
    const text = payload.toString();
    if (topic === statusTopic) return setState({ online: text !== "offline" });
    if (!topic.startsWith(root)) return;
    const name = topic.slice(root.length);
    if (name === "ack") return acknowledgements.take(text);
    const watched = topics.get(name);
    if (watched === undefined) return;
    watched.text = text === "" ? undefined : text;
    watched.confirmed = true;
    for (const listener of [...watched.listeners]) listener(watched);
  };

  const lost = () => {
    acknowledgements.abandon();
    for (const watched of topics.values()) watched.confirmed = false;
    setState({ connected: false });
    if (ended || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        if (!ended) client.reconnect();
      },
      backoff(attempt++, Math.random()),
    );
  };

  const open = () => {
    if (client !== undefined || ended) return;
    const address = brokerUrl({ url, mqttUrl });
    try {
      client = mqtt.connect(address, {
        clientId,
        ...signInOf(address, apiKey),
        clean: true,
        keepalive: KEEPALIVE_S,
        connectTimeout: CONNECT_TIMEOUT_MS,
        // The waits between attempts are ours: those of the library do not grow.
        reconnectPeriod: 0,
        reconnectOnConnackError: true,
        resubscribe: false,
        queueQoSZero: false,
      });
    } catch (error) {
      setState({ problem: `The MQTT address cannot be used: ${error.message}.` });
      return;
    }
    client.on("connect", () => {
      attempt = 0;
      setState({ connected: true, online: true, problem: undefined });
      subscribe([statusTopic, `${root}ack`, ...[...topics.keys()].map((name) => root + name)]);
    });
    client.on("close", lost);
    client.on("error", (error) => {
      // 4 and 5: user name or password.
      const problem =
        error.code === 4 || error.code === 5
          ? "The broker refuses the sign-in: check the API key, or what the MQTT address says."
          : `The broker at ${hostOf(address)} cannot be reached (${error.code ?? error.message}); it is tried again.`;
      setState({ problem });
    });
    client.on("message", take);
  };

  return {
    state: () => state,
    /** Connects ahead of the first command. */
    connect: open,
    /** `<prefix>/<plant>/<name>`. */
    topicOf: (name) => root + name,
    /** Calls back with the texts of `<prefix>/<plant>/<name>`, the known one first; returns what ends it. */
    watch(name, listener) {
      const watched = topics.get(name) ?? { listeners: new Set(), text: undefined, confirmed: false };
      const isNew = watched.listeners.size === 0;
      watched.listeners.add(listener);
      topics.set(name, watched);
      open();
      if (isNew && client?.connected) subscribe([root + name]);
      if (watched.text !== undefined) listener(watched);
      return () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0 || topics.get(name) !== watched) return;
        topics.delete(name);
        if (client?.connected) client.unsubscribe(root + name);
      };
    },
    onState(listener) {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    /**
     * Sends a message to `<prefix>/<plant>/<name>`; resolves with the gateway's answer on `…/ack`. An object is given an
     * `id` by which its answer is known, a bare value goes by its topic.
     */
    async command(name, payload) {
      open();
      if (!client?.connected)
        throw new GatewayError(
          "There is no MQTT connection to the gateway; nothing was sent.",
          "not_connected",
        );
      const topic = root + name;
      const marked = typeof payload === "object" ? { ...payload, id: randomUUID() } : payload;
      const answer = acknowledgements.expect(topic, marked.id);
      client.publish(topic, typeof marked === "object" ? JSON.stringify(marked) : String(marked), { qos: 1 });
      return answer;
    },
    /** Ends the connection and every watch. */
    close() {
      ended = true;
      clearTimeout(timer);
      acknowledgements.abandon();
      topics.clear();
      stateListeners.clear();
      if (client === undefined) return Promise.resolve();
      return new Promise((resolve) => client.end(true, {}, () => resolve()));
    },
  };
}

module.exports = { brokerUrl, createLiveConnection, hostOf, signInOf };
