import type { FromSchema } from "json-schema-to-ts";
import { readYaml } from "../config/document.js";
import { ConfigError, type ConfigProblem } from "../config/error.js";
import { SchemaCheck, type SchemaFault } from "../config/kit/check.js";
import { faultText } from "../config/kit/describe.js";
import { keysOf } from "../config/kit/node.js";
import { didYouMean } from "../config/kit/suggest.js";
import { textsOf } from "../texts/index.js";
import { ExpressionError, variablesOf } from "./expression.js";
import { STATES } from "./states.js";
import { templateSchema } from "./template-schema.js";

/** A template as its file states it. */
export type ActuatorTemplate = FromSchema<typeof templateSchema>;
export type TemplateTransport = ActuatorTemplate["transports"][string];
export type TemplateRequest = NonNullable<TemplateTransport["commands"][string]>[number];
export type TemplateCheck = NonNullable<TemplateTransport["read"]>[number];
export type TemplateCondition = NonNullable<TemplateTransport["available"]>;
export type TemplateReading = NonNullable<TemplateTransport["uptime"]>;
export type TemplateParameter = ActuatorTemplate["parameters"][string];
export type WantedValue = NonNullable<TemplateCondition["equals"]>;

/** Variables that every expression may name besides the parameters and values of its template. */
export const VARIABLES = [
  "state",
  "power_kw",
  "power_w",
  "soc_stop_pct",
  "soc_pct",
  "load_w",
  "pv_w",
  "battery_w",
  "actuator",
  "plant",
  "now_s",
  "tick",
  "found",
  "lease_s",
  "repeat_s",
] as const;

/** The transport of a template's key: its name is `http` or `mqtt` unless it states its kind. */
export function kindOf(name: string, { kind }: TemplateTransport): "http" | "mqtt" {
  return kind ?? (name === "mqtt" ? "mqtt" : "http");
}

const check = new SchemaCheck<ActuatorTemplate>(templateSchema, { all: true, defaults: true });

/** Reads a template. Throws ConfigError with all problems, each as a sentence with its line. */
export function parseTemplate(text: string, file: string): ActuatorTemplate {
  const yaml = readYaml(text, file);
  if (yaml.problems.length > 0) throw new ConfigError(yaml.problems);
  const problem = (path: readonly string[], message: string): ConfigProblem => {
    const position = yaml.position(path);
    return { file, ...(position && { line: position.line }), key: path.join("."), message };
  };
  const { value } = yaml;
  if (!check.fits(value))
    throw new ConfigError(check.faults(value).map((fault) => problem(fault.path, schemaFault(fault))));
  const problems = [
    ...expressionFaults(value, problem),
    ...stateFaults(value, problem),
    ...transportFaults(value, problem),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return value;
}

type Report = (path: readonly string[], message: string) => ConfigProblem;

function schemaFault(fault: SchemaFault): string {
  const texts = textsOf("en").config;
  if (fault.kind === "unknown")
    return `is not a known key of a template; see “Writing a template” in docs/actuators.md.${didYouMean(fault.path.at(-1)!, keysOf([fault.node]))}`;
  if (fault.kind === "missing") return "is missing.";
  return fault.node.pattern === undefined ? faultText(fault, texts) : `${fault.reason}.`;
}

/** Texts of a template that are read by people, not rendered. */
const PLAIN_TEXT = /^(id|name|requirements|hazards|source|controls)$/;

function expressionFaults(template: ActuatorTemplate, problem: Report): ConfigProblem[] {
  const names = [...VARIABLES, ...Object.keys(template.parameters), ...Object.keys(template.values ?? {})];
  const problems: ConfigProblem[] = [];
  const visit = (value: unknown, path: readonly string[]): void => {
    if (path.length === 1 && PLAIN_TEXT.test(path[0]!)) return;
    if (path.at(-2) === "says" && path[0] === "transports") return;
    if (path[0] === "parameters" && path[2] !== undefined && path[2] !== "default") return;
    if (typeof value === "string") {
      try {
        for (const name of variablesOf(value))
          if (!names.includes(name))
            problems.push(
              problem(
                path,
                `names the unknown value "${name}"; add it to parameters or values.${didYouMean(name, names)}`,
              ),
            );
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        problems.push(problem(path, `is not a valid expression: ${error.message}.`));
      }
    } else if (typeof value === "object" && value !== null)
      for (const [key, child] of Object.entries(value)) visit(child, [...path, key]);
  };
  visit(template, []);
  return problems;
}

function stateFaults(template: ActuatorTemplate, problem: Report): ConfigProblem[] {
  const allowed: readonly string[] = template.controls.flatMap((control) => [...STATES[control]]);
  const problems: ConfigProblem[] = [];
  const check = (state: string, path: readonly string[], others: readonly string[] = []) => {
    const known = [...allowed, ...others];
    if (!known.includes(state))
      problems.push(problem(path, `is not a state; known here are ${known.join(", ")}.`));
  };
  for (const [index, { state, use }] of (template.instead ?? []).entries()) {
    check(state, ["instead", String(index), "state"]);
    check(use, ["instead", String(index), "use"]);
  }
  for (const [name, transport] of Object.entries(template.transports)) {
    const path = ["transports", name];
    for (const state of Object.keys(transport.commands)) check(state, [...path, "commands", state]);
    if (typeof transport.exit === "string" && !transport.exit.includes("{{"))
      check(transport.exit, [...path, "exit"], ["none"]);
    for (const key of ["read", "applied"] as const)
      for (const [index, { expect }] of (transport[key] ?? []).entries())
        for (const state of Object.keys(expect))
          check(state, [...path, key, String(index), "expect", state], ["exit", "rest"]);
  }
  return problems;
}

function transportFaults(template: ActuatorTemplate, problem: Report): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [name, transport] of Object.entries(template.transports)) {
    if (transport.kind === undefined && name !== "http" && name !== "mqtt")
      problems.push(problem(["transports", name, "kind"], "is missing: must be http or mqtt."));
    const key = kindOf(name, transport) === "http" ? "url" : "topic";
    const visit = (value: unknown, path: readonly string[]): void => {
      if (typeof value !== "object" || value === null) return;
      const node = value as Record<string, unknown>;
      const isRequest = ["method", "body", "payload", "pointer", "regex", "url", "topic"].some((one) =>
        Object.hasOwn(node, one),
      );
      const parent = path.at(-1);
      if (isRequest && parent !== "broker" && parent !== "answer" && !Object.hasOwn(node, key))
        problems.push(
          problem(path, `needs the key ${key}, since its transport is ${kindOf(name, transport)}.`),
        );
      if (typeof node.regex === "string" && !node.regex.includes("{{") && !isRegex(node.regex))
        problems.push(problem([...path, "regex"], "is not a valid regular expression."));
      if (node.pointer !== undefined && !/^(\/|$|\{\{)/.test(String(node.pointer)))
        problems.push(problem([...path, "pointer"], 'must begin with "/" (JSON pointer), or be empty.'));
      for (const [child, below] of Object.entries(node)) visit(below, [...path, child]);
    };
    visit(transport, ["transports", name]);
  }
  return problems;
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

/** A fault of one parameter, as the end of a sentence that begins with its name. */
export interface ParameterFault {
  name: string;
  message: string;
}

/** Whether a parameter may be left out. */
export function hasDefault(parameter: TemplateParameter): boolean {
  return parameter.default !== undefined;
}

/**
 * The parameters of an actuator with the defaults of its template. The parameter `transport` chooses the transport; the
 * first one is the default.
 */
export function parametersOf(
  template: ActuatorTemplate,
  given: Readonly<Record<string, unknown>>,
): { transport: string; values: Record<string, unknown>; faults: ParameterFault[] } {
  const faults: ParameterFault[] = [];
  const transports = Object.keys(template.transports);
  const { transport = transports[0]!, ...rest } = given;
  if (typeof transport !== "string" || !transports.includes(transport))
    faults.push({ name: "transport", message: `must be one of ${transports.join(", ")}.` });
  const known = Object.keys(template.parameters);
  for (const name of Object.keys(rest))
    if (!known.includes(name))
      faults.push({
        name,
        message: `is not a parameter of this template; it has ${["transport", ...known].join(", ")}.${didYouMean(name, known)}`,
      });
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(template.parameters)) {
    const value = rest[name] ?? parameter.default;
    if (value === undefined || (value === "" && !hasDefault(parameter))) {
      faults.push({ name, message: "is missing." });
      continue;
    }
    const message = faultOf(parameter, value);
    if (message !== undefined) faults.push({ name, message });
    values[name] = value;
  }
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
      return typeof value === "object" && !Array.isArray(value) ? undefined : "must be a section of keys.";
    default: {
      if (typeof value !== "number" || (type === "integer" && !Number.isInteger(value)))
        return type === "integer" ? "must be a whole number." : "must be a number.";
      return value >= minimum && value <= maximum ? undefined : `must be from ${minimum} to ${maximum}.`;
    }
  }
}

/** The values of the secret parameters, which appear in no log. */
export function secretsOf(template: ActuatorTemplate, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(template.parameters).flatMap(([name, { secret }]) => {
    const value = values[name];
    return secret === true && typeof value === "string" && value !== "" ? [value] : [];
  });
}
