"use strict";

const { GatewayError } = require("./gateway-error.js");

const PLUGGED = new Map([
  ["1", 1],
  ["true", 1],
  ["0", 0],
  ["false", 0],
]);

/** The number of a slot, 1 to 8. Throws a GatewayError for anything else. */
function slotOf(value) {
  const slot = Number(value);
  if (!Number.isInteger(slot) || slot < 1 || slot > 8)
    throw new GatewayError("The slot must be a number from 1 to 8.", "invalid_slot");
  return slot;
}

/** `plugged` of a message as 1 or 0. Throws a GatewayError for anything else. */
function pluggedOf(value) {
  const plugged = PLUGGED.get(String(value).trim().toLowerCase());
  if (plugged === undefined)
    throw new GatewayError("msg.plugged must be 0 (not plugged in) or 1 (plugged in).", "invalid_plugged");
  return plugged;
}

module.exports = { pluggedOf, slotOf };
