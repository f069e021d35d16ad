import type { FromSchema } from "json-schema-to-ts";
import { readYaml } from "../config/document.js";
import { ConfigError, type ConfigProblem } from "../config/error.js";
import { SchemaCheck, type SchemaFault } from "../config/kit/check.js";
import { faultText } from "../config/kit/describe.js";
import { keysOf } from "../config/kit/node.js";
import { preparedCheck } from "../config/kit/prepared-check.js";
import { didYouMean } from "../config/kit/suggest.js";
import { textsOf } from "../texts/index.js";
import { ExpressionError, variablesOf } from "./expression.js";
import { addConnectionParameters } from "./reading/connection-parameters.js";
import { isRegex, readFaults } from "./reading/reading-faults.js";
import type { TemplateReads } from "./reading/reading-schema.js";
import { registerFaults } from "./registers/faults.js";
import type { TemplateRegister } from "./registers/schema.js";
import { type Control, STATES } from "./states.js";
import { templateSchema } from "./template-schema.js";
import { VARIABLES } from "./variables.js";

type Written = FromSchema<typeof templateSchema>;
type WrittenTransport = Written["transports"][string];

/** A template as its file states it, with the defaults. */
export type ActuatorTemplate = Omit<Written, "transports" | "controls" | keyof TemplateReads> &
  TemplateReads & {
    controls: readonly Control[];
    transports: Readonly<
      Record<
        string,
        Omit<WrittenTransport, "commands" | "registers" | keyof TemplateReads> &
          TemplateReads & {
            commands: NonNullable<WrittenTransport["commands"]>;
            registers?: Readonly<Record<string, TemplateRegister>>;
          }
      >
    >;
  };
export type TemplateTransport = ActuatorTemplate["transports"][string];
export type TransportKind = NonNullable<TemplateTransport["kind"]>;
export type TemplateRequest = NonNullable<TemplateTransport["commands"][string]>[number];
export type TemplateCheck = NonNullable<TemplateTransport["read"]>[number];
export type TemplateCondition = NonNullable<TemplateTransport["available"]>;
export type TemplateReading = NonNullable<TemplateTransport["uptime"]>;
export type TemplateParameter = ActuatorTemplate["parameters"][string];
export type WantedValue = NonNullable<TemplateCondition["equals"]>;

const KINDS: readonly TransportKind[] = ["http", "mqtt", "modbus", "udp", "speedwire", "rct"];

/** The kind of a transport: the one that it is named after unless it states another one. */
export function kindOf(name: string, { kind }: TemplateTransport): TransportKind {
  return kind ?? KINDS.find((one) => one === name) ?? "http";
}

export const templateCheck = new SchemaCheck<ActuatorTemplate>(
  templateSchema,
  { all: true, defaults: true },
  preparedCheck,
);

/** Reads a template. Throws ConfigError with all problems, each as a sentence with its line. */
export function parseTemplate(text: string, file: string): ActuatorTemplate {
  const yaml = readYaml(text, file);
  if (yaml.problems.length > 0) throw new ConfigError(yaml.problems);
  const problem = (path: readonly string[], message: string): ConfigProblem => {
    const position = yaml.position(path);
    return { file, ...(position && { line: position.line }), key: path.join("."), message };
  };
  const { value } = yaml;
  addConnectionParameters(value);
  if (!templateCheck.fits(value))
    throw new ConfigError(
      templateCheck.faults(value).map((fault) => problem(fault.path, schemaFault(fault))),
    );
  const problems = [
    ...expressionFaults(value, problem),
    ...stateFaults(value, problem),
    ...transportFaults(value, problem),
    ...readFaults(value).map(({ path, message }) => problem(path, message)),
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
const PLAIN_TEXT = /^(id|name|requirements|hazards|source|controls|detect)$/;

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

/** Keys of a transport whose values name their own sources. */
const READ_KEYS = ["readings", "facts", "identity", "asleep"];

function transportFaults(template: ActuatorTemplate, problem: Report): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [name, transport] of Object.entries(template.transports)) {
    if (transport.kind === undefined && !KINDS.some((one) => one === name))
      problems.push(problem(["transports", name, "kind"], `is missing: must be one of ${KINDS.join(", ")}.`));
    const kind = kindOf(name, transport);
    if (kind === "modbus") {
      const faults = registerFaults(transport, ["transports", name]);
      problems.push(...faults.map(({ path, message }) => problem(path, message)));
    }
    if (kind !== "http" && kind !== "mqtt") continue;
    const key = kind === "http" ? "url" : "topic";
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
      for (const [child, below] of Object.entries(node))
        if (!READ_KEYS.includes(child) || path.length > 2) visit(below, [...path, child]);
    };
    visit(transport, ["transports", name]);
  }
  return problems;
}

/** The values of the secret parameters, which appear in no log. */
export function secretsOf(template: ActuatorTemplate, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(template.parameters).flatMap(([name, { secret }]) => {
    const value = values[name];
    return secret === true && typeof value === "string" && value !== "" ? [value] : [];
  });
}

/** The transports over which a device of this template takes commands; over others it is only read. */
export function commandTransports({ controls, transports }: ActuatorTemplate): string[] {
  if (controls.length === 0) return [];
  return Object.keys(transports).filter((name) => Object.keys(transports[name]!.commands).length > 0);
}
