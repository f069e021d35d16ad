"use strict";

const { createHmac, timingSafeEqual } = require("node:crypto");

const TOLERANCE_SECONDS = 300;

/**
 * Whether `X-Service-Signature: t=<unix time>,v1=<hex>` is a valid signature of the raw body: v1 is the HMAC-SHA256 of
 * `<t>.<body>` with the secret as the key, and t differs from `nowMs` by at most 300 s.
 */
function isSigned(header, rawBody, secret, nowMs) {
  const match = /^\s*t=(\d{1,12})\s*,\s*v1=([0-9a-f]{64})\s*$/.exec(header ?? "");
  if (match === null || !secret) return false;
  const [, time, hex] = match;
  const expected = createHmac("sha256", secret).update(`${time}.`).update(rawBody).digest();
  const isEqual = timingSafeEqual(expected, Buffer.from(hex, "hex"));
  return isEqual && Math.abs(nowMs / 1000 - Number(time)) <= TOLERANCE_SECONDS;
}

module.exports = { isSigned };
