/** Limits per plan and class (docs/spec/http-api.md section 4). Plan and class determine the time window of a limit. */

/** One limit. The default is part of the schema, from which it is documented and applied. */
const limit = <Default extends number>(standard: Default, description: string) =>
  ({
    type: "integer",
    minimum: 0,
    maximum: 1_000_000_000,
    unit: "calls",
    default: standard,
    description,
  }) as const;

const pv = "PV forecast calls per day and key.";
const weather = "Weather calls per day and key.";
const telemetry = "Telemetry softcap per day and key.";
const hourly = "Decision calls per hour and account.";

const fullPlan = <Decision extends number>(decision: Decision, description: string) =>
  ({
    type: "object",
    description,
    additionalProperties: false,
    default: {},
    properties: {
      decision: limit(decision, hourly),
      telemetry: limit(10000, telemetry),
      pv: limit(288, pv),
      weather: limit(288, weather),
    },
  }) as const;

export const quotasSchema = {
  type: "object",
  description: "Rate limits of the HTTP interface by plan.",
  additionalProperties: false,
  default: {},
  properties: {
    basic: {
      type: "object",
      description: "Calls without a valid key.",
      additionalProperties: false,
      default: {},
      properties: { decision: limit(60, "Calls of every class per hour and address.") },
    },
    community: {
      type: "object",
      description: "Registered accounts.",
      additionalProperties: false,
      default: {},
      properties: {
        decision: limit(120, "Decision calls per day and key."),
        telemetry: limit(2000, telemetry),
        pv: limit(48, pv),
        weather: limit(48, weather),
      },
    },
    trial: fullPlan(600, "Accounts in their 14-day trial."),
    professional: fullPlan(600, "Professional accounts."),
    oem: fullPlan(3000, "OEM accounts."),
  },
} as const;
