import type { OptimizerRequest, RequestedBattery } from "../../../src/plan/solver/request.js";

/** A battery that does nothing unless the fields say so. */
export function battery(fields: Partial<RequestedBattery>): RequestedBattery {
  return {
    s_min: 0,
    s_max: 0,
    s_initial: 0,
    c_min: 0,
    c_max: 0,
    d_max: 0,
    p_a: 0,
    charge_from_grid: true,
    ...fields,
  };
}

/** A request of equal steps; a number stands for a series of it. */
export function requestOf({
  dt = 3600,
  gt,
  ft = 0,
  p_N,
  p_E = 0,
  ...rest
}: {
  dt?: number | number[];
  gt: number[];
  ft?: number | number[];
  p_N: number | number[];
  p_E?: number | number[];
} & Omit<OptimizerRequest, "time_series">): OptimizerRequest {
  const series = (value: number | number[]) => (typeof value === "number" ? gt.map(() => value) : value);
  return {
    time_series: { dt: series(dt), gt, ft: series(ft), p_N: series(p_N), p_E: series(p_E) },
    ...rest,
  };
}
