import { LINK_SCOPES } from "../../core/domain/link-scopes.js";
import { adminCommand, labelOption, siteOption, table } from "./admin-command.js";
import { choiceOption, required } from "./command.js";

/** Commands for keys and controller links. */
export const keyCommands = [
  adminCommand({
    name: "key create",
    summary: "Adds an API key to a site; existing keys stay valid.",
    options: { site: required(siteOption), label: labelOption },
    lines: ({ site_id, key }) => [`API key of ${site_id} (shown only now): ${key}`],
  }),
  adminCommand({
    name: "key list",
    summary: "Lists the API keys of a site with their prefixes.",
    options: { site: required(siteOption) },
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
  }),
  adminCommand({
    name: "key revoke",
    summary: "Revokes the API key that begins with PREFIX; calls with it are treated as calls without a key.",
    operands: ["PREFIX"],
    lines: ({ prefix, site_id }) => [`The key ${prefix}… of ${site_id} is revoked.`],
  }),
  adminCommand({
    name: "link create",
    summary: "Creates a controller link of a site: an address for devices that cannot send a key.",
    options: {
      site: required(siteOption),
      scope: required(
        choiceOption(LINK_SCOPES, "Read only, read and send telemetry, or only the optimizer for evcc."),
      ),
      label: labelOption,
    },
    lines: ({ id, scope, url }) => [`Link ${id} (${scope}, shown only now): ${url}`],
  }),
  adminCommand({
    name: "link list",
    summary: "Lists the controller links of a site.",
    options: { site: required(siteOption) },
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
  }),
  adminCommand({
    name: "link revoke",
    summary: "Revokes a controller link; its address answers 404 from then on.",
    operands: ["ID"],
    lines: ({ id, site_id }) => [`The link ${id} of ${site_id} is revoked.`],
  }),
];

/** Commands for webhooks. */
export const webhookCommands = [
  adminCommand({
    name: "webhook set",
    summary: "Sets the HTTPS address that receives the events of a site, and prints the signing secret.",
    operands: ["URL"],
    options: { site: required(siteOption) },
    lines: ({ site_id, url, secret }) => [`Events of ${site_id} go to ${url}.`, `Signing secret: ${secret}`],
  }),
  adminCommand({
    name: "webhook test",
    summary: "Sends a test event to the webhook of a site and prints the result.",
    options: { site: required(siteOption) },
    lines: ({ site_id, status, duration_ms, error }) => [
      error === null
        ? `The webhook of ${site_id} answered ${status} after ${duration_ms} ms.`
        : `The test event of ${site_id} was not delivered: ${error}`,
    ],
    hasFailed: ({ delivered }) => !delivered,
  }),
];
