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
import { type ConfigTexts, textsOf } from "../texts/index.js";
import type { ConfigProblem } from "./error.js";
import type { KeyPath } from "./kit/node.js";

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
export function readYaml(
  text: string,
  file: string,
  { yaml: texts }: ConfigTexts = textsOf("en").config,
): YamlText {
  // The messages of the parser repeat parts of the text, which may contain secrets.
  const syntax: Partial<Record<ErrorCode, string>> = texts.syntax;
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
    return failed(texts.malformed);
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
    message: texts.unreadable(syntax[error.code]),
  }));
  if (problems.length > 0) return { value: undefined, problems, position: () => undefined };
  let value: unknown;
  try {
    value = unshared(document.toJS({ maxAliasCount: 100 }), 0);
  } catch {
    const lost = unresolvedAlias(document);
    if (lost !== undefined) {
      const message = texts.unreadable(syntax.BAD_ALIAS);
      return { ...failed(message), problems: [{ file, ...at(lost), key: "", message }] };
    }
    return failed(texts.tooDeep);
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
