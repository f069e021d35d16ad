"use strict";

const { randomUUID } = require("node:crypto");
const mqtt = require("mqtt");
const { createAcknowledgements } = require("./acknowledgements.js");
const { hostOf, signInOf } = require("./broker.js");
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

/** Reasons of a broker to refuse a connection, by MQTT 3.1.1's return code. */
const REFUSALS = {
  3: "The broker accepts no sign-in for now, as after several with wrong credentials; the connection is retried automatically.",
  4: "The broker rejects the credentials: check the API key, or user name and password in the MQTT address.",
};
REFUSALS[5] = REFUSALS[4];

/** `EPROTO` (what answers has no TLS), and errors of the MQTT library, which have no code: what answers is no broker. */
const problemOf = (code, address) => {
  if (REFUSALS[code] !== undefined) return { problem: REFUSALS[code], code: "refused" };
  return code === undefined || code === "EPROTO"
    ? {
        problem: `What is at ${hostOf(address)} does not answer as an MQTT broker: check host and port; the connection is retried automatically.`,
        code: "invalid_answer",
      }
    : {
        problem: `The broker at ${hostOf(address)} cannot be reached (${code}); the connection is retried automatically.`,
        code: "unreachable",
      };
};

/**
 * The shared MQTT connection of a config node, to the broker that `findBroker` resolves to (`{ address, apiKey }`). It is asked before
 * each attempt, since the broker may have moved; `check` rejects with a GatewayError for settings that a broker does not refuse.
 * The connection is made when the first topic is watched, again with increasing delays after a loss, and keeps the last text of each
 * watched topic. A text is `confirmed` when it was received over the current connection; an older one may have changed since.
 */
function createLiveConnection({ findBroker, check, prefix, plant, clientId, backoff = backoffMs }) {
  const root = `${prefix}/${plant}/`;
  const statusTopic = `${prefix}/status`;
  const topics = new Map();
  const stateListeners = new Set();
  const acknowledgements = createAcknowledgements();
  /** Commands that wait for the end of the current attempt to connect. */
  const waiting = new Set();
  let client;
  let isOpening = false;
  let attempt = 0;
  let timer;
  let ended = false;
  let state = { connected: false, online: true, problem: undefined, code: undefined };

  const setState = (change) => {
    const next = { ...state, ...change };
    if (Object.keys(next).every((name) => next[name] === state[name])) return;
    state = next;
    for (const listener of [...stateListeners]) listener(state);
    if (state.connected || state.problem !== undefined) proceed();
  };

  const proceed = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const subscribe = (names) => {
    if (names.length === 0) return;
    client.subscribe(names, { qos: 1 }, (error, granted = []) => {
      if (ended || !client.connected) return;
      // Depending on its version, the library reports a refusal as an error or as a reason code.
      if (error || granted.some(({ qos }) => qos >= REFUSED_SUBSCRIPTION))
        setState({
          problem: `The broker rejects subscriptions below ${root}: check the topic prefix, the plant, and whether the API key belongs to this plant.`,
          code: "refused",
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

  const open = async () => {
    if (client !== undefined || isOpening || timer !== undefined || ended) return;
    isOpening = true;
    try {
      const broker = await findBroker();
      if (!ended) connect(broker);
    } catch (error) {
      if (!ended) setState({ problem: error.message, code: error.code });
      retry();
    }
    isOpening = false;
  };

  const retry = () => {
    if (ended) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void open();
      },
      backoff(attempt++, Math.random()),
    );
  };

  const lost = () => {
    client.end(true);
    client = undefined;
    acknowledgements.abandon();
    for (const watched of topics.values()) watched.confirmed = false;
    setState({ connected: false });
    proceed();
    retry();
  };

  const connect = ({ address, apiKey }) => {
    const opened = mqtt.connect(address, {
      clientId,
      ...signInOf(address, apiKey),
      clean: true,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // The library would always connect to the same address, after a constant delay.
      reconnectPeriod: 0,
      reconnectOnConnackError: true,
      resubscribe: false,
      queueQoSZero: false,
    });
    client = opened;
    opened.on("connect", () => {
      attempt = 0;
      setState({ connected: true, online: true, problem: undefined, code: undefined });
      subscribe([statusTopic, `${root}ack`, ...[...topics.keys()].map((name) => root + name)]);
      check().catch((error) => {
        if (client === opened) setState({ problem: error.message, code: error.code });
      });
    });
    opened.on("close", () => {
      if (client !== opened || ended) return;
      if (!state.connected && state.problem === undefined) setState(problemOf(undefined, address));
      lost();
    });
    opened.on("error", ({ code, message }) => {
      if (client !== opened) return;
      setState(problemOf(code ?? (state.connected ? message : undefined), address));
    });
    opened.on("message", take);
  };

  return {
    state: () => state,
    /** Opens the connection before the first command. */
    connect: () => void open(),
    /** `<prefix>/<plant>/<name>`. */
    topicOf: (name) => root + name,
    /** Calls the listener with the current and later texts of `<prefix>/<plant>/<name>`. Returns a function that stops it. */
    watch(name, listener) {
      const watched = topics.get(name) ?? { listeners: new Set(), text: undefined, confirmed: false };
      const isNew = watched.listeners.size === 0;
      watched.listeners.add(listener);
      topics.set(name, watched);
      void open();
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
      void open();
      // The first message may come before the connection is made, and others while it is made again.
      if (!state.connected && state.problem === undefined && !ended)
        await new Promise((resolve) => waiting.add(resolve));
      if (!state.connected)
        throw new GatewayError(
          `${state.problem ?? "There is no MQTT connection to the gateway."} The message was not sent.`,
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
      proceed();
      acknowledgements.abandon();
      topics.clear();
      stateListeners.clear();
      if (client === undefined) return Promise.resolve();
      return new Promise((resolve) => client.end(true, {}, () => resolve()));
    },
  };
}

module.exports = { backoffMs, createLiveConnection };
