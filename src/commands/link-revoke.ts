import { adminCommand } from "./admin-command.js";

export const linkRevokeCommand = adminCommand<{ id: string; site_id: string }>({
  name: "link revoke",
  summary: "Revokes a controller link; its address answers 404 from then on.",
  positionals: ["ID"],
  input: ({ positionals }) => ({ id: positionals[0] }),
  lines: ({ id, site_id }) => [`The link ${id} of ${site_id} is revoked.`],
});
