import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const SKIPPED = new Set(["node_modules", "dist", ".git"]);
const TEXT = /\.(ts|tsx|js|mjs|json|md|yaml|yml|html|sh)$|^\.ci\//;

/** The path traversal attack of the fuzz test, which does not refer to a file. */
const ATTACK = "../../../etc/passwd";

/** The files below a folder as paths relative to the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [relative(ROOT, path)] : [];
  });
}

/** Relative paths in a text that point outside the repository. */
function leadingOut(file: string, text: string): string[] {
  const paths = [...text.matchAll(/(?<=["'`(\s=])(?:\.\.\/)+[\w@.-][\w@./-]*/g)].map(([path]) => path);
  return paths.filter(
    (path) => path !== ATTACK && relative(ROOT, resolve(ROOT, dirname(file), path)).startsWith(".."),
  );
}

const files = filesBelow(ROOT);

describe("the repository", () => {
  it("does not refer to folders outside", () => {
    const outside = `${"../".repeat(2)}outside/data`;
    expect(leadingOut("docs/index.md", `[a](../README.md) and ${outside}, "../src"`)).toEqual([outside]);
    const broken = files
      .filter((file) => TEXT.test(file))
      .flatMap((file) =>
        leadingOut(file, readFileSync(join(ROOT, file), "utf8")).map((path) => `${file}: ${path}`),
      );
    expect(broken).toEqual([]);
  });

  it("has at most 3 MB of fixtures, each named in their README", () => {
    const fixtures = files.filter((file) => file.startsWith("test/fixtures/"));
    expect(fixtures.length).toBeGreaterThan(20);
    const bytes = fixtures.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0);
    expect(bytes).toBeLessThan(3e6);
    const readme = readFileSync(join(ROOT, "test/fixtures/README.md"), "utf8");
    const inSubfolders = fixtures.filter((file) => file.split("/").length > 3);
    const unnamed = inSubfolders.filter((file) => {
      const name = file.slice("test/fixtures/".length);
      return !readme.includes(`\`${name.replace(/^answers\//, "")}\``);
    });
    expect(unnamed).toEqual([]);
  });
});
