"use strict";

const { GatewayError } = require("./gateway-error.js");

const TIMEOUT_MS = 15_000;

/** The gateway's address as a base URL with a trailing slash, so that a gateway below a proxy path works too. */
function baseOf(url) {
  try {
    const base = new URL(url);
    if (base.protocol !== "http:" && base.protocol !== "https:") throw new Error("not HTTP");
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    return base;
  } catch {
    throw new GatewayError(
      `"${url}" is not a valid gateway address: use the form http://192.168.1.10:8080.`,
      "invalid_url",
    );
  }
}

function failureOf(error, base, timeoutMs) {
  if (error.name === "TimeoutError")
    return new GatewayError(
      `The gateway at ${base.host} did not answer within ${timeoutMs / 1000} s.`,
      "timeout",
    );
  const reason = error.cause?.code ?? error.cause?.message ?? error.message;
  return new GatewayError(
    `The gateway at ${base.host} cannot be reached (${reason}): check its address and whether it is running.`,
    "unreachable",
  );
}

/** The error object of an answer as a GatewayError; an answer with status 200 may have one too (`not_available` …). */
function errorIn(status, answer, headers) {
  const refusal = answer?.error;
  if (refusal === undefined && status < 300) return undefined;
  const message = refusal?.message ?? `The gateway answered with status ${status} without an error message.`;
  const retryAfterSeconds = Number(headers.get("retry-after"));
  return new GatewayError(message, refusal?.code ?? `http_${status}`, {
    status,
    details: refusal?.details ?? [],
    ...(retryAfterSeconds > 0 && { retry_after: retryAfterSeconds }),
  });
}

/** Client of the gateway's HTTP API. `call` resolves with the parsed answer, or rejects with a GatewayError (also on timeout). */
function createGatewayApi({ url, apiKey, timeoutMs = TIMEOUT_MS }) {
  return {
    async call(method, path, { query = {}, body } = {}) {
      const base = baseOf(url);
      const address = new URL(path.replace(/^\//, ""), base);
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
      let response;
      let text;
      try {
        response = await fetch(address, {
          method,
          headers: {
            ...(apiKey ? { "X-API-Key": apiKey } : {}),
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(timeoutMs),
        });
        text = await response.text();
      } catch (error) {
        throw failureOf(error, base, timeoutMs);
      }
      let answer;
      try {
        answer = JSON.parse(text);
      } catch {
        throw new GatewayError(
          `The server at ${base.host} answered with status ${response.status} and without JSON; it is not an hourgate gateway: check the address.`,
          "invalid_answer",
          { status: response.status },
        );
      }
      const failure = errorIn(response.status, answer, response.headers);
      if (failure?.code === "not_found" && base.pathname !== "/")
        throw new GatewayError(
          `The gateway at ${base.host} answers, but not below ${base.pathname}: enter its address without this path.`,
          "invalid_url",
        );
      if (failure !== undefined) throw failure;
      return answer;
    },
  };
}

module.exports = { createGatewayApi };
