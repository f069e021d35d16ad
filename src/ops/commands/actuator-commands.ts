import { adminCommand, siteOption, table } from "./admin-command.js";
import { valueOption } from "./command.js";

const OUTCOMES: Readonly<Record<string, string>> = {
  confirmed: "the device has confirmed",
  accepted: "the device has accepted",
  declined: "the device has accepted, but does not follow",
};

/** Commands for actuators. */
export const actuatorCommands = [
  adminCommand({
    name: "actuator list",
    summary: "Lists the actuators with their state.",
    options: { site: siteOption },
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
  }),
  adminCommand({
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
    lines: ({ id, state, outcome, error }) => [
      error === null
        ? `${id}: ${OUTCOMES[outcome] ?? outcome} "${state}".`
        : `${id}: "${state}" failed: ${error}.`,
    ],
    hasFailed: ({ error }) => error !== null,
  }),
  adminCommand({
    name: "actuator enable",
    summary: "Enables an actuator; a dry run continues.",
    operands: ["ID"],
    options: { site: siteOption },
    lines: ({ id, dry_run }) => [`${id} is enabled${dry_run ? " (dry run: nothing is sent)" : ""}.`],
  }),
  adminCommand({
    name: "actuator disable",
    summary: "Disables an actuator; its device is left to its own control.",
    operands: ["ID"],
    options: { site: siteOption },
    lines: ({ id }) => [`${id} is disabled; its device is left to its own control.`],
  }),
];
