import type { GatewayRole } from "./gateway-role.js";

/** Whether this gateway commands devices: of several with one installation id only one does. */
export class Commander {
  readonly #listeners = new Set<(change: { isTakeOver: boolean }) => void>();
  #role: GatewayRole = "starting";

  get isCommanding(): boolean {
    return this.#role === "commanding";
  }

  /** Calls the listener after each change; `isTakeOver`: another gateway has commanded until now. */
  onChange(listener: (change: { isTakeOver: boolean }) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(role: GatewayRole): void {
    const before = this.#role;
    this.#role = role;
    if (before === role) return;
    for (const listener of this.#listeners)
      listener({ isTakeOver: before === "standby" && role === "commanding" });
  }
}
