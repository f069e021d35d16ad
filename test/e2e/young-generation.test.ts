import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { VERSION } from "../../src/version.js";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

/** Runs `hourgate --version` after the code in `preload`. */
function version(preload: string) {
  const script = `data:text/javascript,${encodeURIComponent(preload)}`;
  return promisify(execFile)(process.execPath, ["--import", script, cli, "--version"]);
}

it("is limited on this Node version without output on stderr", async () => {
  const { stdout, stderr } = await version(`
    import { getHeapSpaceStatistics } from "node:v8";
    process.on("exit", () => {
      const held = [];
      for (let count = 0; count < 2e6; count++) held.push({ count });
      const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
      process.stdout.write(String(space.space_size / 2 ** 20));
    });`);
  expect(stderr).toBe("");
  const [printed, sizeMb] = stdout.split("\n");
  expect(printed).toBe(VERSION);
  expect(Number(sizeMb)).toBeGreaterThan(0);
  expect(Number(sizeMb)).toBeLessThanOrEqual(2);
});

it("sets no flag that V8 may not support", async () => {
  const { stdout, stderr } = await version(`
    import { syncBuiltinESMExports } from "node:module";
    import v8 from "node:v8";
    Object.defineProperty(process, "versions", { value: { ...process.versions, v8: "99.1.2" } });
    v8.setFlagsFromString = (flag) => process.stderr.write("Error: unrecognized flag " + flag);
    syncBuiltinESMExports();`);
  expect({ stdout, stderr }).toEqual({ stdout: `${VERSION}\n`, stderr: "" });
});
