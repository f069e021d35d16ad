"use strict";

const { liveStatus } = require("./status.js");

/** Values that belong together come one after the other; this is how long a node waits for the last of them. */
const SETTLE_MS = 50;

const readNumber = (text) => {
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? undefined : value;
};

const readText = (text) => text;

/** A document, which is an object; what is none is not known. */
const readJson = (text) => {
  try {
    const document = JSON.parse(text);
    return typeof document === "object" && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
};

/** How the topics are read whose texts are no plain text. */
const READERS = { json: readJson, number: readNumber, text: readText };

/**
 * Follows topics of the gateway for a node, keeps its status and tells of connection problems once each.
 *
 * `topics` names the topics and how each is read (`number`, `text`, `json`); `onValues(values)` is called when
 * something changed and has settled; `show(values)` gives what the status
 * shows (liveStatus in status.js); `restsOnSoc` says that an old state of charge makes the value a stale one.
 */
function createLiveNode(node, gateway, { topics, onValues, show, restsOnSoc = true }) {
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

  /** Nobody else would catch it in a timer or a listener, and it would end Node-RED with all its flows. */
  const guarded = (work) => {
    try {
      work();
    } catch (error) {
      node.error(`What the broker told cannot be read: ${error.message}.`, {});
    }
  };

  const refresh = () =>
    guarded(() => {
      const shown = show(values);
      if (!isStale()) staleSinceMs = undefined;
      else staleSinceMs ??= Date.now();
      node.status(liveStatus({ ...shown, connected: live.state().connected, staleSinceMs }));
    });

  const settle = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      guarded(() => onValues(values));
      refresh();
    }, SETTLE_MS);
  };

  const ends = [...new Set(restsOnSoc ? [...names, staleTopic] : names)].map((name) =>
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
    live.onState(({ connected, problem }) => {
      if (!connected) {
        for (const name of names) confirmed[name] = false;
        // Told anew, or over: a topic that was cleared meanwhile says nothing.
        delete texts[staleTopic];
      }
      if (problem !== undefined && problem !== lastProblem) node.error(problem, {});
      lastProblem = problem;
      refresh();
    }),
  );
  refresh();

  return {
    values: () => values,
    isStale,
    refresh,
    /** Calls onValues soon, as a change would. */
    settle,
    /** The topic, for `msg.topic`. */
    topicOf: (name) => live.topicOf(name),
    command: (name, payload) => live.command(name, payload),
    close() {
      clearTimeout(settling);
      for (const end of ends) end();
    },
  };
}

module.exports = { createLiveNode };
