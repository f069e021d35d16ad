"use strict";

const { GatewayError } = require("./gateway-error.js");

const TIMEOUT_MS = 15_000;

/** Brings the answers on `…/ack` back to those who sent the messages. */
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
    /** Resolves with the answer to a message; rejects with its refusal, and where none comes in time. */
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
    /** Takes one message of `…/ack`. What nobody waits for belongs to another client. */
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
    /** The connection is gone: whether a message arrived is not known. */
    abandon() {
      for (const entry of [...waiting])
        settle(entry, () =>
          entry.reject(
            new GatewayError("The connection was lost before the gateway acknowledged.", "not_connected"),
          ),
        );
    },
  };
}

module.exports = { createAcknowledgements };
