import { adminCommand, labelOption, siteOption, textInput } from "./admin-command.js";

export const keyCreateCommand = adminCommand<{ site_id: string; key: string }>({
  name: "key create",
  summary: "Adds an API key to a site; the keys that it has stay valid.",
  usage: "--site ID [--label L]",
  options: { site: siteOption, label: labelOption },
  input: (args) => textInput(args, ["site"], ["label"]),
  lines: ({ site_id, key }) => [`API key of ${site_id} (shown only now): ${key}`],
});
