import type { FromSchema } from "json-schema-to-ts";
import { closedObject } from "../../core/domain/json-schema.js";
import { FORMAT_SCHEMA } from "../reading/reading-schema.js";

/** JSON Schema of a register that commands use (docs/actuators.md, "Registers"). */

const amount = { type: ["number", "string"] } as const;

export const registerSchema = closedObject(
  {},
  {
    ...FORMAT_SCHEMA,
    holding: amount,
    /** Only read. */
    input: amount,
    sunspec: { type: "array", minItems: 2, maxItems: 3, items: { type: ["string", "integer"] } },
    optional: { type: "boolean" },
    /** Function that writes it; without it, it is only read. */
    write: { type: "integer", enum: [6, 16] },
    /** Least and largest value; others become the nearer of them. */
    range: { type: "array", minItems: 2, maxItems: 2, items: amount },
    /** The only values. */
    values: { type: "array", minItems: 1, items: { type: "number" } },
    /** The device keeps it in a memory that wears: it is written only if it has another value. */
    stored: { type: "boolean" },
    /** Its value is kept before the first command. */
    found: { type: "boolean" },
    /** It is computed from readings of the home: its value is compared with what was written last. */
    follows: { type: "boolean" },
    /** A smaller change is not sent. */
    deadband: amount,
    /** It cannot be read. */
    blind: { type: "boolean" },
    /** It has no effect in states that do not set it. */
    idle: { type: "boolean" },
    /** Its value is not compared: the device changes it itself. */
    unchecked: { type: "boolean" },
    tolerance: amount,
    /** Its value without a command, such as after the end of a lease. */
    rest: { type: "number" },
  },
);

export type TemplateRegister = FromSchema<typeof registerSchema>;
