import { render, renderNumber, type Variables } from "./expression.js";
import { defineRendered, expressionsOf, hasExpression, namesForExpressions } from "./parameter-expression.js";
import { unknownRegisters } from "./registers/render.js";
import type { ActuatorTemplate, TemplateTransport } from "./template.js";
import type { LiveVariable } from "./variables.js";
import type { Wanted } from "./wanted.js";

export interface DeviceVariablesOptions {
  template: ActuatorTemplate;
  transport: TemplateTransport;
  /** The values of the template's parameters, with `plant` and `actuator`. */
  parameters: Readonly<Record<string, unknown>>;
  /** Readings of the home that the commands follow. */
  needs: readonly LiveVariable[];
}

/** What the expressions of a template may name, for the parameters of one device. */
export class DeviceVariables {
  readonly #options: DeviceVariablesOptions;
  /** Parameters that have an expression, and the names that these may use. */
  readonly #expressions: readonly string[];
  readonly #namesForExpressions: readonly string[];

  constructor(options: DeviceVariablesOptions) {
    this.#options = options;
    const { template, parameters } = options;
    this.#expressions = expressionsOf(template).filter((name) => hasExpression(parameters[name]));
    this.#namesForExpressions = namesForExpressions(template);
  }

  /** For what is only read. Throws ExpressionError. */
  atRest(): Record<string, unknown> {
    return this.of({ state: "", powerKw: 0, socStopPct: 100 });
  }

  /** Throws ExpressionError. */
  of(
    wanted: Pick<Wanted, "powerKw" | "socStopPct"> & { state: string },
    live: Variables = {},
  ): Record<string, unknown> {
    const { template, transport, parameters, needs } = this.#options;
    const variables: Record<string, unknown> = {
      soc_pct: null,
      load_w: null,
      pv_w: null,
      battery_w: null,
      grid_w: null,
      found: {},
      tick: 0,
      now_s: 0,
      lease_s: 0,
      repeat_s: 0,
      ...parameters,
      state: wanted.state,
      power_kw: inDigits(wanted.powerKw, 3),
      power_w: Math.round(wanted.powerKw * 1000),
      soc_stop_pct: inDigits(wanted.socStopPct, 1),
      ...live,
    };
    for (const name of needs) variables[name] ??= Number.NaN;
    if (transport.registers !== undefined) {
      const unknown = unknownRegisters(transport.registers);
      variables.found = { ...unknown.found, ...numbersOf(live.found) };
      variables.device = { ...unknown.device, ...numbersOf(live.device) };
    }
    const { lease_s: lease, repeat_s: repeat } = { ...template, ...transport };
    if (lease !== undefined) variables.lease_s = renderNumber(lease, variables);
    if (repeat !== undefined) variables.repeat_s = renderNumber(repeat, variables);
    for (const [name, value] of Object.entries(template.values ?? {})) {
      const text = typeof value === "number" ? value : render(value, variables).trim();
      variables[name] = text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    if (this.#expressions.length > 0) defineRendered(variables, this.#expressions, this.#namesForExpressions);
    return variables;
  }
}

function numbersOf(values: unknown): Record<string, number> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (Number.isFinite(Number(value)) ? [[name, Number(value)]] : [])),
  );
}

export function inDigits(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
