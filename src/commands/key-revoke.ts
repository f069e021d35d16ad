import { adminCommand } from "./admin-command.js";

export const keyRevokeCommand = adminCommand<{ prefix: string; site_id: string }>({
  name: "key revoke",
  summary: "Revokes the API key that begins with PREFIX; calls with it are treated as calls without a key.",
  positionals: ["PREFIX"],
  input: ({ positionals }) => ({ prefix: positionals[0] }),
  lines: ({ prefix, site_id }) => [`The key ${prefix}… of ${site_id} is revoked.`],
});
