import { isLinkScope, LINK_SCOPES } from "../../core/domain/link-scopes.js";
import { adminCommand, labelOption, siteOption, table, textInput } from "./admin-command.js";
import { usageError, valueOption } from "./command.js";

export const keyCreateCommand = adminCommand<{ site_id: string; key: string }>({
  name: "key create",
  summary: "Adds an API key to a site; existing keys stay valid.",
  usage: "--site ID [--label L]",
  options: { site: siteOption, label: labelOption },
  input: (args) => textInput(args, ["site"], ["label"]),
  lines: ({ site_id, key }) => [`API key of ${site_id} (shown only now): ${key}`],
});

interface KeyList {
  keys: { prefix: string; label: string; created_at: string; revoked_at: string | null }[];
}

export const keyListCommand = adminCommand<KeyList>({
  name: "key list",
  summary: "Lists the API keys of a site with their prefixes.",
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

export const keyRevokeCommand = adminCommand<{ prefix: string; site_id: string }>({
  name: "key revoke",
  summary: "Revokes the API key that begins with PREFIX; calls with it are treated as calls without a key.",
  positionals: ["PREFIX"],
  input: ({ positionals }) => ({ prefix: positionals[0] }),
  lines: ({ prefix, site_id }) => [`The key ${prefix}… of ${site_id} is revoked.`],
});

export const linkCreateCommand = adminCommand<{ id: string; scope: string; url: string }>({
  name: "link create",
  summary: "Creates a controller link of a site: an address for devices that cannot send a key.",
  usage: "--site ID --scope read|telemetry|optimizer [--label L]",
  options: {
    site: siteOption,
    scope: valueOption(
      LINK_SCOPES.join("|"),
      "Read only, read and send telemetry, or only the optimizer for evcc.",
    ),
    label: labelOption,
  },
  input: (args) => {
    const input = textInput(args, ["site", "scope"], ["label"]);
    if (isLinkScope(input.scope ?? "")) return input;
    throw usageError(`--scope must be read, telemetry or optimizer, not "${input.scope}".`);
  },
  lines: ({ id, scope, url }) => [`Link ${id} (${scope}, shown only now): ${url}`],
});

interface LinkList {
  links: { id: string; scope: string; label: string; created_at: string; revoked_at: string | null }[];
}

export const linkListCommand = adminCommand<LinkList>({
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

export const linkRevokeCommand = adminCommand<{ id: string; site_id: string }>({
  name: "link revoke",
  summary: "Revokes a controller link; its address answers 404 from then on.",
  positionals: ["ID"],
  input: ({ positionals }) => ({ id: positionals[0] }),
  lines: ({ id, site_id }) => [`The link ${id} of ${site_id} is revoked.`],
});

export const webhookSetCommand = adminCommand<{ site_id: string; url: string; secret: string }>({
  name: "webhook set",
  summary: "Sets the HTTPS address that receives the events of a site, and prints the signing secret.",
  positionals: ["URL"],
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => ({ ...textInput(args, ["site"]), url: args.positionals[0] }),
  lines: ({ site_id, url, secret }) => [`Events of ${site_id} go to ${url}.`, `Signing secret: ${secret}`],
});

interface TestDelivery {
  site_id: string;
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  error: string | null;
}

export const webhookTestCommand = adminCommand<TestDelivery>({
  name: "webhook test",
  summary: "Sends a test event to the webhook of a site and prints the result.",
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => textInput(args, ["site"]),
  lines: ({ site_id, status, duration_ms, error }) => [
    error === null
      ? `The webhook of ${site_id} answered ${status} after ${duration_ms} ms.`
      : `The test event of ${site_id} was not delivered: ${error}`,
  ],
  hasFailed: ({ delivered }) => !delivered,
});
