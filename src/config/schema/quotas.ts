/** Limits per plan and class (docs/spec/http-api.md section 4). Plan and class determine the time window of a limit. */

import { integer, section } from "./kinds.js";

/** One limit. The default is part of the schema, from which it is documented and applied. */
const limit = <Default extends number>(standard: Default, description: string) =>
  integer({ minimum: 0, maximum: 1_000_000_000, unit: "calls", default: standard }, description);

const pv = "PV forecast calls per day and key.";
const weather = "Weather calls per day and key.";
const telemetry = "Telemetry softcap per day and key.";
const hourly = "Decision calls per hour and account.";

const fullPlan = <Decision extends number>(decision: Decision, description: string) =>
  section(description, {
    decision: limit(decision, hourly),
    telemetry: limit(10000, telemetry),
    pv: limit(288, pv),
    weather: limit(288, weather),
  });

export const quotasSchema = section("Rate limits of the HTTP interface by plan.", {
  basic: section("Calls without a valid key.", {
    decision: limit(60, "Calls of every class per hour and address."),
  }),
  community: section("Registered accounts.", {
    decision: limit(120, "Decision calls per day and key."),
    telemetry: limit(2000, telemetry),
    pv: limit(48, pv),
    weather: limit(48, weather),
  }),
  trial: fullPlan(600, "Accounts in their 14-day trial."),
  professional: fullPlan(600, "Professional accounts."),
  oem: fullPlan(3000, "OEM accounts."),
});
