import { readFileSync, statSync } from "node:fs";
import { type ConfigTexts, textsOf } from "../texts/index.js";
import { readYaml } from "./document.js";
import type { ConfigProblem } from "./error.js";
import { dotted, type KeyPath, keysOf, nodesAt, type SchemaNode, typesOf } from "./kit/node.js";
import { nearest } from "./kit/suggest.js";
import { root } from "./validate.js";

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "HOURGATE_";
/** Parts of variable names that container platforms create for a service called hourgate. */
const FOREIGN = /(^|_)(port|host|addr|proto|tcp|udp|version|home)(_|$)/;
/** Variables that are not keys of the configuration. */
const RESERVED = new Set(["HOURGATE_CONFIG"]);

/** One key set by the environment. */
export interface Override {
  variable: string;
  path: KeyPath;
  value: unknown;
}

export interface EnvironmentReading {
  overrides: Override[];
  problems: ConfigProblem[];
  /** Sentences about variables that are possibly misspelled keys, but may belong to another program. */
  notes: string[];
}

/**
 * Reads `HOURGATE_<SECTION>__<KEY>` variables, e.g. `HOURGATE_HTTP__PORT=8080`. Values of keys that are not plain text are
 * parsed as YAML, so `true`, `null`, `[1, 2]` work; `…_FILE` of a secret reads it from that file. Overrides are sorted:
 * sections before their keys, list entries in order.
 */
export function readEnvironment(
  environment: Environment,
  texts: ConfigTexts = textsOf("en").config,
): EnvironmentReading {
  const reading: EnvironmentReading = { overrides: [], problems: [], notes: [] };
  const sections = keysOf([root]);
  for (const [variable, text] of Object.entries(environment)) {
    const name = variable.toUpperCase();
    if (text === undefined || !name.startsWith(PREFIX) || RESERVED.has(name)) continue;
    const path = name.slice(PREFIX.length).toLowerCase().split("__");
    if (path.length === 1 && !sections.includes(path[0]!)) {
      const notes = singleUnderscore(variable, text, texts);
      reading.notes.push(...notes);
      // Container platforms set other variables; only names similar to a section are reported.
      const meant = notes.length === 0 && !FOREIGN.test(path[0]!) ? nearest(path[0]!, sections) : undefined;
      if (meant !== undefined) {
        const message = texts.environment.meant(PREFIX + meant.toUpperCase());
        reading.problems.push({ file: variable, key: path[0]!, message });
      }
      continue;
    }
    const read = readVariable({ variable, path, text }, texts);
    if ("message" in read) reading.problems.push(read);
    else reading.overrides.push(read);
  }
  reading.overrides.sort((a, b) => comparePaths(a.path, b.path));
  for (const [index, { path, variable }] of reading.overrides.entries()) {
    const before = reading.overrides[index - 1];
    if (before === undefined || comparePaths(before.path, path) !== 0) continue;
    const message = texts.environment.twice(before.variable);
    reading.problems.push({ file: variable, key: dotted(path), message });
  }
  return reading;
}

function readVariable(
  { variable, path, text }: { variable: string; path: KeyPath; text: string },
  texts: ConfigTexts,
): Override | ConfigProblem {
  const problem = (message: string, key: KeyPath = path): ConfigProblem => ({
    file: variable,
    key: dotted(key),
    message,
  });
  const secretPath = secretOfFile(path);
  if (secretPath !== undefined) {
    const file = readTextFile(text.trim(), texts);
    if ("fault" in file) return problem(texts.file.secret(file.fault), secretPath);
    const secret = file.text.trim();
    return secret === ""
      ? problem(texts.file.secret(texts.file.empty), secretPath)
      : { variable, path: secretPath, value: secret };
  }
  const nodes = nodesAt(root, path);
  if (nodes.length === 0) {
    const meant = suggestVariable(path);
    return problem(meant === undefined ? texts.schema.unknown : texts.environment.meant(meant));
  }
  if (nodes.every(isPlainText)) {
    const isNull = nodes.some((node) => typesOf(node).includes("null")) && /^(null|~|)$/.test(text);
    return { variable, path, value: isNull ? null : text };
  }
  const yaml = readYaml(text, variable, texts);
  return yaml.problems[0] === undefined
    ? { variable, path, value: yaml.value }
    : problem(yaml.problems[0].message);
}

const isPlainText = (node: SchemaNode) => typesOf(node).every((type) => type === "string" || type === "null");

/** `owner.password` for `owner.password_file`; undefined if that is not a secret. */
function secretOfFile(path: KeyPath): KeyPath | undefined {
  const last = path.at(-1)!;
  if (!last.endsWith("_file")) return undefined;
  const base = [...path.slice(0, -1), last.slice(0, -"_file".length)];
  return nodesAt(root, base).some((node) => node.writeOnly === true) ? base : undefined;
}

function suggestVariable(path: KeyPath): string | undefined {
  const known: string[] = [];
  for (const key of path) {
    const keys = keysOf(nodesAt(root, known));
    const found = nodesAt(root, [...known, key]).length > 0 ? key : nearest(key, keys);
    if (found === undefined) return undefined;
    known.push(found);
  }
  return PREFIX + known.join("__").toUpperCase();
}

/** `HOURGATE_HTTP_PORT` is probably a mistake, but container platforms set such names too: reported as a note only. */
function singleUnderscore(variable: string, text: string, texts: ConfigTexts): string[] {
  if (/^(tcp|udp):\/\//.test(text)) return [];
  const name = variable.slice(PREFIX.length).toLowerCase();
  const path = pathsOf(root, []).find((known) => known.join("_") === name);
  if (path === undefined) return [];
  const meant = PREFIX + path.join("__").toUpperCase();
  return [texts.environment.ignored(variable, meant)];
}

function pathsOf(node: SchemaNode, path: KeyPath): KeyPath[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
    [...path, key],
    ...pathsOf(child, [...path, key]),
  ]);
}

function comparePaths(a: KeyPath, b: KeyPath): number {
  for (const [index, key] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const numbers = /^\d+$/.test(key) && /^\d+$/.test(other);
    const order = numbers ? Number(key) - Number(other) : key < other ? -1 : key > other ? 1 : 0;
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Applies overrides to `value` in their order; missing sections on a path start with their default. */
export function applyOverrides(
  value: unknown,
  overrides: readonly Override[],
  texts: ConfigTexts = textsOf("en").config,
): { value: unknown; problems: ConfigProblem[] } {
  const holder: Record<string, unknown> = { root: value ?? {} };
  const problems: ConfigProblem[] = [];
  for (const { variable, path, value: set } of overrides) {
    const message = assign(holder, { path, value: set }, texts);
    if (message !== undefined) problems.push({ file: variable, key: dotted(path), message });
  }
  return { value: holder.root, problems };
}

function assign(
  holder: Record<string, unknown>,
  { path, value }: { path: KeyPath; value: unknown },
  { environment: texts }: ConfigTexts,
): string | undefined {
  const full = ["root", ...path];
  let parent: Record<string, unknown> | unknown[] = holder;
  for (const [index, key] of full.entries()) {
    if (Array.isArray(parent) && !/^\d+$/.test(key)) return texts.insideList;
    if (Array.isArray(parent) && Number(key) > parent.length) return texts.noEntry(key, parent.length);
    const slots = parent as Record<string, unknown>;
    if (index === full.length - 1) {
      slots[key] = value;
      return undefined;
    }
    const child: unknown = Object.hasOwn(slots, key) ? slots[key] : undefined;
    const next = child ?? startingPoint(nodesAt(root, full.slice(1, index + 1)));
    if (typeof next !== "object" || next === null) return texts.insideValue;
    slots[key] = next;
    parent = next as Record<string, unknown> | unknown[];
  }
  return undefined;
}

/** Initial value of a missing section or list: its default, otherwise empty. */
function startingPoint(nodes: readonly SchemaNode[]): unknown {
  const preset = nodes.find((node) => typeof node.default === "object" && node.default !== null)?.default;
  if (preset !== undefined) return structuredClone(preset);
  return nodes.some((node) => typesOf(node).includes("object")) ? {} : [];
}

const LARGEST_BYTES = 2e6;

/**
 * The text of a UTF-8 file, or a sentence why it cannot be read. Relative paths start at the working directory. Never throws.
 */
export function readTextFile(
  path: string,
  { file: texts }: ConfigTexts = textsOf("en").config,
): { text: string } | { fault: string } {
  try {
    // A log or an archive in its place would take minutes to read as YAML.
    if (statSync(path).size > LARGEST_BYTES) return { fault: texts.tooLarge(path, LARGEST_BYTES / 1e6) };
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case "ENOENT":
      case "ENOTDIR":
        return { fault: texts.missing(path) };
      case "EISDIR":
        return { fault: texts.folder(path) };
      case "EACCES":
      case "EPERM":
        return { fault: texts.forbidden(path) };
      default:
        return { fault: texts.failed(path, (error as NodeJS.ErrnoException).code) };
    }
  }
}
