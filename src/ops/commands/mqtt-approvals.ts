import { adminCommand, siteOption, table, textInput } from "./admin-command.js";
import { flagOption } from "./command.js";

interface Approval {
  site_id: string;
  filter: string;
  access: "read" | "publish";
  created_at: string;
}

export const mqttApproveCommand = adminCommand<Approval>({
  name: "mqtt approve",
  summary: "Lets a site read, and publish to, MQTT topics outside its own.",
  usage: "--site ID [--read-only]",
  positionals: ["FILTER"],
  options: {
    site: siteOption,
    "read-only": flagOption("Only telemetry maps of the site may use the topics."),
  },
  input: (args) => {
    const input = textInput(args, ["site"]);
    const access = args.options["read-only"] === true ? "read" : "publish";
    return { ...input, filter: args.positionals[0], access };
  },
  lines: ({ site_id, filter, access }) => [
    access === "read"
      ? `Telemetry maps of ${site_id} may read ${filter}.`
      : `${site_id} may read ${filter} and publish to it.`,
  ],
});

export const mqttListCommand = adminCommand<{ approvals: Approval[] }>({
  name: "mqtt list",
  summary: "Lists the approved MQTT topic filters of a site or of all sites.",
  usage: "[--site ID]",
  options: { site: siteOption },
  input: (args) => textInput(args, [], ["site"]),
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
});

export const mqttRevokeCommand = adminCommand<Approval>({
  name: "mqtt revoke",
  summary: "Revokes the approval of an MQTT topic filter of a site.",
  usage: "--site ID",
  positionals: ["FILTER"],
  options: { site: siteOption },
  input: (args) => {
    const input = textInput(args, ["site"]);
    return typeof input === "string" ? input : { ...input, filter: args.positionals[0] };
  },
  lines: ({ site_id, filter }) => [`${site_id} may not use ${filter} any more.`],
});
