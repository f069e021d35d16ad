import { vi } from "vitest";

/** Retries the check until it passes, for up to 60 s, since a machine may be busy; resolves with its result. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}
