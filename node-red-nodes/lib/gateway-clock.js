"use strict";

/**
 * What time it is at the gateway, ms: when it issued the document, else this machine's time. The two differ where one of the
 * clocks is wrong, and in a replay.
 */
function gatewayNowMs(document) {
  const issuedMs = Date.parse(document?.issued_at);
  return Number.isNaN(issuedMs) ? Date.now() : issuedMs;
}

module.exports = { gatewayNowMs };
