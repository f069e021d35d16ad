import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import type { ConfigProblem } from "./error.js";
import type { KeyPath } from "./schema/node.js";

/** Messages for YAML errors; those of the parser repeat parts of the text, which may contain secrets. */
const SYNTAX: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS:
    "a value that starts with * refers to an anchor that does not exist here; put it in quotes if it is text",
  BAD_INDENT: "the indentation does not fit the lines above",
  BAD_SCALAR_START: "a value starts with a character that has a meaning in YAML (@ ` % …); put it in quotes",
  BLOCK_IN_FLOW: "an indented list or section is inside [ ] or { }",
  DUPLICATE_KEY: "the same key occurs twice in this section; keep one",
  MISSING_CHAR: "a closing quote, bracket, brace or comma is missing",
  MULTIPLE_DOCS: "a second document begins here (---); one file holds one configuration",
  TAB_AS_INDENT: "a tab is used to indent; YAML takes spaces only",
  TAG_RESOLVE_FAILED: "a value that starts with ! names an unknown tag; put it in quotes if it is text",
  BAD_DIRECTIVE: "a line that starts with % names an unknown directive",
  UNEXPECTED_TOKEN: "YAML does not expect this text here",
  MULTILINE_IMPLICIT_KEY: "a key and its value run over several lines; is a colon missing?",
  BLOCK_AS_IMPLICIT_KEY: "there is a second key on this line; begin a new line or put the value in quotes",
};

/** A YAML text: its value, and the positions of its keys. */
export interface YamlText {
  value: unknown;
  problems: ConfigProblem[];
  /** Line and column of the key at `path`, or of the nearest existing section around it. */
  position(path: KeyPath): { line: number; column: number; depth: number } | undefined;
}

/** Maximum nesting; deeper nesting could exhaust the stack. */
const DEEPEST = 50;

/** Reads one YAML 1.2 document; never throws. `file` is the name in its problems. */
export function readYaml(text: string, file: string): YamlText {
  const lines = new LineCounter();
  const failed = (message: string): YamlText => ({
    value: undefined,
    problems: [{ file, line: 1, key: "", message }],
    position: () => undefined,
  });
  let document: Document.Parsed;
  try {
    // Known tags (binary, set, timestamp …) would produce values that are not JSON and cannot be validated.
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      schema: "core",
      resolveKnownTags: false,
      // "silent" would ignore a second document.
      logLevel: "error",
    });
  } catch {
    return failed("is not readable as YAML: it is nested too deeply or malformed.");
  }
  const lastOffset = text.trimEnd().length;
  const at = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, lastOffset));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems: ConfigProblem[] = [...document.errors, ...document.warnings].map((error) => ({
    file,
    ...at(error.pos[0]),
    key: "",
    message: `is not readable as YAML: ${SYNTAX[error.code] ?? "the text is incomplete or malformed"}.`,
  }));
  if (problems.length > 0) return { value: undefined, problems, position: () => undefined };
  let value: unknown;
  try {
    value = unshared(document.toJS({ maxAliasCount: 100 }), 0);
  } catch {
    const lost = unresolvedAlias(document);
    if (lost !== undefined) {
      const message = `is not readable as YAML: ${SYNTAX.BAD_ALIAS}.`;
      return { ...failed(message), problems: [{ file, ...at(lost), key: "", message }] };
    }
    return failed("is nested too deeply, or uses anchors and aliases in a circle or too often.");
  }
  return {
    value,
    problems: [],
    position: (path) => {
      const found = locate(document.contents, path, (node) =>
        isAlias(node) ? node.resolve(document) : node,
      );
      return found === undefined ? undefined : { ...at(found.offset), depth: found.depth };
    },
  };
}

/** Offset of the first alias without an anchor. */
function unresolvedAlias(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** A copy without shared objects: each alias becomes a copy, so that overrides of one do not affect another. */
function unshared(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new RangeError("nested too deeply");
  if (Array.isArray(value)) return value.map((entry) => unshared(entry, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, unshared(entry, depth + 1)]));
}

/** Offset of the key (or list entry) at `path`, or of its nearest existing parent. */
function locate(
  root: Node | null,
  path: KeyPath,
  follow: (node: Node) => Node | undefined,
): { offset: number; depth: number } | undefined {
  let node: Node | null | undefined = root;
  let found = root?.range == null ? undefined : { offset: root.range[0], depth: 0 };
  for (const [index, key] of path.entries()) {
    const here: Node | null | undefined = node == null ? node : follow(node);
    let offset: number | undefined;
    if (isMap(here)) {
      const pair = here.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
      node = pair?.value as Node | null | undefined;
    } else if (isSeq(here)) {
      node = here.items[Number(key)] as Node | null | undefined;
      offset = node?.range?.[0];
    }
    if (offset === undefined) return found;
    found = { offset, depth: index + 1 };
  }
  return found;
}
