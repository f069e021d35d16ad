import { adminCommand, siteOption, table } from "./admin-command.js";
import { flagOption, required } from "./command.js";

/** Commands for approved MQTT topics. */
export const mqttCommands = [
  adminCommand({
    name: "mqtt approve",
    summary: "Lets a site read, and publish to, MQTT topics outside its own.",
    operands: ["FILTER"],
    options: {
      site: required(siteOption),
      "read-only": flagOption("Only telemetry maps of the site may use the topics."),
    },
    input: (_request, { options, positionals: [filter] }) => ({
      site: options.site,
      filter,
      access: options["read-only"] ? "read" : "publish",
    }),
    lines: ({ site_id, filter, access }) => [
      access === "read"
        ? `Telemetry maps of ${site_id} may read ${filter}.`
        : `${site_id} may read ${filter} and publish to it.`,
    ],
  }),
  adminCommand({
    name: "mqtt list",
    summary: "Lists the approved MQTT topic filters of a site or of all sites.",
    options: { site: siteOption },
    lines: ({ approvals }) =>
      table(
        ["SITE", "ACCESS", "APPROVED", "FILTER"],
        approvals.map(({ site_id, access, created_at, filter }) => [
          site_id,
          access,
          created_at.slice(0, 10),
          filter,
        ]),
      ),
  }),
  adminCommand({
    name: "mqtt revoke",
    summary: "Revokes the approval of an MQTT topic filter of a site.",
    operands: ["FILTER"],
    options: { site: required(siteOption) },
    lines: ({ site_id, filter }) => [`${site_id} may no longer use ${filter}.`],
  }),
];
