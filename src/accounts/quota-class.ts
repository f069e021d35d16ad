/** A kind of call with its own limit (docs/spec/http-api.md section 4). */
export type QuotaClass = "decision" | "telemetry" | "pv" | "weather" | "status";
