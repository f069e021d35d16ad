/** What a caller of hours-demand says about the house; whatever is left out comes from telemetry, forecasts, settings. */
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
  /** The house without the car, now. */
  loadPowerKw?: number;
  loadDailyKwh?: number;
  /** 24 values: a profile by local clock hour; any other length: from the hour in progress on. */
  loadHourlyKwh?: number[];
  evPowerKw?: number;
  pvPowerKw?: number;
  /** One a local day from today. */
  pvDailyKwh?: number[];
  /** From the hour in progress on; 24 values are a profile by local clock hour. */
  pvHourlyKwh?: number[];
}

/** A request field that would help, and the sentence that says so. */
export interface PlanInputProblem {
  field: string;
  message: string;
}

/** A plan cannot be made from what is known; `field` is the request field that would help, `problems` are all of them. */
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
