"use strict";

/**
 * The gateway's time, ms: `issued_at` of the document, otherwise this machine's time. They differ when one of the clocks is
 * wrong, and in a replay.
 */
function gatewayNowMs(document) {
  const issuedMs = Date.parse(document?.issued_at);
  return Number.isNaN(issuedMs) ? Date.now() : issuedMs;
}

module.exports = { gatewayNowMs };
