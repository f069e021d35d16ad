import { closedObject } from "../../core/domain/json-schema.js";

/** JSON Schema of one tell-tale of a template (docs/devices.md, "Being found"). */

const ports = { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }] } as const;
const scalar = { type: ["string", "number", "boolean"] } as const;
const pattern = { type: "string", maxLength: 200 } as const;

const register = {
  holding: { type: "integer" },
  input: { type: "integer" },
  words: { type: "integer", minimum: 1, maximum: 64 },
  type: { type: "string" },
  order: { type: "string", enum: ["be", "le"] },
  scale: { type: "number" },
  between: { type: "array", minItems: 2, maxItems: 2, items: { type: "number" } },
} as const;

export const detectSchema = closedObject(
  {},
  {
    ...register,
    /** Further registers, all of which must be within their ranges. */
    and: { type: "array", minItems: 1, maxItems: 8, items: closedObject({}, register) },
    port: ports,
    unit_id: ports,
    /** HTTP: a path. */
    url: { type: "string" },
    method: { type: "string", enum: ["GET", "POST"] },
    body: { type: "string" },
    pointer: { type: "string" },
    /** Modbus: a register, or the identity of a SunSpec device. */
    rct: { type: "integer", minimum: 0, maximum: 0xffff_ffff },
    connect_delay_ms: { type: "integer" },
    sunspec: closedObject(
      {},
      { manufacturer: pattern, model: pattern, models: { type: "array", items: { type: "integer" } } },
    ),
    /** UDP: a text that is sent to each host, or a multicast group that is listened to. `broadcast` has no effect. */
    udp: closedObject(
      {},
      { send: { type: "string" }, broadcast: { type: "boolean" }, group: { type: "string" } },
    ),
    /** mDNS: a service. */
    mdns: { type: "string" },
    /** Without effect: templates of earlier versions may have them. */
    service_name: pattern,
    topic: { type: "string" },
    /** The value must match, be equal, or be within a range. */
    matches: pattern,
    equals: scalar,
    /** What the found device is added with. */
    transport: { type: "string" },
    with: { type: "object", additionalProperties: scalar },
  },
);
