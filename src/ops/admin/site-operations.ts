import { AccountInputError } from "../../accounts/input-error.js";
import type { KeyView } from "../../accounts/key-ring.js";
import type { LinkView } from "../../accounts/links.js";
import type { MqttApproval } from "../../accounts/mqtt-approvals.js";
import { controllerLinkUrl, LINK_SCOPES } from "../../core/domain/link-scopes.js";
import { WebhookInputError } from "../../messages/webhooks/input-error.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { adminOperation, name, siteOf, textField } from "./operation.js";

/** Commands for keys, controller links and the webhook of a site. */
export const siteOperations = {
  "site show": adminOperation(
    { required: { site: name }, optional: { language: { ...textField, enum: ["de", "en"] as const } } },
    async (services, { site, language: wanted }) => {
      const { id, plant, accountId } = siteOf(services, site);
      const language = wanted ?? services.accountBook.get(accountId)?.language ?? "de";
      const slots = plant.slots.map((one) => ({
        slot: one.slot,
        label: deviceLabel(one, language),
        enabled: one.enabled,
      }));
      return { id, name: plant.name, base_url: services.baseUrl(), language, slots };
    },
  ),

  "key create": adminOperation(
    { required: { site: name }, optional: { label: textField } },
    async (services, { site, label = "" }) => {
      const { key, id } = await services.keyRing.add(site, { label });
      return { ...keyDocument(services.keyRing.list(site).find((one) => one.id === id)!), key };
    },
  ),

  "key list": adminOperation({ required: { site: name } }, async (services, { site }) => {
    return { keys: services.keyRing.list(site).map(keyDocument) };
  }),

  "key revoke": adminOperation({ required: { prefix: name } }, async ({ keyRing }, { prefix }) =>
    keyDocument(await keyRing.revoke(prefix)),
  ),

  "link create": adminOperation(
    {
      required: { site: name, scope: { ...textField, enum: LINK_SCOPES } },
      optional: { label: textField },
    },
    async (services, { site, scope, label = "" }) => {
      const { token, id } = await services.links.create(site, { scope, label });
      const link = services.links.list(site).find((one) => one.id === id)!;
      const url = controllerLinkUrl(services.baseUrl(), token, scope);
      return { ...linkDocument(link), token, url };
    },
  ),

  "link list": adminOperation({ required: { site: name } }, async (services, { site }) => {
    return { links: services.links.list(site).map(linkDocument) };
  }),

  "link revoke": adminOperation({ required: { id: name } }, async ({ links }, { id }) =>
    linkDocument(await links.revoke(id)),
  ),

  "mqtt approve": adminOperation(
    {
      required: { site: name, filter: name },
      optional: { access: { ...textField, enum: ["read", "publish"] } },
    },
    async (services, { site, filter, access = "publish" }) => {
      return approvalDocument(await services.mqttApprovals.approve(site, filter, { access }));
    },
  ),

  "mqtt list": adminOperation({ optional: { site: name } }, async (services, { site }) => {
    return { approvals: services.mqttApprovals.list(site).map(approvalDocument) };
  }),

  "mqtt revoke": adminOperation(
    { required: { site: name, filter: name } },
    async ({ mqttApprovals }, { site, filter }) => approvalDocument(await mqttApprovals.revoke(site, filter)),
  ),

  "webhook set": adminOperation(
    { required: { site: name, url: { ...name, maxLength: 4000 } } },
    async (services, { site, url }) => {
      const { secret } = await services.webhooks.set(site, url);
      return { site_id: site, url, secret };
    },
  ),

  "webhook test": adminOperation({ required: { site: name } }, async (services, { site }) => {
    const { time, event, status, durationMs, error } = await services.webhooks.test(site);
    return {
      site_id: site,
      event,
      time: time.toISOString(),
      delivered: error === null,
      status,
      duration_ms: Math.round(durationMs),
      error: error?.message ?? null,
    };
  }),
};

/** Whether an error is the caller's and has a message for the caller. */
export function isInputError(error: unknown): error is Error {
  return error instanceof AccountInputError || error instanceof WebhookInputError;
}

function keyDocument({ id, siteId, prefix, label, createdAt, revokedAt, hourlyLimit, added }: KeyView) {
  return {
    id,
    site_id: siteId,
    prefix,
    label,
    added,
    hourly_limit: hourlyLimit ?? null,
    created_at: createdAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}

function linkDocument({ id, siteId, scope, prefix, label, createdAt, revokedAt }: LinkView) {
  return {
    id,
    site_id: siteId,
    scope,
    prefix,
    label,
    created_at: createdAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}

function approvalDocument({ siteId, filter, access, createdAt }: MqttApproval) {
  return { site_id: siteId, filter, access, created_at: createdAt.toISOString() };
}
