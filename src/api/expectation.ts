/** The part of JSON Schema that the operations use for their input. */
export interface ExpectedSchema {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, ExpectedSchema>>;
  items?: ExpectedSchema;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  description?: string;
}

/** What a schema permits, as the end of a sentence: "a number from 0 to 100". */
export function expectation(node: ExpectedSchema): string {
  if (node.enum !== undefined) return `one of ${node.enum.map(String).join(", ")}`;
  if (node.format === "iana-zone") return "an IANA time zone name such as Europe/Vienna";
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  return types.map((type) => ofType(type, node)).join(" or ") || "another value";
}

function ofType(type: string, node: ExpectedSchema): string {
  switch (type) {
    case "number":
      return `a number${rangeOf(node)}`;
    case "integer":
      return `a whole number${rangeOf(node)}`;
    case "boolean":
      return "true or false";
    case "string":
      return `a text${lengthOf(node)}`;
    case "array": {
      const least = node.minItems ?? 0;
      const count = node.maxItems === undefined ? `at least ${least}` : `${least} to ${node.maxItems}`;
      return `a list of ${count} values${node.items === undefined ? "" : `, each ${expectation(node.items)}`}`;
    }
    case "object":
      return "an object";
    default:
      return type;
  }
}

function rangeOf(node: ExpectedSchema): string {
  const parts: string[] = [];
  if (node.exclusiveMinimum !== undefined) parts.push(`above ${node.exclusiveMinimum}`);
  if (node.minimum !== undefined) parts.push(`from ${node.minimum}`);
  if (node.exclusiveMaximum !== undefined) parts.push(`below ${node.exclusiveMaximum}`);
  if (node.maximum !== undefined)
    parts.push(`${node.minimum === undefined ? "up to" : "to"} ${node.maximum}`);
  return parts.length === 0 ? "" : ` ${parts.join(" ")}`;
}

function lengthOf(node: ExpectedSchema): string {
  if (node.maxLength !== undefined) return ` of ${node.minLength ?? 0} to ${node.maxLength} characters`;
  return node.minLength === undefined ? "" : ` of at least ${node.minLength} characters`;
}
