import { isRecord } from "../../core/net/json.js";
import type { SchemaNode } from "./node.js";

/**
 * The part of a schema that matters to the values: the same answer and the same defaults for them, compiled in a fraction of the
 * time. Sections and lists that no value has are left out; their defaults are known to fit.
 */
export function partFor(node: SchemaNode, values: readonly unknown[]): SchemaNode {
  if (node.oneOf !== undefined || node.anyOf !== undefined) return node;
  const { properties, items, ...rest } = node;
  return {
    ...rest,
    ...(properties !== undefined && { properties: propertiesFor(properties, values.filter(isRecord)) }),
    ...itemsFor(items, values),
  };
}

function propertiesFor(
  properties: Readonly<Record<string, SchemaNode>>,
  records: readonly Record<string, unknown>[],
): Record<string, SchemaNode> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, node]) => {
      const found = records.map((record) => record[key] ?? node.default);
      const isAbsent = node.default !== undefined && records.every((record) => record[key] === undefined);
      return [key, isAbsent && !hasItems(node) ? { default: filled(node) } : partFor(node, found)];
    }),
  );
}

function itemsFor(items: SchemaNode | undefined, values: readonly unknown[]): { items?: SchemaNode } {
  const found = values.filter(Array.isArray).flat();
  return items === undefined || found.length === 0 ? {} : { items: partFor(items, found) };
}

/** Whether the default has a list whose items have defaults of their own. */
function hasItems({ default: value, properties = {} }: SchemaNode): boolean {
  return (Array.isArray(value) && value.length > 0) || Object.values(properties).some(hasItems);
}

/** The default of a node with those of what is inside. */
function filled({ default: value, properties = {} }: SchemaNode): unknown {
  if (!isRecord(value)) return value;
  const inner = Object.entries(properties).flatMap(([key, node]) =>
    Object.hasOwn(value, key) || node.default === undefined ? [] : [[key, filled(node)] as const],
  );
  return { ...value, ...Object.fromEntries(inner) };
}
