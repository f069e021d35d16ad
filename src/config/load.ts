import { existsSync, readFileSync, statSync } from "node:fs";
import type { Language } from "../core/language.js";
import { type ConfigTexts, textsOf } from "../texts/index.js";
import { readYaml, type YamlText } from "./document.js";
import {
  applyOverrides,
  type Environment,
  type Override,
  readEnvironment,
  readTextFile,
} from "./environment.js";
import { ConfigError, type ConfigProblem } from "./error.js";
import { dotted, type KeyPath } from "./kit/node.js";
import { checkRules } from "./rules.js";
import type { PriceSourceSettings, Settings } from "./settings.js";
import { applyDerivedValues, dropEmptySections, type SchemaFinding, validate } from "./validate.js";

/** Names of keys whose values are secrets; the path of a file with a secret, such as `key_file`, is none. */
const SECRET_NAME = /(^|_)(key|password|secret|token|passphrase)$/i;
/** An address with a password. */
const SECRET_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@/i;

/** Where a configuration as written contains a secret: the first such key; undefined if there is none. */
export function firstSecret(value: unknown, path: KeyPath = []): KeyPath | undefined {
  if (typeof value === "string" || typeof value === "number") {
    const name = path.at(-1) ?? "";
    const isSecret = SECRET_NAME.test(name) || SECRET_ADDRESS.test(String(value));
    return isSecret && value !== "" ? path : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = firstSecret(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Default path of the configuration. */
const DEFAULT_FILE = "config/hourgate.yaml";

/** A valid configuration. */
export interface Configuration {
  settings: Settings;
  /** Its file; undefined if there is none and the defaults apply. */
  file: string | undefined;
  /** Notes for the operator that are not errors; one sentence each. */
  notes: string[];
  /** What is unsafe in it, for the start of the gateway and for checks; one sentence each. */
  warnings: string[];
  /** Further findings with their places in the file or the environment, in order of lines. */
  problemsOf(findings: readonly SchemaFinding[]): ConfigProblem[];
}

/**
 * Loads the configuration: `file`, else the file named by HOURGATE_CONFIG, else config/hourgate.yaml of the working
 * directory if it exists, else the defaults. Environment variables override it. Throws ConfigError with all problems.
 */
export function load(
  file: string | undefined,
  environment: Environment,
  language: Language = "en",
): Configuration {
  const texts = textsOf(language).config;
  const named = file ?? (environment.HOURGATE_CONFIG || undefined);
  const path = named ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  if (path === undefined) return parse("", { file: undefined, environment, language });
  const read = readTextFile(path, texts);
  if ("fault" in read) {
    const message = texts.file.cannotRead(read.fault, DEFAULT_FILE);
    throw new ConfigError([{ file: path, key: "", message }]);
  }
  const configuration = parse(read.text, { file: path, environment, language });
  const secret = isReadableByAll(path) ? firstSecret(readYaml(read.text, path, texts).value) : undefined;
  if (secret !== undefined) configuration.warnings.push(texts.file.readableByAll(path, dotted(secret)));
  return configuration;
}

/** Windows has other rights than the mode that Node.js reports there. */
function isReadableByAll(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o004) !== 0;
}

/** Reads a configuration from YAML text and environment. Throws ConfigError with all problems. */
export function parse(
  text: string,
  {
    file,
    environment = {},
    language = "en",
  }: { file?: string | undefined; environment?: Environment; language?: Language } = {},
): Configuration {
  const texts = textsOf(language).config;
  const yaml = readYaml(text, file ?? "defaults", texts);
  const variables = readEnvironment(environment, texts);
  if (yaml.problems.length > 0) throw new ConfigError([...yaml.problems, ...variables.problems]);
  const merged = applyOverrides(rootOf(yaml, file, texts), variables.overrides, texts);
  const value = merged.value as Record<string, unknown>;
  // An empty list also means the default plant, because a gateway without plants has no purpose.
  if (Array.isArray(value.plants) && value.plants.length === 0) delete value.plants;
  dropEmptySections(value);
  const { settings, findings } = validate(value, texts);
  if (settings !== undefined) findings.push(...checkRules(settings, texts));
  const placed = (found: SchemaFinding) => place(found, yaml, file, variables.overrides);
  const problems = [...variables.problems, ...merged.problems, ...findings.map(placed)];
  if (settings !== undefined && problems.length === 0)
    problems.push(...readTokenFiles(settings, texts).map(placed));
  if (settings === undefined || problems.length > 0) throw new ConfigError(inOrder(problems));
  applyDerivedValues(settings);
  applyDefaultResolution(settings);
  return {
    settings,
    file,
    notes: variables.notes,
    warnings: [],
    problemsOf: (more) => inOrder(more.map(placed)),
  };
}

/** The step of the prices follows the first source in use, where the settings do not state it. */
function applyDefaultResolution({ market }: Settings): void {
  const stated = market as { resolution_minutes: 60 | 15 | null };
  const first = market.sources.find(({ enabled }) => enabled);
  stated.resolution_minutes ??= first !== undefined && deliversQuarters(first) ? 15 : 60;
}

function deliversQuarters(source: PriceSourceSettings): boolean {
  return source.type === "file"
    ? endsWithQuarters(source.path)
    : source.type === "energy_charts" || source.type === "entsoe";
}

/** Some rows of a price file. */
const END_BYTES = 1000;

/** Whether the newest rows of a price file are quarter-hours: Austria has them since October 2025. */
function endsWithQuarters(path: string): boolean {
  try {
    return /[T ]\d\d:15/.test(readFileSync(path).subarray(-END_BYTES).toString("latin1"));
  } catch {
    // What is missing now may be written later; the source reports it.
    return false;
  }
}

/** The settings without a configuration. */
export function defaultSettings(): Settings {
  return parse("").settings;
}

function rootOf(yaml: YamlText, file: string | undefined, texts: ConfigTexts): Record<string, unknown> {
  const value = yaml.value ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ConfigError([{ file: file ?? "defaults", line: 1, key: "", message: texts.file.notSection }]);
}

/** The origin of a finding: the variable that set the value (or one around or within it), else the file. */
function place(
  found: SchemaFinding,
  yaml: YamlText,
  file: string | undefined,
  overrides: readonly Override[],
): ConfigProblem {
  const key = dotted(found.path);
  const around = overrides.filter(({ path }) => isWithin(found.path, path)).at(-1);
  if (around !== undefined) return { file: around.variable, key, message: found.message };
  const position = yaml.position(found.path);
  const inside = overrides.find(({ path }) => isWithin(path, found.path.slice(0, -1)));
  if (inside !== undefined && (position === undefined || position.depth < found.path.length - 1))
    return { file: inside.variable, key, message: found.message };
  const line = position === undefined ? {} : { line: position.line, column: position.column };
  return { file: file ?? "defaults", ...line, key, message: found.message };
}

const isWithin = (path: KeyPath, section: KeyPath) => section.every((key, index) => path[index] === key);

const inOrder = (problems: ConfigProblem[]) =>
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));

/** Secrets for which the file names another file. */
function readTokenFiles(settings: Settings, texts: ConfigTexts): SchemaFinding[] {
  return settings.market.sources.flatMap((source, index) => {
    if (source.type !== "entsoe" || source.token_file === null || !source.enabled) return [];
    const read = readTextFile(source.token_file, texts);
    const fault = "fault" in read ? read.fault : read.text.trim() === "" ? texts.file.empty : undefined;
    if ("text" in read && fault === undefined) source.token = read.text.trim();
    if (fault === undefined) return [];
    const path = ["market", "sources", String(index), "token_file"];
    return [{ path, message: texts.file.unusable(fault) }];
  });
}
