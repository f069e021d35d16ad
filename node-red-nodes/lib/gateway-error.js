"use strict";

/**
 * A refusal or failure that a flow can act on: `message` is a sentence, `code` the stable code of the gateway (or
 * `timeout`, `unreachable`, `not_connected` …), `cause` holds status, details and the seconds to wait.
 * Catch nodes see all three as `msg.error`.
 */
class GatewayError extends Error {
  constructor(message, code, cause) {
    super(message);
    this.code = code;
    if (cause !== undefined) this.cause = cause;
  }

  /** Catch nodes show this text: the sentence alone. */
  toString() {
    return this.message;
  }
}

module.exports = { GatewayError };
