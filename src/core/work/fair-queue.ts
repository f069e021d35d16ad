/** A queue of queues: each owner is served in turn, the items of one owner in order. */
export class FairQueue<Item> {
  /** Owners with items, in the order of their turns. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  push(owner: string, item: Item): void {
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, [item]);
    else queue.push(item);
    this.#size++;
  }

  /** Removes and returns the next item. */
  shift(): Item | undefined {
    const [next] = this.#queues;
    if (next === undefined) return undefined;
    const [owner, queue] = next;
    this.#queues.delete(owner);
    const item = queue.shift();
    // Back to the end of the turns.
    if (queue.length > 0) this.#queues.set(owner, queue);
    this.#size--;
    return item;
  }

  /** Removes an item; false if it does not wait any more. */
  remove(owner: string, item: Item): boolean {
    const queue = this.#queues.get(owner) ?? [];
    const index = queue.indexOf(item);
    if (index === -1) return false;
    queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.#size--;
    return true;
  }
}
