interface Node<Value> {
  readonly children: Map<string, Node<Value>>;
  readonly values: Map<string, Value>;
}

const newNode = <Value>(): Node<Value> => ({ children: new Map(), values: new Map() });

/**
 * Values by MQTT topic filter, several of one filter by key. A topic is looked up level by level, so that the cost does not
 * depend on the number of filters that do not match.
 */
export class FilterTree<Value> {
  readonly #root = newNode<Value>();

  set(filter: string, key: string, value: Value): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      let next = node.children.get(level);
      if (next === undefined) {
        next = newNode();
        node.children.set(level, next);
      }
      node = next;
    }
    node.values.set(key, value);
  }

  delete(filter: string, key: string): void {
    remove(this.#root, filter.split("/"), key);
  }

  match(topic: string): Value[] {
    const found: Value[] = [];
    // A leading wildcard does not match `$` topics.
    collect(this.#root, topic.split("/"), { at: 0, hasWildcards: !topic.startsWith("$"), found });
    return found;
  }
}

function collect<Value>(
  node: Node<Value>,
  levels: readonly string[],
  { at, hasWildcards, found }: { at: number; hasWildcards: boolean; found: Value[] },
): void {
  // "a/#" matches "a" too.
  if (hasWildcards) for (const value of node.children.get("#")?.values.values() ?? []) found.push(value);
  const level = levels[at];
  if (level === undefined) {
    for (const value of node.values.values()) found.push(value);
    return;
  }
  const below = { at: at + 1, hasWildcards: true, found };
  const any = hasWildcards ? node.children.get("+") : undefined;
  const same = level === "+" || level === "#" ? undefined : node.children.get(level);
  if (any !== undefined) collect(any, levels, below);
  if (same !== undefined) collect(same, levels, below);
}

/** Removes a value and the nodes that only led to it. */
function remove<Value>(node: Node<Value>, [level, ...rest]: readonly string[], key: string): void {
  if (level === undefined) {
    node.values.delete(key);
    return;
  }
  const next = node.children.get(level);
  if (next === undefined) return;
  remove(next, rest, key);
  if (next.values.size === 0 && next.children.size === 0) node.children.delete(level);
}
