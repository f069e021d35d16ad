"use strict";

const { GatewayError } = require("./gateway-error.js");

/** What a message may bring beside the configured fields: an object, or nothing that matters (a time stamp of an inject node). */
function fieldsOf(payload) {
  if (payload === null || typeof payload !== "object") return {};
  if (Array.isArray(payload) || Buffer.isBuffer(payload))
    throw new GatewayError("msg.payload must be an object with fields of the request.", "invalid_payload");
  return payload;
}

const asNumber = (text) => {
  const value = Number(text.replace(",", "."));
  // What is no number is left to the gateway, which says what is allowed.
  return Number.isFinite(value) ? value : text;
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
 * The fields of a dialog as the request has them: empty ones are left out, and so is an unticked box, which says nothing.
 * `kinds` names each field with `number`, `text`, `flag` or `numbers` (a list with commas).
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

/** Configured fields with those of the message over them; a field that the message sets to null is left out. */
function mergedFields(configured, given) {
  const merged = { ...configured, ...given };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

module.exports = { configuredFields, fieldsOf, mergedFields };
