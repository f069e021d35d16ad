import { readdirSync, readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

/** The text of a page by its path from the root of the project, such as `docs/api.md`. */
export const page = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/** All pages of the project: in the root, in `docs/` and its folders, and of the modules of `src/`. */
export function pagePaths(): string[] {
  const inDocs = readdirSync(new URL("docs/", ROOT), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  return [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "node-red-nodes/README.md",
    ...inDocs.map((name) => `docs/${name}`),
    ...modules().map((name) => `src/${name}/README.md`),
  ];
}

/** The body of the section with this heading, up to the next heading of its level or above. Throws if there is none. */
export function section(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const lines = text.split("\n");
  const first = lines.indexOf(heading);
  if (first < 0) throw new Error(`There is no heading "${heading}".`);
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= level);
  return rest.slice(0, end < 0 ? undefined : end).join("\n");
}

/** The text without fenced blocks, in which `#` is not a heading and brackets are not links. */
export const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, "");

/** The folders of `src/`. */
function modules(): string[] {
  return readdirSync(new URL("src/", ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
