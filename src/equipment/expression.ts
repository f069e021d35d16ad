import { Liquid, type Template } from "liquidjs";
import { errorMessage } from "../core/error-message.js";

/** An expression that cannot be read or computed, with a sentence about the reason. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** The values that an expression may name. */
export type Variables = Readonly<Record<string, unknown>>;

const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  // `default` and `if` may name a member that is not there, such as an optional state of a parameter.
  lenientIf: true,
  ownPropertyOnly: true,
  // An expression includes no other files.
  templates: {},
  parseLimit: 20_000,
  renderLimit: 500,
  memoryLimit: 1_000_000,
});
engine.registerFilter("round_to", (value: unknown, step: unknown) => {
  const size = Number(step);
  return Number((Math.round(Number(value) / size) * size).toPrecision(12));
});

/** The nearest whole number if it is at most `pct` percent away, otherwise the next smaller one. */
engine.registerFilter("whole_within", (value: unknown, pct: unknown) => {
  const [exact, nearest] = [Number(value), Math.round(Number(value))];
  return Math.abs(nearest - exact) <= (Math.abs(exact) * Number(pct)) / 100 ? nearest : Math.floor(exact);
});

const parsed = new Map<string, Template[]>();
const LARGEST_CACHE = 5_000;

function templatesOf(text: string): Template[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  try {
    const templates = engine.parse(text);
    if (parsed.size >= LARGEST_CACHE) parsed.clear();
    parsed.set(text, templates);
    return templates;
  } catch (error) {
    throw new ExpressionError(firstLine(error));
  }
}

/** The text with its `{{ … }}` replaced. Throws ExpressionError. */
export function render(text: string, variables: Variables): string {
  if (!text.includes("{")) return text;
  try {
    return String(engine.renderSync(templatesOf(text), variables));
  } catch (error) {
    if (error instanceof ExpressionError) throw error;
    throw new ExpressionError(firstLine(error));
  }
}

/** The names of the variables that an expression reads. Throws ExpressionError if it cannot be parsed. */
export function variablesOf(text: string): string[] {
  return text.includes("{") ? engine.globalVariablesSync(templatesOf(text)) : [];
}

/** A number, or an expression that gives one. Throws ExpressionError. */
export function renderNumber(value: number | string, variables: Variables): number {
  const result = typeof value === "number" ? value : Number(render(value, variables).trim() || Number.NaN);
  if (!Number.isFinite(result)) throw new ExpressionError(`"${String(value)}" does not give a number`);
  return result;
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
