import { isRecord } from "../../core/net/json.js";
import { faultsIn, type SchemaFault } from "./faults.js";
import type { SchemaNode } from "./node.js";

export type { SchemaFault } from "./faults.js";

export interface CheckOptions {
  /** Fills in the defaults of the schema, in place. */
  defaults?: boolean;
  /**
   * Reports all faults, up to a limit; otherwise one for each key, and of a list the first. For values of the network the
   * latter is right: the check stops at the first fault, before a long list or a section with thousands of keys is read.
   */
  all?: boolean;
}

/** Most faults of a value that are reported: a wrong file of another kind would have thousands. */
const MOST_FAULTS = 200;

/** A JSON Schema as a check of values. */
export class SchemaCheck<T> {
  readonly schema: SchemaNode;
  readonly #all: boolean;
  readonly #fillsDefaults: boolean;

  constructor(schema: SchemaNode, { defaults = false, all = false }: CheckOptions = {}) {
    this.schema = schema;
    this.#all = all;
    this.#fillsDefaults = defaults;
  }

  /** Whether the value fits; with `defaults` they are filled in. */
  fits(value: unknown): value is T {
    return firstFault(this.schema, value, this.#fillsDefaults) === undefined;
  }

  /** What is wrong with the value, one fault at each place, in the order of the schema; empty if it fits. */
  faults(value: unknown): SchemaFault[] {
    if (!this.#all) return faultsByKey(this.schema, value, this.#fillsDefaults);
    const faults = new Map<string, SchemaFault>();
    for (const fault of faultsIn(this.schema, value, this.#fillsDefaults)) {
      const place = JSON.stringify(fault.path);
      // Several keywords may fail for one value (type and format); the first one already says what is allowed.
      if (!faults.has(place)) faults.set(place, fault);
      if (faults.size === MOST_FAULTS) break;
    }
    return [...faults.values()];
  }
}

function firstFault(node: SchemaNode, value: unknown, fillsDefaults: boolean): SchemaFault | undefined {
  for (const fault of faultsIn(node, value, fillsDefaults)) return fault;
  return undefined;
}

/** One fault for each key, also of the objects inside; of a list, which may be long, the first fault only. */
function faultsByKey(node: SchemaNode, value: unknown, fillsDefaults: boolean): SchemaFault[] {
  const first = firstFault(node, value, fillsDefaults);
  if (first === undefined) return [];
  // The keys around an unknown one are checked after it has been removed.
  if (!isRecord(value) || (first.kind === "unknown" && first.path.length === 1)) return [first];
  const { properties = {}, required = [] } = node;
  const faults = Object.entries(properties).flatMap(([key, inner]): SchemaFault[] =>
    value[key] !== undefined
      ? faultsByKey(inner, value[key], fillsDefaults).map((fault) => ({
          ...fault,
          path: [key, ...fault.path],
        }))
      : required.includes(key)
        ? [{ kind: "missing", path: [key], node, value, reason: "is missing" }]
        : [],
  );
  return faults.length > 0 ? faults : [first];
}

/** The place of a fault and what is asked for there, for messages between programs: `/sites/0 must be object`. */
export function technicalText({ path, reason }: SchemaFault): string {
  return `${path.length === 0 ? "the document" : `/${path.join("/")}`} ${reason}`;
}
