import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import {
  hashPassword,
  PASSWORD_COST,
  setPasswordCost,
  verifyPassword,
} from "../../src/accounts/passwords.js";

beforeAll(() => setPasswordCost(PASSWORD_COST));

it("verifies only the hashed password, in any Unicode form of an umlaut", async () => {
  const stored = await hashPassword("Gr\u00fcn 1");
  expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(await verifyPassword("Gru\u0308n 1", stored)).toBe(true);
  expect(await verifyPassword("Grun 1", stored)).toBe(false);
});

it("verifies a hash that another implementation made (RFC 7914, section 12, first 32 of 64 bytes)", async () => {
  const salt = Buffer.from("NaCl").toString("base64url");
  const hash = Buffer.from("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162", "hex");
  expect(await verifyPassword("password", `scrypt$1024$8$16$${salt}$${hash.toString("base64url")}`)).toBe(
    true,
  );
});

it("is false for a text that is not a stored password", async () => {
  for (const stored of ["", "plain", "scrypt$1$2", "md5$1$1$1$AA$AA"]) {
    expect(await verifyPassword("x", stored)).toBe(false);
  }
});

it("leaves the disk to others while many passwords are checked", async () => {
  const stored = await hashPassword("right");
  let ended = 0;
  const checks = Array.from({ length: 40 }, (_, index) =>
    verifyPassword("wrong", stored, { address: `192.0.2.${index}` })
      .catch(() => {})
      .finally(() => ended++),
  );
  await readFile(import.meta.filename);
  // The pool of Node has four threads, and would have served the file last.
  expect(ended).toBeLessThan(20);
  await Promise.all(checks);
});

it("lets few checks of one address wait, and others pass", async () => {
  const stored = await hashPassword("right");
  const refused: number[] = [];
  const callers = [...Array(10).fill({ address: "192.0.2.1" }), { address: "192.0.2.2" }, "known" as const];
  const checks = callers.map((caller, index) =>
    verifyPassword("wrong", stored, caller).catch((error: unknown) => {
      refused.push(index);
      return error;
    }),
  );
  await setImmediate();
  // Two are checked and four wait.
  expect(refused).toEqual([6, 7, 8, 9]);
  expect(await checks[6]).toMatchObject({ fault: "busy" });
  await Promise.all(checks);
});
