import { vi } from "vitest";

/** Retries the check until it passes, for up to 20 s; resolves with its result. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 20_000, interval: 5 });
}
