import { SchemaCheck } from "../../config/kit/check.js";

/** Strategies for consumption and feed-in, as evcc names them. */
export const CHARGING_STRATEGIES = [
  "none",
  "charge_before_export",
  "attenuate_demand_peaks",
  "attenuate_feedin_peaks",
  "attenuate_grid_peaks",
] as const;
export const DISCHARGING_STRATEGIES = ["none", "discharge_before_import"] as const;

/** A battery or vehicle of a request: energies in Wh, powers in W, money in currency per Wh. */
export interface RequestedBattery {
  s_capacity?: number | null;
  s_min: number;
  s_max: number;
  s_initial: number;
  c_min: number;
  c_max: number;
  d_max: number;
  p_a: number;
  charge_from_grid?: boolean | null;
  discharge_to_grid?: boolean | null;
  s_goal?: number[] | null;
  p_demand?: number[] | null;
  c_priority?: number | null;
}

/** A request of evcc (docs/evcc.md): energies in Wh per step, powers in W, prices in currency per Wh. */
export interface OptimizerRequest {
  batteries: RequestedBattery[];
  time_series: { dt: number[]; gt: number[]; ft: number[]; p_N: number[]; p_E: number[] };
  grid?: { p_max_imp?: number | null; p_max_exp?: number | null; prc_p_exc_imp?: number | null } | null;
  strategy?: {
    charging_strategy?: (typeof CHARGING_STRATEGIES)[number] | null;
    discharging_strategy?: (typeof DISCHARGING_STRATEGIES)[number] | null;
  } | null;
  eta_c?: number | null;
  eta_d?: number | null;
}

/** Most steps of a request. */
export const MAX_STEPS = 2000;
/** Most batteries and vehicles of a request. */
export const MAX_BATTERIES = 20;

/** Most steps times batteries: memory and time of the solver grow with it. */
const MAX_UNIT_STEPS = 20_000;

/** A request that cannot be read; `details` has a text for each field, by its dotted path. */
export class OptimizerRequestError extends Error {
  readonly details: Readonly<Record<string, string>>;

  constructor(message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.details = details;
  }
}

/** 1 GWh or 1 GW: larger values are mistakes, and would exceed the solver's range. */
const LARGEST = 1e9;
const amount = { type: "number", minimum: 0, maximum: LARGEST };
const energy = { type: "number", minimum: -LARGEST, maximum: LARGEST };
const price = { type: "number", minimum: -1000, maximum: 1000 };
const optional = <Schema extends { type: string }>(schema: Schema) => ({
  ...schema,
  type: [schema.type, "null"],
});
const efficiency = optional({ type: "number", exclusiveMinimum: 0, maximum: 1 });
const series = (items: object) => ({ type: "array", maxItems: MAX_STEPS, items });

const SCHEMA = {
  type: "object",
  required: ["batteries", "time_series"],
  properties: {
    batteries: {
      type: "array",
      maxItems: MAX_BATTERIES,
      items: {
        type: "object",
        required: ["s_min", "s_max", "s_initial", "c_min", "c_max", "d_max", "p_a"],
        properties: {
          s_capacity: optional(amount),
          s_min: amount,
          s_max: amount,
          s_initial: amount,
          c_min: amount,
          c_max: amount,
          d_max: amount,
          p_a: price,
          charge_from_grid: optional({ type: "boolean" }),
          discharge_to_grid: optional({ type: "boolean" }),
          s_goal: optional(series(amount)),
          p_demand: optional(series(amount)),
          c_priority: optional({ type: "integer", minimum: 0, maximum: 2 }),
        },
      },
    },
    time_series: {
      type: "object",
      required: ["dt", "gt", "ft", "p_N", "p_E"],
      properties: {
        dt: series({ type: "number", exclusiveMinimum: 0, maximum: 31 * 86_400 }),
        gt: series(energy),
        ft: series(energy),
        p_N: series(price),
        p_E: series(price),
      },
    },
    grid: optional({
      type: "object",
      properties: {
        p_max_imp: optional(amount),
        p_max_exp: optional(amount),
        prc_p_exc_imp: optional({ type: "number", minimum: 0, maximum: 1e6 }),
      },
    }),
    strategy: optional({
      type: "object",
      properties: {
        charging_strategy: { enum: [...CHARGING_STRATEGIES, null] },
        discharging_strategy: { enum: [...DISCHARGING_STRATEGIES, null] },
      },
    }),
    eta_c: efficiency,
    eta_d: efficiency,
  },
};

const check = new SchemaCheck<OptimizerRequest>(SCHEMA);

/** Reads a JSON body. Unknown members are ignored. Throws OptimizerRequestError. */
export function readOptimizerRequest(body: Uint8Array): OptimizerRequest {
  const request = parsed(body);
  if (!check.fits(request)) {
    const details = check
      .faults(request)
      .map(({ kind, path, node, reason }): [field: string, text: string] => {
        if (kind === "missing") return [path.join("."), "This field is required."];
        return [
          path.join("."),
          node.enum === undefined
            ? `Value ${reason}.`
            : `Must be one of: ${node.enum.filter(Boolean).join(", ")}.`,
        ];
      });
    throw new OptimizerRequestError("Input payload validation failed", Object.fromEntries(details));
  }
  checkLengths(request);
  return request;
}

/** Most objects and lists of a body: each battery is one with two lists. */
const MAX_MEMBERS = 1000;
const [OBJECT, LIST] = [0x7b, 0x5b];

/** Counts objects and lists before the body is parsed: millions of empty ones would fill the memory. */
function parsed(body: Uint8Array): unknown {
  let members = 0;
  for (const byte of body) if (byte === OBJECT || byte === LIST) members++;
  if (members > MAX_MEMBERS)
    throw new OptimizerRequestError(
      `The request has ${members} objects and lists: send at most ${MAX_BATTERIES} batteries.`,
      { batteries: `Must have at most ${MAX_BATTERIES} entries.` },
    );
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new OptimizerRequestError("The body is not JSON: send the request as a JSON object.");
  }
}

function checkLengths({ batteries, time_series: { dt, ...others } }: OptimizerRequest): void {
  const steps = dt.length;
  if (steps === 0 || steps > MAX_STEPS) {
    throw new OptimizerRequestError(
      `The request has ${steps} steps: send between 1 and ${MAX_STEPS} in each time series.`,
      { "time_series.dt": `Must have 1 to ${MAX_STEPS} values.` },
    );
  }
  if (steps * batteries.length > MAX_UNIT_STEPS) {
    throw new OptimizerRequestError(
      `The request has ${steps} steps of ${batteries.length} batteries: send at most ${MAX_UNIT_STEPS} steps of batteries.`,
      { batteries: `Must have at most ${Math.floor(MAX_UNIT_STEPS / steps)} entries with ${steps} steps.` },
    );
  }
  const given = [
    ...Object.entries(others).map(([name, values]) => [`time_series.${name}`, values] as const),
    ...batteries.flatMap(({ s_goal, p_demand }, index) => [
      [`batteries.${index}.s_goal`, s_goal ?? []] as const,
      [`batteries.${index}.p_demand`, p_demand ?? []] as const,
    ]),
  ];
  const wrong = given.filter(
    ([name, { length }]) => length !== steps && !(length === 0 && name.startsWith("batteries")),
  );
  if (wrong.length === 0) return;
  throw new OptimizerRequestError(
    "All time series must have the same number of values as time_series.dt.",
    Object.fromEntries(
      wrong.map(([name, { length }]) => [name, `Has ${length} values instead of ${steps}.`]),
    ),
  );
}
