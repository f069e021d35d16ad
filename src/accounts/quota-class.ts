/** Kind of call that has a limit of its own (docs/spec/http-api.md section 4). */
export type QuotaClass = "decision" | "telemetry" | "pv" | "weather" | "status";
