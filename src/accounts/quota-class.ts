/** Kind of call that has a limit of its own (interface.md, Quota classes). */
export type QuotaClass = "decision" | "telemetry" | "pv" | "weather" | "status";
