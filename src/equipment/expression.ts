import { Liquid, type Template } from "liquidjs";
import { errorMessage } from "../core/error-message.js";

/** An expression that cannot be read or computed, with a sentence about the reason. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** The values that an expression may name. */
export type Variables = Readonly<Record<string, unknown>>;

/** Most characters that an expression gives. */
const LONGEST_RESULT = 64 * 1024;
/** Most characters of the expressions that are kept parsed. */
const LARGEST_CACHE = 1_000_000;

/** What expressions of an account may still cost together: a step for each value of a filter, and for each of its characters. */
export class StepBudget {
  #left = 100_000;

  /** Throws ExpressionError. */
  spend(values: readonly unknown[]): void {
    for (const value of values) this.#left -= typeof value === "string" ? 1 + value.length : 1;
    if (this.#left < 0) throw new ExpressionError("the expressions of the parameters take too many steps");
  }
}

/** Parses and renders expressions. */
class Expressions {
  readonly #engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    // `default` and `if` may name a member that is not there, such as an optional state of a parameter.
    lenientIf: true,
    ownPropertyOnly: true,
    // An expression includes no other files.
    templates: {},
    // No renderLimit: it counts the time in which the computer is busy or asleep, too.
    parseLimit: 20_000,
    memoryLimit: 1_000_000,
  });
  readonly #parsed = new Map<string, Template[]>();
  #characters = 0;
  /** Of the evaluation in progress. */
  #budget: StepBudget | undefined;

  /** `filters`: with these filters only, whose steps are counted, and without tags. */
  constructor(filters?: readonly string[]) {
    const engine = this.#engine;
    engine.registerFilter("round_to", (value: unknown, step: unknown) => {
      const size = Number(step);
      return Number((Math.round(Number(value) / size) * size).toPrecision(12));
    });
    /** The nearest whole number if it is at most `pct` percent away, otherwise the next smaller one. */
    engine.registerFilter("whole_within", (value: unknown, pct: unknown) => {
      const [exact, nearest] = [Number(value), Math.round(Number(value))];
      return Math.abs(nearest - exact) <= (Math.abs(exact) * Number(pct)) / 100 ? nearest : Math.floor(exact);
    });
    if (filters === undefined) return;
    for (const name of Object.keys(engine.tags)) delete engine.tags[name];
    for (const name of Object.keys(engine.filters)) {
      if (filters.includes(name)) this.#count(name);
      else delete engine.filters[name];
    }
  }

  #count(name: string): void {
    const filter = this.#engine.filters[name];
    if (typeof filter !== "function") throw new TypeError(`The filter "${name}" is not a function.`);
    const spend = (values: readonly unknown[]) => this.#budget?.spend(values);
    this.#engine.registerFilter(name, function counted(value: unknown, ...others: unknown[]) {
      spend([value, ...others]);
      return filter.call(this, value, ...others);
    });
  }

  /** Throws ExpressionError. */
  render(text: string, variables: Variables, budget?: StepBudget): string {
    if (!text.includes("{")) return text;
    let result: string;
    this.#budget = budget;
    try {
      result = String(this.#engine.renderSync(this.#templatesOf(text), variables));
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      throw new ExpressionError(firstLine(error));
    }
    if (result.length > LONGEST_RESULT) throw new ExpressionError("the result is longer than 64 kB");
    return result;
  }

  /** Throws ExpressionError. */
  variables(text: string): string[] {
    return text.includes("{") ? this.#engine.globalVariablesSync(this.#templatesOf(text)) : [];
  }

  #templatesOf(text: string): Template[] {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    let templates: Template[];
    try {
      templates = this.#engine.parse(text);
    } catch (error) {
      throw new ExpressionError(firstLine(error));
    }
    this.#characters += text.length;
    if (this.#characters > LARGEST_CACHE) {
      this.#parsed.clear();
      this.#characters = text.length;
    }
    this.#parsed.set(text, templates);
    return templates;
  }
}

/** Of templates, which the administrator has installed. */
const ofTemplates = new Expressions();

/**
 * Filters of parameters, which an account states: the length of what they give grows with that of their input by a few
 * characters only, so that no chain of them takes long.
 */
export const PARAMETER_FILTERS = [
  "abs",
  "at_least",
  "at_most",
  "ceil",
  "default",
  "divided_by",
  "downcase",
  "floor",
  "minus",
  "modulo",
  "plus",
  "round",
  "round_to",
  "times",
  "upcase",
  "url_encode",
  "whole_within",
] as const;

const ofParameters = new Expressions(PARAMETER_FILTERS);

/** The text of a template with its `{{ … }}` replaced. Throws ExpressionError. */
export function render(text: string, variables: Variables): string {
  return ofTemplates.render(text, variables);
}

/** The value of a parameter with its `{{ … }}` replaced; `parameterFault` has found nothing in it. Throws ExpressionError. */
export function renderParameter(text: string, variables: Variables, budget: StepBudget): string {
  return ofParameters.render(text, variables, budget);
}

/** The names of the variables that an expression reads. Throws ExpressionError if it cannot be parsed. */
export function variablesOf(text: string): string[] {
  return ofTemplates.variables(text);
}

/** A number, or an expression that gives one. Throws ExpressionError. */
export function renderNumber(value: number | string, variables: Variables): number {
  const result = typeof value === "number" ? value : Number(render(value, variables).trim() || Number.NaN);
  if (!Number.isFinite(result)) throw new ExpressionError(`"${String(value)}" does not give a number`);
  return result;
}

/** What `compute` gives; `otherwise` if one of its expressions cannot be computed. */
export function unlessExpressionFails<Value>(compute: () => Value, otherwise: Value): Value {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ExpressionError) return otherwise;
    throw error;
  }
}

/** True unless the text is empty, `false`, `no` or `0`. Throws ExpressionError. */
export function renderFlag(text: string, variables: Variables): boolean {
  return !/^(false|no|0|null)?$/i.test(render(text, variables).trim());
}

/** Messages of the library continue with the text of the expression, which may contain a secret. */
function firstLine(error: unknown): string {
  return errorMessage(error)
    .split("\n", 1)[0]!
    .replace(/, (?:file|line|col).*$/, "");
}
