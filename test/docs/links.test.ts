import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { page, pagePaths, withoutCode } from "./pages.js";

const ROOT = resolve(import.meta.dirname, "../..");

/** Targets of links and pictures, without those that lead out of the project. */
function targetsOf(text: string): string[] {
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^\w+:/.test(target));
}

/** The anchors that GitHub makes of a page's headings: lower case, words and hyphens, spaces become hyphens. */
function anchorsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

describe("links", () => {
  it.each(pagePaths())("of %s lead to files and headings that exist", (path) => {
    const broken = targetsOf(page(path)).filter((target) => {
      const [file = "", anchor] = target.split("#");
      const aim = file === "" ? path : join(dirname(path), file);
      if (!existsSync(resolve(ROOT, aim))) return true;
      return anchor !== undefined && !anchorsOf(page(aim)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("are read, and their anchors made as GitHub makes them", () => {
    expect(
      targetsOf("[a](b.md#c) ![p](i.png) `[no](x.md)` [out](https://x.y)\n```\n[no](y.md)\n```"),
    ).toEqual(["b.md#c", "i.png"]);
    expect(anchorsOf("# A broker of your own\n## GET /v1/forecast\n## What's `next`?")).toEqual([
      "a-broker-of-your-own",
      "get-v1forecast",
      "whats-next",
    ]);
  });
});

it("docs/index.md names every page", () => {
  const listed = targetsOf(page("docs/index.md"));
  const pages = pagePaths().flatMap((path) => (path.startsWith("docs/") ? [path.slice("docs/".length)] : []));
  expect(pages.filter((name) => name !== "index.md" && !listed.includes(name))).toEqual([]);
});

describe("references in the code", () => {
  const sources = ["src", "test", "node-red-nodes"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|js|html)$/.test(name) && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
  const references = sources.flatMap((source) =>
    [
      ...readFileSync(join(ROOT, source), "utf8").matchAll(
        /\bdocs\/([\w/-]+\.md)(?:(?:\s|\*)+sections?\s+(\d+))?/g,
      ),
    ].map(([text, name, number]) => ({ source, text, name: `docs/${name}`, number })),
  );

  it("name pages that exist, and sections that these pages have", () => {
    expect(references.filter(({ number }) => number !== undefined).length).toBeGreaterThan(30);
    const broken = references.filter(
      ({ name, number }) =>
        !existsSync(join(ROOT, name)) || (number !== undefined && !page(name).includes(`\n## ${number}. `)),
    );
    expect(broken).toEqual([]);
  });
});
