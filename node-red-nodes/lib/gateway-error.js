"use strict";

/**
 * An error that a flow can act on: `message` is a sentence, `code` the stable code of the gateway (or `timeout`,
 * `unreachable`, `not_connected` …), `cause` holds status, details and the seconds until a retry.
 * Catch nodes receive all three in `msg.error`.
 */
class GatewayError extends Error {
  constructor(message, code, cause) {
    super(message);
    this.code = code;
    if (cause !== undefined) this.cause = cause;
  }

  /** Node-RED shows this text; without the override it would begin with the class name. */
  toString() {
    return this.message;
  }
}

module.exports = { GatewayError };
