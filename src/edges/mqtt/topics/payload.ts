import { parseForeignJson } from "../../../core/json.js";
import { MAX_PACKET_BYTES } from "../broker/packet-guard.js";

/** Invalid payload of a client; the message is sent on `…/ack`. */
export class PayloadError extends Error {
  /** The client's id of the message, if it could be read. */
  readonly id: Id | undefined;

  constructor(message: string, id?: Id) {
    super(message);
    this.id = id;
  }
}

/** `id` of a JSON payload, returned in the answer. */
export type Id = string | number | boolean;

const MAX_ID_LENGTH = 256;

/** The payload as text. Throws PayloadError when it is too large or not UTF-8. */
export function readText(payload: Buffer): string {
  if (payload.length > MAX_PACKET_BYTES)
    throw new PayloadError("The payload has more than 256 KiB; send smaller batches.");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    throw new PayloadError("The payload is not valid UTF-8 text.");
  }
}

/** The payload as a JSON object; an empty one is `{}`. Throws PayloadError. */
export function readObject(payload: Buffer): Record<string, unknown> {
  const text = readText(payload);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    throw new PayloadError("The payload is not valid JSON; send one object.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new PayloadError("The payload must be one JSON object.");
  return value as Record<string, unknown>;
}

/** The `id` of a JSON payload if it is a scalar of at most 256 characters. */
export function idOf(body: Record<string, unknown>): Id | undefined {
  const id = Object.hasOwn(body, "id") ? body.id : undefined;
  if (typeof id === "string") return id.length <= MAX_ID_LENGTH ? id : undefined;
  if (typeof id === "number") return Number.isFinite(id) ? id : undefined;
  return typeof id === "boolean" ? id : undefined;
}
