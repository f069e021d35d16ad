"use strict";

const { GatewayError } = require("./gateway-error.js");

const TIMEOUT_MS = 15_000;

/** The gateway's address with its path as a folder, so that one behind a proxy's path works too. */
function baseOf(url) {
  try {
    const base = new URL(url);
    if (base.protocol !== "http:" && base.protocol !== "https:") throw new Error("no HTTP");
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    return base;
  } catch {
    throw new GatewayError(
      `"${url}" is no address of a gateway: write it as http://192.168.1.10:8080.`,
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
    `The gateway at ${base.host} cannot be reached (${reason}): check its address and that it runs.`,
    "unreachable",
  );
}

/** The refusal in an answer, as an error; a 200 whose data is reduced (`not_available` …) is one too. */
function refusalOf(status, answer, headers) {
  const refusal = answer?.error;
  if (refusal === undefined && status < 300) return undefined;
  const message = refusal?.message ?? `The gateway answered with status ${status} and no reason.`;
  const retryAfterSeconds = Number(headers.get("retry-after"));
  return new GatewayError(message, refusal?.code ?? `http_${status}`, {
    status,
    details: refusal?.details ?? [],
    ...(retryAfterSeconds > 0 && { retry_after: retryAfterSeconds }),
  });
}

/** The gateway's HTTP interface. `call` gives the parsed answer or throws a GatewayError; it never hangs. */
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
          `What answers at ${base.host} with status ${response.status} is no hourgate: check the address.`,
          "invalid_answer",
          { status: response.status },
        );
      }
      const refusal = refusalOf(response.status, answer, response.headers);
      if (refusal !== undefined) throw refusal;
      return answer;
    },
  };
}

module.exports = { createGatewayApi };
