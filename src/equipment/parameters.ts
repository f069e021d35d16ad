import { didYouMean } from "../config/kit/suggest.js";
import { hostFault, withPlainHost } from "./host-parameter.js";
import {
  expressionsOf,
  LONGEST_TEXT,
  LONGEST_TEXTS,
  namesForExpressions,
  parameterFault,
} from "./parameter-expression.js";
import type { ActuatorTemplate, TemplateParameter } from "./template.js";

/** Most keys of a section: each state has one. */
const MOST_KEYS = 50;

/** A fault of one parameter, as the end of a sentence that begins with its name. */
export interface ParameterFault {
  name: string;
  message: string;
}

/** What a parameter is if it is left out; undefined if it must be given. */
function defaultOf(parameter: TemplateParameter, isReadOnly: boolean): unknown {
  if (parameter.default !== undefined || !isReadOnly || parameter.commands_only !== true)
    return parameter.default;
  return { string: "", number: 0, integer: 0, boolean: false, map: {} }[parameter.type];
}

/**
 * The parameters of a device with the defaults of its template. The parameter `transport` chooses the transport; the
 * first one is the default. `isReadOnly`: the device takes no commands.
 */
export function parametersOf(
  template: ActuatorTemplate,
  given: Readonly<Record<string, unknown>>,
  { isReadOnly = false } = {},
): { transport: string; values: Record<string, unknown>; faults: ParameterFault[] } {
  const faults: ParameterFault[] = [];
  const transports = Object.keys(template.transports);
  const { transport = transports[0]!, ...rest } = withPlainHost(template, given);
  if (typeof transport !== "string" || !transports.includes(transport))
    faults.push({ name: "transport", message: `must be one of ${transports.join(", ")}.` });
  const known = Object.keys(template.parameters);
  for (const name of Object.keys(rest))
    if (!known.includes(name))
      faults.push({
        name,
        message: `is not a parameter of this template; it has ${["transport", ...known].join(", ")}.${didYouMean(name, known)}`,
      });
  const names = namesForExpressions(template);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(template.parameters)) {
    const unless = defaultOf(parameter, isReadOnly);
    const value = rest[name] ?? unless;
    if (value === undefined || (value === "" && unless === undefined)) {
      faults.push({ name, message: "is missing." });
      continue;
    }
    const isLeftOut = parameter.default === undefined && rest[name] === undefined;
    const message = isLeftOut
      ? undefined
      : (faultOf(parameter, value) ??
        textFault(parameter, value, names) ??
        (name === "host" ? hostFault(template, value) : undefined));
    if (message !== undefined) faults.push({ name, message });
    values[name] = value;
  }
  const expressions = expressionsOf(template);
  if (expressions.reduce((sum, name) => sum + textLength(values[name]), 0) > LONGEST_TEXTS)
    faults.push({
      name: expressions[0]!,
      message: `must have at most ${LONGEST_TEXTS} characters together with ${expressions.slice(1).join(", ")}.`,
    });
  return { transport: String(transport), values, faults };
}

function faultOf(parameter: TemplateParameter, value: unknown): string | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, pattern } = parameter;
  if (value === null) return parameter.default === null ? undefined : "must have a value.";
  if (parameter.enum !== undefined && !parameter.enum.some((one) => one === value))
    return `must be one of ${parameter.enum.join(", ")}.`;
  switch (type) {
    case "string":
      if (typeof value !== "string") return "must be text.";
      return pattern === undefined || value === "" || new RegExp(pattern, "u").test(value)
        ? undefined
        : `must match ${pattern}.`;
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false.";
    case "map":
      if (typeof value !== "object" || Array.isArray(value)) return "must be a section of keys.";
      return Object.keys(value).length > MOST_KEYS ? `must have at most ${MOST_KEYS} keys.` : undefined;
    default: {
      if (typeof value !== "number" || (type === "integer" && !Number.isInteger(value)))
        return type === "integer" ? "must be a whole number." : "must be a number.";
      return value >= minimum && value <= maximum ? undefined : `must be from ${minimum} to ${maximum}.`;
    }
  }
}

function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + textLength(one), 0);
}

/** What is wrong with the texts of a parameter, and with the expressions in them. */
function textFault(
  { expression }: TemplateParameter,
  value: unknown,
  names: readonly string[],
): string | undefined {
  if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) {
      const fault = textFault({ expression } as TemplateParameter, one, names);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (typeof value !== "string") return undefined;
  if (expression === true) return parameterFault(value, names);
  return value.length > LONGEST_TEXT ? `must have at most ${LONGEST_TEXT} characters.` : undefined;
}
