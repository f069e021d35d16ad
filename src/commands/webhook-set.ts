import { adminCommand, siteOption, textInput } from "./admin-command.js";

export const webhookSetCommand = adminCommand<{ site_id: string; url: string; secret: string }>({
  name: "webhook set",
  summary: "Registers the HTTPS address that gets the events of a site, and prints the signing secret.",
  positionals: ["URL"],
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => {
    const input = textInput(args, ["site"]);
    return typeof input === "string" ? input : { ...input, url: args.positionals[0] };
  },
  lines: ({ site_id, url, secret }) => [`Events of ${site_id} go to ${url}.`, `Signing secret: ${secret}`],
});
