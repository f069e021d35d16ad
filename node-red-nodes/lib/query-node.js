"use strict";

const { gatewayNowMs } = require("./gateway-clock.js");
const { answeredStatus, failedStatus } = require("./status.js");
const { onInput } = require("./start-node.js");

/**
 * Makes a node ask the gateway for each message: `ask(msg)` gives the answer, which becomes `msg.payload`;
 * `show(answer)` gives `{ value, next }` for the status. A refusal goes to the catch nodes, the message goes no further.
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
