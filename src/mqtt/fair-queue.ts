/** A queue of queues: each key is served in turn, the items of one key in order. */
export class FairQueue<Item> {
  /** Keys with items, in the order of their turns. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(key: string, item: Item): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [item]);
    else queue.push(item);
    this.#size++;
  }

  /** Removes and returns the next item. */
  shift(): Item | undefined {
    const [next] = this.#queues;
    if (next === undefined) return undefined;
    const [key, queue] = next;
    this.#queues.delete(key);
    const item = queue.shift();
    // Back to the end of the turns.
    if (queue.length > 0) this.#queues.set(key, queue);
    this.#size--;
    return item;
  }
}
