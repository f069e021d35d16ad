import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const module = new URL("../../../src/ops/commands/end-process.ts", import.meta.url).href;

/** How a process ends that ran this code before. */
async function ending(code: string) {
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval"];
  const program = `import { open } from "node:fs/promises";
    import { endProcess } from "${module}"; ${code}; await endProcess(3, 50);`;
  const child = spawn(process.execPath, [...args, program], { stdio: "inherit" });
  const [exitCode, signal] = await once(child, "exit");
  return { exitCode, signal };
}

it("ends with the code, also while a file never opens", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-end-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [usual, stuck] = await Promise.all([
    ending(`open(${JSON.stringify(folder)})`),
    ending(`open(${JSON.stringify(pipe)})`),
  ]);
  expect(usual).toEqual({ exitCode: 3, signal: null });
  expect(stuck).toEqual({ exitCode: null, signal: "SIGKILL" });
  rmSync(folder, { recursive: true });
});
