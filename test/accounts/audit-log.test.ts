import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AuditLog } from "../../src/accounts/audit-log.js";
import { silentLog } from "../../src/core/log.js";
import { temporaryFolder } from "../store/support/folder.js";

const START_MS = Date.parse("2026-01-15T10:00:00Z");

async function auditLog({ rotateBytes }: { rotateBytes?: number } = {}) {
  const folder = await temporaryFolder();
  let nowMs = START_MS;
  const audit = new AuditLog({
    folder,
    log: silentLog,
    wallNow: () => new Date(nowMs),
    ...(rotateBytes && { rotateBytes }),
  });
  return {
    folder,
    audit,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it("sums up the sign-ins of an address that are held back, by minute, and displaces no change with them", async () => {
  const { folder, audit, pass } = await auditLog();
  audit.record({ event: "key.replaced", account: "owner@example.org" });
  for (let minute = 0; minute < 3; minute++) {
    for (let count = 0; count < 20_000; count++)
      audit.record({ event: "sign_in.delayed", account: `x${count}@example.org`, from: "192.0.2.1" });
    audit.record({ event: "sign_in.delayed", account: "owner@example.org", from: "192.0.2.2" });
    pass(60_000);
  }
  // The present minute is listed before it is written.
  expect(await audit.latest(1)).toMatchObject([{ event: "sign_in.delayed" }]);
  await audit.stop();
  const lines = (await readFile(join(folder, "audit-refused.jsonl"), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(6);
  expect(JSON.parse(lines[0]!)).toEqual({
    time: "2026-01-15T10:00:00.000Z",
    event: "sign_in.delayed",
    from: "192.0.2.1",
    count: 20_000,
  });
  const own = await audit.latest(10, ({ account }) => account === "owner@example.org");
  expect(own.map(({ event, from, count }) => `${event} ${from} ${count}`).sort()).toEqual([
    "key.replaced undefined undefined",
    ...Array(3).fill("sign_in.delayed 192.0.2.2 1"),
  ]);
});

it("keeps changes while refused sign-ins from many addresses fill their own files", async () => {
  const { folder, audit } = await auditLog({ rotateBytes: 10_000 });
  audit.record({ event: "key.replaced", account: "owner@example.org" });
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 100; count++)
      audit.record({ event: "sign_in.failed", account: "x".repeat(150), from: `192.0.2.${count % 250}` });
    await audit.latest(1, () => false);
  }
  expect(await audit.latest(1, ({ event }) => event === "key.replaced")).toHaveLength(1);
  const files = await readdir(folder);
  expect(files.filter((name) => name.startsWith("audit-refused"))).toHaveLength(5);
  expect(files.filter((name) => !name.startsWith("audit-refused"))).toEqual(["audit.jsonl"]);
});

it("counts a bounded number of addresses; the others together", async () => {
  const { audit } = await auditLog();
  for (let count = 0; count < 3000; count++)
    audit.record({ event: "sign_in.delayed", account: "a@example.org", from: `2001:db8::${count}` });
  const entries = await audit.latest(5000);
  expect(entries).toHaveLength(1001);
  expect(entries.find(({ from }) => from === "other addresses")).toMatchObject({ count: 2000 });
});
