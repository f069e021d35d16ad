import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ReadCopy } from "../../src/store/read-copy.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hourgate-copies-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("removes what killed gateways have left, and nothing else", async () => {
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const names = [
    `hourgate-read-${ended}-aaaaaa`,
    // A container that is started again: every gateway in it has the same number.
    `hourgate-read-${process.pid}-bbbbbb`,
    `hourgate-read-${process.ppid}-cccccc`,
    `hourgate-reader-${ended}-d`,
  ];
  for (const name of names) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "CURRENT"), "MANIFEST-000001\n");
  }
  await ReadCopy.removeLeft([folder]);
  expect((await readdir(folder)).sort()).toEqual([names[2], names[3]]);
});

it("keeps the copies of this gateway", async () => {
  await writeFile(join(folder, "CURRENT"), "MANIFEST-000001\n");
  const copy = await ReadCopy.create(folder);
  await ReadCopy.removeLeft();
  expect(await readdir(copy!.folder)).toEqual(["CURRENT"]);
  await copy!.remove();
  await ReadCopy.removeLeft();
  expect(await readdir(join(copy!.folder, ".."))).not.toContain(basename(copy!.folder));
});
