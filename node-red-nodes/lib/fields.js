"use strict";

const { GatewayError } = require("./gateway-error.js");

/**
 * The request fields of a message. Scalars (such as the timestamp of an inject node) have none; arrays and buffers throw
 * a GatewayError.
 */
function fieldsOf(payload) {
  if (payload === null || typeof payload !== "object") return {};
  if (Array.isArray(payload) || Buffer.isBuffer(payload))
    throw new GatewayError("msg.payload must be an object with fields of the request.", "invalid_payload");
  return payload;
}

const asNumber = (text) => {
  const value = Number(text.replace(",", "."));
  // Text that is not a number is sent unchanged: the gateway's error states what is allowed.
  return text !== "" && Number.isFinite(value) ? value : text;
};

const READERS = {
  number: (value) => (typeof value === "string" ? asNumber(value.trim()) : value),
  text: (value) => (typeof value === "string" ? value.trim() : value),
  flag: (value) => (value === "true" ? true : value === "false" ? false : value),
  numbers: (value) =>
    Array.isArray(value)
      ? value
      : String(value)
          .split(/[\s;,]+/)
          .filter((text) => text !== "")
          .map(asNumber),
};

/**
 * Converts the fields of a dialog to request fields. Empty fields and cleared checkboxes are left out.
 * `kinds` maps each field to `number`, `text`, `flag` or `numbers` (a comma-separated list).
 */
function configuredFields(config, kinds) {
  const fields = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = config[name];
    if (value === undefined || value === null || value === "") continue;
    if (kind === "flag" && value === false) continue;
    fields[name] = READERS[kind](value);
  }
  return fields;
}

/** The configured fields overridden by those of the message; a field that the message sets to null is left out. */
function mergedFields(configured, given) {
  const merged = { ...configured, ...given };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

module.exports = { configuredFields, fieldsOf, mergedFields };
