import { adminCommand, siteOption, table, textInput } from "./admin-command.js";

interface Listed {
  links: { id: string; scope: string; label: string; created_at: string; revoked_at: string | null }[];
}

export const linkListCommand = adminCommand<Listed>({
  name: "link list",
  summary: "Lists the controller links of a site.",
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => textInput(args, ["site"]),
  lines: ({ links }) =>
    table(
      ["ID", "SCOPE", "CREATED", "REVOKED", "LABEL"],
      links.map(({ id, scope, label, created_at, revoked_at }) => [
        id,
        scope,
        created_at.slice(0, 10),
        revoked_at?.slice(0, 10) ?? "-",
        label,
      ]),
    ),
});
