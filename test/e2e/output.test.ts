import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect, it } from "vitest";
import { COMMAND } from "./gateway-process.js";

it.skipIf(process.platform !== "linux")("a full disk behind the output is an error, and not silence", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, "--help"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: .*ENOSPC/)]);
});
