import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

/** Runs `hourgate serve --help` after the code in `preload`. */
function help(preload: string) {
  const script = `data:text/javascript,${encodeURIComponent(preload)}`;
  return promisify(execFile)(process.execPath, ["--import", script, cli, "serve", "--help"]);
}

it("is limited on this Node version without output on stderr", async () => {
  const { stdout, stderr } = await help(`
    import { getHeapSpaceStatistics } from "node:v8";
    process.on("exit", () => {
      const held = [];
      for (let count = 0; count < 2e6; count++) held.push({ count });
      const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
      process.stdout.write(String(space.space_size / 2 ** 20));
    });`);
  expect(stderr).toBe("");
  expect(stdout).toContain("Usage: hourgate serve");
  const sizeMb = Number(stdout.trimEnd().split("\n").at(-1));
  expect(sizeMb).toBeGreaterThan(0);
  expect(sizeMb).toBeLessThanOrEqual(2);
});

it("sets no flag that V8 may not support", async () => {
  const { stdout, stderr } = await help(`
    import { syncBuiltinESMExports } from "node:module";
    import v8 from "node:v8";
    Object.defineProperty(process, "versions", { value: { ...process.versions, v8: "99.1.2" } });
    v8.setFlagsFromString = (flag) => process.stderr.write("Error: unrecognized flag " + flag);
    syncBuiltinESMExports();`);
  expect(stdout).toContain("Usage: hourgate serve");
  expect(stderr).toBe("");
});
