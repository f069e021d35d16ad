import type { IncomingMessage } from "node:http";
import { ApiError } from "../../api/errors.js";
import { parseForeignJson } from "../../core/json.js";
import { boundedBody } from "../../core/net/bounded-body.js";

/** 1 MiB (docs/spec/http-api.md section 2). */
const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Bytes that are read above the limit and discarded, so that a client which sends its whole body before reading still gets
 * the error instead of a connection reset.
 */
const MAX_DRAINED_BYTES = 32 * 1024 * 1024;

/** The JSON object in the body; an empty body is `{}`. Throws ApiError. */
export async function readJsonObject(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (mayHaveBody(req)) checkMediaType(req);
  const bytes = await readBytes(req);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    throw new ApiError("invalid_json", "The body is not UTF-8 text: send a JSON object encoded in UTF-8.");
  }
  if (text === "") return {};
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    throw new ApiError("invalid_json", 'The body is not JSON: send an object such as {"mode": "decide"}.');
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiError("invalid_json", "The body is JSON, but not an object: put the values in { }.");
  }
  return value as Record<string, unknown>;
}

function mayHaveBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/** An absent Content-Type is read as JSON, since controllers omit it. */
function checkMediaType(req: IncomingMessage): void {
  const encoding = req.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "") {
    throw new ApiError(
      "unsupported_media_type",
      "The body is compressed: send it uncompressed, as plain JSON.",
    );
  }
  const [type = "", ...parameters] = (req.headers["content-type"] ?? "").toLowerCase().split(";");
  if (type.trim() === "") return;
  const charset = parameters.map(charsetOf).find(Boolean);
  if (type.trim() === "application/json" && (charset === undefined || /^(utf-?8|us-ascii)$/.test(charset)))
    return;
  throw new ApiError(
    "unsupported_media_type",
    "The body must be JSON in UTF-8: send it with Content-Type: application/json, or with none.",
  );
}

function charsetOf(parameter: string): string | undefined {
  const [name, value] = parameter.split("=", 2).map((text) => text.trim());
  return name === "charset" ? value?.replaceAll('"', "") : undefined;
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "The body is larger than 1 MiB: send less in one request.");
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > MAX_DRAINED_BYTES) throw tooLarge();
  const limits = { maxBytes: MAX_BODY_BYTES, drainedBytes: MAX_DRAINED_BYTES };
  const body = await boundedBody(req, limits).catch(() => {
    throw new ApiError("malformed_request", "The connection ended before the body was complete.");
  });
  if (body === undefined) throw tooLarge();
  return body;
}
