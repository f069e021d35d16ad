import { adminCommand, siteOption, table } from "./admin-command.js";
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

export const actuatorListCommand = adminCommand({
  name: "actuator list",
  summary: "Lists the actuators with their state.",
  options: { site: siteOption },
  lines: ({ actuators }: { actuators: ActuatorRow[] }) =>
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

const OUTCOMES: Readonly<Record<string, string>> = {
  confirmed: "the device has confirmed",
  accepted: "the device has accepted",
  declined: "the device has accepted, but does not follow",
};

interface TestResult {
  id: string;
  state: string;
  outcome: string;
  error: string | null;
}

export const actuatorTestCommand = adminCommand({
  name: "actuator test",
  summary: "Sends STATE to the device of an actuator now, also in dry run, and keeps it for a minute.",
  operands: ["ID", "STATE"],
  options: {
    site: siteOption,
    power: valueOption("KW", "Power of the state, kW; if not given, that of the device in its settings."),
  },
  input: (_request, { options: { site, power }, positionals: [id, state] }) => ({
    id,
    state,
    ...(site !== undefined && { site }),
    ...(power !== undefined && { power_kw: power }),
  }),
  lines: ({ id, state, outcome, error }: TestResult) => [
    error === null
      ? `${id}: ${OUTCOMES[outcome] ?? outcome} "${state}".`
      : `${id}: "${state}" failed: ${error}.`,
  ],
  hasFailed: ({ error }) => error !== null,
});

export const actuatorEnableCommand = adminCommand({
  name: "actuator enable",
  summary: "Enables an actuator; a dry run continues.",
  operands: ["ID"],
  options: { site: siteOption },
  lines: ({ id, dry_run }: ActuatorRow) => [
    `${id} is enabled${dry_run ? " (dry run: nothing is sent)" : ""}.`,
  ],
});

export const actuatorDisableCommand = adminCommand({
  name: "actuator disable",
  summary: "Disables an actuator; its device is left to its own control.",
  operands: ["ID"],
  options: { site: siteOption },
  lines: ({ id }: ActuatorRow) => [`${id} is disabled; its device is left to its own control.`],
});
