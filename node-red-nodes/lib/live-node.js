"use strict";

const { GatewayError } = require("./gateway-error.js");
const { liveStatus } = require("./status.js");

/** Related values arrive as separate messages; this is how long a node waits for the remaining ones, ms. */
const SETTLE_MS = 50;

const readNumber = (text) => {
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? undefined : value;
};

const readText = (text) => text;

/** A JSON object; undefined for other text. */
const readJson = (text) => {
  try {
    const document = JSON.parse(text);
    return typeof document === "object" && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
};

/** Parsers by the kind of a topic. */
const READERS = { json: readJson, number: readNumber, text: readText };

/**
 * Subscribes a node to topics of the gateway, updates its status and reports each connection problem once.
 *
 * `topics` maps each topic to its kind (`number`, `text`, `json`); `onValues(values)` is called after a change once
 * related values have arrived; `show(values)` returns the arguments of liveStatus (status.js); with `dependsOnSoc` an
 * outdated state of charge makes the value stale.
 */
function createLiveNode(node, gateway, { topics, onValues, show, dependsOnSoc = true }) {
  const live = gateway.live();
  const values = {};
  const texts = {};
  const confirmed = {};
  const staleTopic = "soc_stale";
  const names = Object.keys(topics);
  let settling;
  let staleSinceMs;
  let lastProblem;

  const isStale = () => {
    const { connected, online } = live.state();
    if (!connected || !online || texts[staleTopic] === "1") return true;
    return names.some((name) => values[name] !== undefined && !confirmed[name]);
  };

  /** An uncaught error in a timer or listener would terminate Node-RED with all its flows. */
  const guarded = (work) => {
    try {
      work();
    } catch (error) {
      node.error(`A value from the broker could not be processed: ${error.message}.`, {});
    }
  };

  const refresh = () =>
    guarded(() => {
      const shown = show(values);
      if (!isStale()) staleSinceMs = undefined;
      else staleSinceMs ??= Date.now();
      const { connected, problem } = live.state();
      node.status(liveStatus({ ...shown, connected: connected && problem === undefined, staleSinceMs }));
    });

  /** Reports a problem of the connection once; it may be older than the node. */
  const report = () => {
    const { problem, code } = live.state();
    if (problem !== undefined && problem !== lastProblem) node.error(new GatewayError(problem, code), {});
    lastProblem = problem;
  };

  const settle = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      guarded(() => onValues(values));
      report();
      refresh();
    }, SETTLE_MS);
  };

  const ends = [...new Set(dependsOnSoc ? [...names, staleTopic] : names)].map((name) =>
    live.watch(name, ({ text, confirmed: isConfirmed }) => {
      confirmed[name] = isConfirmed;
      if (texts[name] !== text || !(name in texts)) {
        texts[name] = text;
        if (name in topics) values[name] = text === undefined ? undefined : READERS[topics[name]](text);
      }
      settle();
    }),
  );

  ends.push(
    live.onState(({ connected }) => {
      if (!connected) {
        for (const name of names) confirmed[name] = false;
        // A retained topic that was cleared in the meantime is not sent again after the reconnect.
        delete texts[staleTopic];
      }
      report();
      refresh();
    }),
  );
  refresh();
  // Delayed: the catch nodes do not exist while the flow is being created.
  settle();

  return {
    values: () => values,
    isStale,
    refresh,
    /** Schedules onValues as a change does. */
    settle,
    /** The full topic, for `msg.topic`. */
    topicOf: (name) => live.topicOf(name),
    command: (name, payload) => live.command(name, payload),
    /** The error for a message that asks for a value without one. */
    notKnown: () =>
      new GatewayError(live.state().problem ?? "The gateway has not published this value yet.", "not_known"),
    close() {
      clearTimeout(settling);
      for (const end of ends) end();
    },
  };
}

module.exports = { createLiveNode };
