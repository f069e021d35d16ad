"use strict";

const { GatewayError } = require("./gateway-error.js");

const TIMEOUT_MS = 15_000;

/** Matches acknowledgements on `…/ack` to the messages that were sent. */
function createAcknowledgements({ timeoutMs = TIMEOUT_MS } = {}) {
  const waiting = [];

  const settle = (entry, end) => {
    const index = waiting.indexOf(entry);
    if (index < 0) return;
    waiting.splice(index, 1);
    clearTimeout(entry.timer);
    end();
  };

  return {
    /** Resolves with the acknowledgement of a message; rejects with a GatewayError on a refusal or after the timeout. */
    expect: (topic, id) =>
      new Promise((resolve, reject) => {
        const entry = { topic, id, resolve, reject };
        entry.timer = setTimeout(
          () =>
            settle(entry, () =>
              reject(
                new GatewayError(
                  `The gateway did not acknowledge ${topic} within ${timeoutMs / 1000} s.`,
                  "timeout",
                ),
              ),
            ),
          timeoutMs,
        );
        waiting.push(entry);
      }),
    /** Handles one message of `…/ack`; ignores acknowledgements of other clients. */
    take(text) {
      let answer;
      try {
        answer = JSON.parse(text);
      } catch {
        return;
      }
      if (typeof answer !== "object" || answer === null) return;
      const entry = waiting.find(({ id, topic }) =>
        id === undefined ? answer.id === undefined && topic === answer.topic : id === answer.id,
      );
      if (entry === undefined) return;
      settle(entry, () =>
        answer.ok === true
          ? entry.resolve(answer)
          : entry.reject(new GatewayError(answer.error ?? "The gateway refused the message.", "refused")),
      );
    },
    /** Rejects all pending entries after a lost connection: it is unknown whether their messages arrived. */
    abandon() {
      for (const entry of [...waiting])
        settle(entry, () =>
          entry.reject(
            new GatewayError(
              "The connection was lost before the gateway acknowledged the message.",
              "not_connected",
            ),
          ),
        );
    },
  };
}

module.exports = { createAcknowledgements };
