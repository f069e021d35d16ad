import { adminCommand, siteOption, table, textInput } from "./admin-command.js";

interface Listed {
  keys: { prefix: string; label: string; created_at: string; revoked_at: string | null }[];
}

export const keyListCommand = adminCommand<Listed>({
  name: "key list",
  summary: "Lists the API keys of a site by their first characters.",
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => textInput(args, ["site"]),
  lines: ({ keys }) =>
    table(
      ["PREFIX", "CREATED", "REVOKED", "LABEL"],
      keys.map(({ prefix, label, created_at, revoked_at }) => [
        prefix,
        created_at.slice(0, 10),
        revoked_at?.slice(0, 10) ?? "-",
        label,
      ]),
    ),
});
