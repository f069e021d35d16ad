import { adminCommand, labelOption, siteOption, textInput } from "./admin-command.js";

export const linkCreateCommand = adminCommand<{ id: string; scope: string; url: string }>({
  name: "link create",
  summary: "Makes a controller link of a site: an address for devices that cannot send a key.",
  usage: "--site ID --scope read|telemetry [--label L]",
  options: {
    site: siteOption,
    scope: { type: "string", value: "read|telemetry", help: "Read only, or read and tell readings." },
    label: labelOption,
  },
  input: (args) => {
    const input = textInput(args, ["site", "scope"], ["label"]);
    if (typeof input === "string" || ["read", "telemetry"].includes(input.scope ?? "")) return input;
    return `--scope must be read or telemetry, not "${input.scope}".`;
  },
  lines: ({ id, scope, url }) => [`Link ${id} (${scope}, shown only now): ${url}`],
});
