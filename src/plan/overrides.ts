/** Values that a request to hours-demand gives; all others come from telemetry, forecasts and settings. */
export interface PlanOverrides {
  socPct?: number;
  capacityKwh?: number;
  minSocPct?: number;
  maxSocPct?: number;
  maxChargePowerKw?: number;
  maxDischargePowerKw?: number;
  /** Round trip. */
  efficiencyPct?: number;
  gridChargeAllowed?: boolean;
  /** Current load without the vehicle. */
  loadPowerKw?: number;
  loadDailyKwh?: number;
  /** 24 values: a profile by local clock hour; any other number: from the current hour on. */
  loadHourlyKwh?: number[];
  evPowerKw?: number;
  pvPowerKw?: number;
  /** One value per local day, from today on. */
  pvDailyKwh?: number[];
  /** From the current hour on; 24 values are a profile by local clock hour. */
  pvHourlyKwh?: number[];
}

/** A request field that is missing or invalid, and how to correct it. */
export interface PlanInputProblem {
  field: string;
  message: string;
}

/** A plan cannot be computed from what is known: `field` is the first request field to correct, `problems` lists all. */
export class PlanInputError extends Error {
  readonly field: string;
  readonly problems: readonly PlanInputProblem[];

  constructor(field: string, message: string, others: readonly PlanInputProblem[] = []) {
    super(message);
    this.name = "PlanInputError";
    this.field = field;
    this.problems = [{ field, message }, ...others];
  }
}
