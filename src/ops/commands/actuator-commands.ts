import { adminCommand, siteOption, table, textInput } from "./admin-command.js";
import { valueOption } from "./command.js";

interface ActuatorRow {
  site_id: string;
  id: string;
  controls: string;
  phase: string;
  dry_run: boolean;
  wanted: { state: string } | null;
  confirmed: { state: string } | null;
  last_error: { message: string } | null;
  writes_today: number;
}

export const actuatorListCommand = adminCommand<{ actuators: ActuatorRow[] }>({
  name: "actuator list",
  summary: "Lists the actuators with their state.",
  usage: "[--site ID]",
  options: { site: siteOption },
  input: (args) => textInput(args, [], ["site"]),
  lines: ({ actuators }) =>
    table(
      ["SITE", "ID", "CONTROLS", "STATE", "PLANNED", "CONFIRMED", "TODAY", "LAST ERROR"],
      actuators.map((one) => [
        one.site_id,
        one.id,
        one.controls,
        one.phase,
        one.wanted?.state ?? "-",
        one.confirmed?.state ?? "-",
        String(one.writes_today),
        one.last_error?.message ?? "-",
      ]),
    ),
});

interface TestResult {
  id: string;
  state: string;
  outcome: string;
  error: string | null;
}

export const actuatorTestCommand = adminCommand<TestResult>({
  name: "actuator test",
  summary: "Sends STATE to the device of an actuator now, also in dry run, and keeps it for a minute.",
  positionals: ["ID", "STATE"],
  usage: "[--site ID] [--power KW]",
  options: {
    site: siteOption,
    power: valueOption("KW", "Power of the state, kW; 1 if not given."),
  },
  input: (args) => {
    const { power, ...site } = textInput(args, [], ["site", "power"]);
    const [id, state] = args.positionals;
    return { ...site, id, state, ...(power !== undefined && { power_kw: power }) };
  },
  lines: ({ id, state, outcome, error }) => [
    error === null
      ? `${id}: the device has ${outcome === "confirmed" ? "confirmed" : "accepted, but does not follow"} "${state}".`
      : `${id}: "${state}" failed: ${error}.`,
  ],
  hasFailed: ({ error }) => error !== null,
});

export const actuatorEnableCommand = adminCommand<ActuatorRow>({
  name: "actuator enable",
  summary: "Enables an actuator; a dry run continues.",
  positionals: ["ID"],
  usage: "[--site ID]",
  options: { site: siteOption },
  input: (args) => ({ ...textInput(args, [], ["site"]), id: args.positionals[0] }),
  lines: ({ id, dry_run }) => [`${id} is enabled${dry_run ? " (dry run: nothing is sent)" : ""}.`],
});

export const actuatorDisableCommand = adminCommand<ActuatorRow>({
  name: "actuator disable",
  summary: "Disables an actuator; its device is left to its own control.",
  positionals: ["ID"],
  usage: "[--site ID]",
  options: { site: siteOption },
  input: (args) => ({ ...textInput(args, [], ["site"]), id: args.positionals[0] }),
  lines: ({ id }) => [`${id} is disabled; its device is left to its own control.`],
});
