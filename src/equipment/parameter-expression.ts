import { isRecord } from "../core/net/json.js";
import {
  ExpressionError,
  PARAMETER_FILTERS,
  renderParameter,
  StepBudget,
  type Variables,
  variablesOf,
} from "./expression.js";
import type { ActuatorTemplate } from "./template.js";
import { VARIABLES } from "./variables.js";

/** Most characters of a text of a parameter. */
export const LONGEST_TEXT = 4000;
/** Of all texts with expressions of an actuator. */
export const LONGEST_TEXTS = 20_000;
const MOST_OUTPUTS = 10;
const MOST_FILTERS = 10;

const LITERAL = String.raw`-?\d+(?:\.\d+)?|"[^"{}]*"|'[^'{}]*'`;
const NAME = String.raw`[a-z_]\w*(?:\.\w+)*`;
const VALUE = `(?:${LITERAL}|${NAME})`;
/** What may stand between `{{` and `}}`: a value, and filters with values. */
const OUTPUT = new RegExp(
  String.raw`^-?\s*${VALUE}(?:\s*\|\s*\w+(?:\s*:\s*${VALUE}(?:\s*,\s*${VALUE})*)?)*\s*-?$`,
  "i",
);
const FILTER = /\|\s*(\w+)/g;
const QUOTED = /"[^"]*"|'[^']*'/g;
/** The first part of a name. */
const ROOT = /(?<![\w.])[a-z_]\w*/gi;
const CONSTANTS = ["true", "false", "nil", "null", "blank", "empty"];

/** The parameters that are expressions. */
export function expressionsOf({ parameters }: ActuatorTemplate): string[] {
  return Object.keys(parameters).filter((name) => parameters[name]?.expression === true);
}

/** Names that an expression in a parameter may use: no secrets, and no parameter that is an expression itself. */
export function namesForExpressions({ parameters, values = {} }: ActuatorTemplate): string[] {
  const hidden = new Set(
    Object.entries(parameters)
      .filter(([, { secret, expression }]) => secret === true || expression === true)
      .map(([name]) => name),
  );
  for (const [name, value] of Object.entries(values))
    if (variablesOf(String(value)).some((one) => hidden.has(one))) hidden.add(name);
  return [...VARIABLES, ...Object.keys(parameters), ...Object.keys(values)].filter(
    (name) => !hidden.has(name),
  );
}

/** What is wrong with a text that an account states for an expression, as the end of a sentence; undefined: nothing. */
export function parameterFault(text: string, names: readonly string[]): string | undefined {
  if (text.length > LONGEST_TEXT) return `must have at most ${LONGEST_TEXT} characters.`;
  if (text.includes("{%")) return "must not contain {% … %}: a parameter has {{ … }} only.";
  let outputs = 0;
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", at);
    const inner = end < 0 ? undefined : text.slice(at + 2, end);
    if (inner === undefined || !OUTPUT.test(inner))
      return "has an expression that is not {{ name | filter: value }}.";
    if (++outputs > MOST_OUTPUTS) return `has more than ${MOST_OUTPUTS} expressions.`;
    const plain = inner.replace(QUOTED, "''");
    const filters = [...plain.matchAll(FILTER)].map(([, name]) => name!);
    if (filters.filter((one) => one === "url_encode").length > 1) return "encodes a value twice.";
    if (filters.length > MOST_FILTERS) return `has an expression with more than ${MOST_FILTERS} filters.`;
    const filter = filters.find((one) => !(PARAMETER_FILTERS as readonly string[]).includes(one));
    if (filter !== undefined)
      return `uses the filter "${filter}"; a parameter has ${PARAMETER_FILTERS.join(", ")}.`;
    const values = plain.replace(FILTER, " ").matchAll(ROOT);
    const name = [...values]
      .map(([one]) => one)
      .find((one) => !CONSTANTS.includes(one) && !names.includes(one));
    if (name !== undefined) return `names "${name}"; an expression in a parameter has ${names.join(", ")}.`;
    at = end + 2;
  }
  return undefined;
}

/** Longest text that an expression in a parameter can insert, and most characters that all of a device give together. */
const LONGEST_VALUE = 1000;
const MOST_CHARACTERS = 64 * 1024;

/** Whether a parameter, or a member of it, has something to replace. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{");
  return isRecord(value) && Object.values(value).some(hasExpression);
}

/**
 * Replaces the expressions in some of the variables, each when it is first asked for: a template needs one or two of those of all
 * states. `visible`: the names that they may use. The members then throw ExpressionError.
 */
export function defineRendered(
  variables: Record<string, unknown>,
  names: readonly string[],
  visible: readonly string[],
): void {
  const budget = new StepBudget();
  let characters = 0;
  let known: Variables | undefined;
  const rendered = (value: unknown): unknown => {
    if (typeof value !== "string") return isRecord(value) ? mapped(value, rendered) : value;
    known ??= withShortTexts(variables, visible);
    const text = renderParameter(value, known, budget);
    characters += text.length;
    if (characters > MOST_CHARACTERS)
      throw new ExpressionError("the expressions of the parameters give more than 64 kB");
    return text;
  };
  for (const name of names) {
    const value = variables[name];
    define(variables, name, () => rendered(value));
  }
}

/** Without texts that are too long: an expression that names one is refused as one with an unknown name. */
function withShortTexts(variables: Variables, names: readonly string[]): Variables {
  const isShort = (value: unknown) => typeof value !== "string" || value.length <= LONGEST_VALUE;
  const short: Record<string, unknown> = {};
  for (const name of names) {
    const value = variables[name];
    if (isRecord(value))
      short[name] = Object.fromEntries(Object.entries(value).filter(([, member]) => isShort(member)));
    else if (isShort(value)) short[name] = value;
  }
  return short;
}

function mapped(values: Variables, change: (value: unknown) => unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) define(result, name, () => change(value));
  return result;
}

/** A member that is computed once, when it is first asked for. */
function define(target: Record<string, unknown>, name: string, compute: () => unknown): void {
  let known: { value: unknown } | { error: unknown } | undefined;
  const get = () => {
    known ??= outcomeOf(compute);
    if ("error" in known) throw known.error;
    return known.value;
  };
  Object.defineProperty(target, name, { enumerable: true, configurable: true, get });
}

function outcomeOf(compute: () => unknown): { value: unknown } | { error: unknown } {
  try {
    return { value: compute() };
  } catch (error) {
    return { error };
  }
}
