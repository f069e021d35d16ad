import { vi } from "vitest";

/** Waits until the check passes, however slow the machine is; resolves to what it returned. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 20_000, interval: 5 });
}
