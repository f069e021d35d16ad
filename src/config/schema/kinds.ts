/** The kinds of nodes that the schema of the configuration consists of, each with its description. */

interface NumberRules {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly number[];
  readonly unit?: string;
}

interface TextRules {
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A secret: its value never appears in a message. */
  readonly writeOnly?: true;
}

/** The members of an intersection as one object type, which the types derived from the schema need. */
type Flat<Node> = { readonly [Key in keyof Node]: Node[Key] };

const node = <const Type, const Rules>(type: Type, rules: Rules, description: string) =>
  ({ type, ...rules, description }) as Flat<{ type: Type } & Rules & { description: string }>;

/** May be null, and is by default. */
const nullable = <const Type extends string, const Rules>(type: Type, rules: Rules, description: string) =>
  node([type, "null"], { ...rules, default: null }, description);

export const number = <const Rules extends NumberRules & { readonly default?: number }>(
  rules: Rules,
  description: string,
) => node("number", rules, description);

export const integer = <const Rules extends NumberRules & { readonly default?: number }>(
  rules: Rules,
  description: string,
) => node("integer", rules, description);

export const text = <const Rules extends TextRules & { readonly default?: string }>(
  rules: Rules,
  description: string,
) => node("string", rules, description);

export const nullableNumber = <const Rules extends NumberRules>(rules: Rules, description: string) =>
  nullable("number", rules, description);

export const nullableInteger = <const Rules extends NumberRules>(rules: Rules, description: string) =>
  nullable("integer", rules, description);

export const nullableText = <const Rules extends TextRules>(rules: Rules, description: string) =>
  nullable("string", rules, description);

export const flag = (standard: boolean, description: string) =>
  node("boolean", { default: standard }, description);

/** One of several texts. */
export const choice = <const Values extends readonly string[]>(
  values: Values,
  standard: Values[number],
  description: string,
) => node("string", { enum: values, default: standard }, description);

/** A section of the file: left out, its defaults apply. */
export const section = <const Properties extends Readonly<Record<string, object>>>(
  description: string,
  properties: Properties,
) => ({ type: "object", description, additionalProperties: false, default: {}, properties }) as const;

/** An entry of a list, with the keys that it must have. */
export const entry = <
  const Properties extends Readonly<Record<string, object>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  description: string,
  required: Required,
  properties: Properties,
) => ({ type: "object", description, additionalProperties: false, required, properties }) as const;
