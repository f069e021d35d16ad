/**
 * A node of a JSON Schema, as far as the gateway uses it: for its configuration, for the input of operations, for stored
 * documents. `unit` is a custom annotation; `writeOnly` marks a secret, whose value never appears in a message.
 */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly unit?: string;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  /** False: only the named keys; a node: what any other key holds. */
  readonly additionalProperties?: boolean | SchemaNode;
  readonly oneOf?: readonly SchemaNode[];
  readonly discriminator?: { readonly propertyName: string };
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Position of a value: keys and list positions from the root, all as text. */
export type KeyPath = readonly string[];

/** The dotted form of a key in messages: `plants.0.battery.capacity_kwh`. */
export function dotted(path: KeyPath): string {
  return path.join(".");
}

/** The nodes that may describe `key` of a value described by `node`; several if the value has variants. */
export function childNodes(node: SchemaNode, key: string): SchemaNode[] {
  const found: SchemaNode[] = [];
  if (node.properties !== undefined && Object.hasOwn(node.properties, key)) found.push(node.properties[key]!);
  if (node.items !== undefined && /^\d+$/.test(key)) found.push(node.items);
  if (typeof node.additionalProperties === "object" && found.length === 0)
    found.push(node.additionalProperties);
  for (const variant of node.oneOf ?? []) found.push(...childNodes(variant, key));
  return found;
}

/** The nodes that may describe the value at `path`; empty when no such key exists. */
export function nodesAt(root: SchemaNode, path: KeyPath): SchemaNode[] {
  return path.reduce<SchemaNode[]>((nodes, key) => nodes.flatMap((node) => childNodes(node, key)), [root]);
}

/** The keys that a section described by one of `nodes` may have. */
export function keysOf(nodes: readonly SchemaNode[]): string[] {
  const keys = nodes.flatMap((node) => [...Object.keys(node.properties ?? {}), ...keysOf(node.oneOf ?? [])]);
  return [...new Set(keys)];
}

/** The JSON types that a node allows. */
export function typesOf(node: SchemaNode): readonly string[] {
  if (node.type === undefined) return node.oneOf === undefined ? [] : ["object"];
  return typeof node.type === "string" ? [node.type] : node.type;
}
