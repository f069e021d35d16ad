import { expect, it } from "vitest";
import { hashToken, newToken } from "../../src/accounts/secret-token.js";

it("creates tokens that a command line does not parse as options", () => {
  // One in 64 would begin with a dash by chance: of 2000 some would, all but surely.
  const tokens = Array.from({ length: 2000 }, () => newToken(24));
  expect(tokens.filter(({ token }) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{31}$/.test(token))).toEqual([]);
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(2000);
  expect(tokens.every(({ token, hash }) => hashToken(token) === hash)).toBe(true);
});
