import { Ajv2020, type CodeOptions, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { isRecord } from "../../core/net/json.js";
import { FORMATS } from "./formats.js";
import type { KeyPath, SchemaNode } from "./node.js";

/** What is wrong at one place of a value. */
export interface SchemaFault {
  /** `unknown` and `missing`: a key; `variant`: a kind that the schema does not have; `value`: anything else. */
  kind: "unknown" | "missing" | "variant" | "value";
  /** Place of the value, or of the unknown or missing key. */
  path: KeyPath;
  /** Schema of the value; of the object around an unknown or missing key. */
  node: SchemaNode;
  value: unknown;
  /** What the schema asks for in technical words, such as `must be >= 0`. */
  reason: string;
}

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

/** Compilers by their options, shared by all schemas. */
const compilers = new Map<string, Ajv2020>();

function compilerFor(options: CheckOptions): Ajv2020 {
  const { defaults = false, all = false } = options;
  const id = `${defaults} ${all}`;
  const known = compilers.get(id) ?? newCompiler(options);
  compilers.set(id, known);
  return known;
}

/** A compiler of checks; `code`: how the generated code is written. */
export function newCompiler(
  { defaults = false, all = false }: CheckOptions,
  code: CodeOptions = {},
): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: all,
    useDefaults: defaults,
    // Faults name the schema and the value.
    verbose: true,
    discriminator: true,
    allowUnionTypes: true,
    // Optimising the generated code takes longer than it saves.
    code: { optimize: false, ...code },
    // Validating a schema itself would compile the meta-schemas first; a test does that.
    validateSchema: false,
    formats: textFormats(),
  });
  ajv.addVocabulary(["unit"]);
  return ajv;
}

/** The checks of the text formats by their names. */
export function textFormats(): Record<string, (text: string) => boolean> {
  return Object.fromEntries(Object.entries(FORMATS).map(([name, { valid }]) => [name, valid]));
}

/** Finds a check that was compiled before. */
type PreparedChecks = (
  check: Pick<SchemaCheck<unknown>, "schema" | "options">,
) => ValidateFunction | undefined;

/** A JSON Schema as a check of values; compiled at the first use, so that nothing waits for schemas that are rarely used. */
export class SchemaCheck<T> {
  readonly schema: SchemaNode;
  readonly options: CheckOptions;
  readonly #prepared: PreparedChecks | undefined;
  #compiled: ValidateFunction<T> | undefined;
  /** Checks of single keys, by their schema. */
  readonly #keys = new Map<SchemaNode, ValidateFunction>();

  constructor(schema: SchemaNode, options: CheckOptions = {}, prepared?: PreparedChecks) {
    this.schema = schema;
    this.options = options;
    this.#prepared = prepared;
  }

  /** Whether the value fits; with `defaults` they are filled in. */
  fits(value: unknown): value is T {
    return this.#check(value);
  }

  /** What is wrong with the value, one fault at each place, in the order of the schema; empty if it fits. */
  faults(value: unknown): SchemaFault[] {
    const check = this.#check;
    if (check(value)) return [];
    const errors = check.errors ?? [];
    const all =
      this.options.all === true || !isRecord(value)
        ? errors
        : this.#firstOfEachKey(this.schema, value, errors);
    const faults = new Map<string, SchemaFault>();
    for (const error of all) {
      const fault = faultOf(error);
      const place = JSON.stringify(fault.path);
      // Several keywords may fail for one value (type and format); the first one already says what is allowed.
      if (!faults.has(place)) faults.set(place, fault);
      if (faults.size === MOST_FAULTS) break;
    }
    return [...faults.values()];
  }

  get #check(): ValidateFunction<T> {
    this.#compiled ??=
      (this.#prepared?.(this) as ValidateFunction<T> | undefined) ??
      compilerFor(this.options).compile<T>(this.schema);
    return this.#compiled;
  }

  /** One fault for each key, also of the objects inside; of a list, which may be long, the first fault only. */
  #firstOfEachKey(
    node: SchemaNode,
    value: Record<string, unknown>,
    first: readonly ErrorObject[],
  ): readonly ErrorObject[] {
    // An unknown key stops the check: the keys around it are checked after it has been removed.
    if (first[0]?.keyword === "additionalProperties" && first[0].instancePath === "") return first;
    const { properties = {}, required = [] } = node;
    const errors = Object.entries(properties).flatMap(([key, inner]): ErrorObject[] => {
      if (!Object.hasOwn(value, key))
        return required.includes(key)
          ? [{ ...MISSING, params: { missingProperty: key }, parentSchema: node, data: value }]
          : [];
      const check = this.#keyCheck(inner);
      const found = value[key];
      if (check(found)) return [];
      const ofKey = check.errors ?? [];
      return (isRecord(found) ? this.#firstOfEachKey(inner, found, ofKey) : ofKey).map((error) => ({
        ...error,
        instancePath: `/${key}${error.instancePath}`,
      }));
    });
    return errors.length > 0 ? errors : first;
  }

  #keyCheck(node: SchemaNode): ValidateFunction {
    const { default: _, ...rest } = node;
    const known = this.#keys.get(node) ?? compilerFor(this.options).compile(rest);
    this.#keys.set(node, known);
    return known;
  }
}

const MISSING = { keyword: "required", instancePath: "", schemaPath: "", message: "is missing" } as const;

function faultOf({ keyword, instancePath, params, parentSchema, data, message }: ErrorObject): SchemaFault {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = { node: (parentSchema ?? {}) as SchemaNode, value: data, reason: message ?? "is not valid" };
  switch (keyword) {
    case "additionalProperties":
      return { kind: "unknown", path: [...path, String(params.additionalProperty)], ...found };
    case "required":
      return { kind: "missing", path: [...path, String(params.missingProperty)], ...found };
    case "discriminator":
      return { kind: "variant", path: [...path, "type"], ...found, value: params.tagValue };
    default:
      return { kind: "value", path, ...found };
  }
}

/** The place of a fault and what is asked for there, for messages between programs: `/sites/0 must be object`. */
export function technicalText({ path, reason }: SchemaFault): string {
  return `${path.length === 0 ? "the document" : `/${path.join("/")}`} ${reason}`;
}
