"use strict";

const { randomUUID } = require("node:crypto");
const mqtt = require("mqtt");
const { createAcknowledgements } = require("./acknowledgements.js");
const { GatewayError } = require("./gateway-error.js");

const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const REFUSED_SUBSCRIPTION = 128;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** Delay before retry `attempt` (from 0), ms: doubles from 1 s up to a minute, reduced by up to 50 % (`random` 0 to 1). */
function backoffMs(attempt, random) {
  const full = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(full * (0.5 + random / 2));
}

/**
 * The broker named by the gateway's status, with the API key as the password of the embedded one. Gateways before 0.2 do not name it: then
 * port 1883 on the gateway's host. Throws GatewayError without a broker, and for a key that does not reach the plant.
 */
function brokerOf({ mqtt: broker = { url: null, port: 1883 }, access, plants }, { url, apiKey, plant }) {
  checkKey({ access, plants }, plant);
  if (broker.url) return { address: broker.url };
  if (broker.port === null)
    throw new GatewayError(
      "The gateway has no MQTT broker: enable mqtt.broker in its configuration, or enter the MQTT address.",
      "no_broker",
    );
  return { address: `mqtt://${new URL(url).hostname}:${broker.port}`, apiKey };
}

/** Throws GatewayError for a key that the gateway does not know, or that does not reach the plant. */
function checkKey({ access, plants }, plant) {
  if (access?.token_present === true && access.token_valid === false)
    throw new GatewayError(
      "The gateway does not know this API key: enter one of the plant in the gateway node.",
      "unknown_key",
    );
  if (plants !== undefined && plant !== undefined && !plants.includes(plant))
    throw new GatewayError(
      `The API key does not reach the plant "${plant}", only ${plants.join(", ")}: correct the plant or the key in the gateway node.`,
      "wrong_plant",
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

/**
 * The shared MQTT connection of a config node, to `mqttUrl` or the broker that `findBroker` resolves to
 * (`{ address, apiKey }`). It connects when the first topic is watched, reconnects with increasing
 * delays, and keeps the last text of each watched topic. A text is `confirmed` when it was received over the current
 * connection; an older one may have changed since.
 */
function createLiveConnection({ mqttUrl, apiKey, findBroker, prefix, plant, clientId, backoff = backoffMs }) {
  const root = `${prefix}/${plant}/`;
  const statusTopic = `${prefix}/status`;
  const topics = new Map();
  const stateListeners = new Set();
  const acknowledgements = createAcknowledgements();
  let client;
  let isSearching = false;
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
      // Depending on its version, the library reports a refusal as an error or as a reason code.
      if (error || granted.some(({ qos }) => qos >= REFUSED_SUBSCRIPTION))
        setState({
          problem: `The broker rejects subscriptions below ${root}: check the topic prefix, the plant, and whether the API key belongs to this plant.`,
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
    if (client !== undefined || isSearching || ended) return;
    if (mqttUrl) connect({ address: mqttUrl, apiKey });
    else void search();
  };

  /** Asks the gateway for its broker, again until it answers. */
  const search = async () => {
    isSearching = true;
    try {
      const broker = await findBroker();
      if (!ended) connect(broker);
      isSearching = false;
    } catch (error) {
      if (ended) return;
      setState({ connected: false, problem: error.message });
      timer = setTimeout(
        () => {
          timer = undefined;
          void search();
        },
        backoff(attempt++, Math.random()),
      );
    }
  };

  const connect = ({ address, apiKey: password }) => {
    try {
      client = mqtt.connect(address, {
        clientId,
        ...signInOf(address, password),
        clean: true,
        keepalive: KEEPALIVE_S,
        connectTimeout: CONNECT_TIMEOUT_MS,
        // The library's reconnect delay is constant; this module uses backoffMs.
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
      // 4: bad user name or password, 5: not authorized.
      const problem =
        error.code === 4 || error.code === 5
          ? "The broker rejects the credentials: check the API key, or user name and password in the MQTT address."
          : `The broker at ${hostOf(address)} cannot be reached (${error.code ?? error.message}); the connection is retried automatically.`;
      setState({ problem });
    });
    client.on("message", take);
  };

  return {
    state: () => state,
    /** Opens the connection before the first command. */
    connect: open,
    /** `<prefix>/<plant>/<name>`. */
    topicOf: (name) => root + name,
    /** Calls the listener with the current and later texts of `<prefix>/<plant>/<name>`. Returns a function that stops it. */
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
     * Sends a message to `<prefix>/<plant>/<name>`; resolves with the acknowledgement on `…/ack`. An object gets an `id`
     * for its acknowledgement; a scalar is matched by its topic.
     */
    async command(name, payload) {
      open();
      if (!client?.connected)
        throw new GatewayError(
          "There is no MQTT connection to the gateway; the message was not sent.",
          "not_connected",
        );
      const topic = root + name;
      const marked = typeof payload === "object" ? { ...payload, id: randomUUID() } : payload;
      const answer = acknowledgements.expect(topic, marked.id);
      client.publish(topic, typeof marked === "object" ? JSON.stringify(marked) : String(marked), { qos: 1 });
      return answer;
    },
    /** Closes the connection and removes all listeners. */
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

module.exports = { backoffMs, brokerOf, checkKey, createLiveConnection, hostOf, signInOf };
