"use strict";

const { gatewayNowMs } = require("./gateway-clock.js");
const { answeredStatus, failedStatus } = require("./status.js");
const { onInput } = require("./start-node.js");

/**
 * Sends a request to the gateway for each message: `ask(msg)` resolves with the answer, which becomes `msg.payload`;
 * `show(answer)` returns `{ value, next }` for the status. After an error the catch nodes are triggered and no message
 * is sent.
 */
function answerMessages(node, { ask, show }) {
  onInput(node, async (msg, send) => {
    try {
      msg.payload = await ask(msg);
    } catch (error) {
      node.status(failedStatus(Date.now()));
      throw error;
    }
    const shown = { ...show(msg.payload), nowMs: gatewayNowMs(msg.payload) };
    node.status(answeredStatus(shown, Date.now()));
    send(msg);
  });
}

module.exports = { answerMessages };
