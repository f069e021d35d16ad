import type { FromSchema } from "json-schema-to-ts";
import { closedObject } from "../core/domain/json-schema.js";
import { LINK_SCOPES } from "../core/domain/link-scopes.js";
import { NOTIFICATION_KINDS } from "../core/domain/notification.js";
import { GIVEN_PLANS } from "../core/domain/tier.js";

const TEXT = { type: "string", minLength: 1 } as const;
const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;

const CLOCK_TIME = { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" } as const;

/** Channels and choices of an account for its notifications. A channel that is not enabled keeps its settings. */
const NOTIFICATIONS = closedObject({
  /** Kinds that are switched off. */
  off: { type: "array", items: { enum: NOTIFICATION_KINDS } },
  quiet: {
    type: ["object", "null"],
    required: ["from", "to"],
    additionalProperties: false,
    properties: { from: CLOCK_TIME, to: CLOCK_TIME },
  },
  email: closedObject(
    { enabled: { type: "boolean" } },
    /** Without an address: that of the account. */
    { address: TEXT },
  ),
  ntfy: closedObject(
    {
      enabled: { type: "boolean" },
      server: { type: "string" },
      topic: { type: "string" },
    },
    {
      /** In plain text: a hash cannot be used to sign in. */
      token: TEXT,
    },
  ),
  webhook: closedObject({ enabled: { type: "boolean" }, url: { type: "string" } }, { secret: TEXT }),
});

/** Content of `state.json`: data that change rarely and must never be lost. */
export const STATE_SCHEMA = closedObject(
  {
    version: { const: 1 },
    /** Constant for a data folder; part of client ids on external brokers. */
    installationId: TEXT,
    accounts: {
      type: "array",
      items: closedObject(
        {
          id: TEXT,
          email: TEXT,
          passwordHash: TEXT,
          plan: { enum: GIVEN_PLANS },
          administrator: { type: "boolean" },
          createdAt: TEXT,
        },
        {
          /** The trial of an account; kept after its end, because it can be started only once. */
          trial: closedObject({ startedAt: TEXT, endsAt: TEXT }),
          /** Start of the current plan, from which its months are counted. */
          planSince: TEXT,
          /** End of the paid period of a cancelled or limited plan. */
          paidUntil: TEXT,
          /** Time of cancellation; the plan remains valid until paidUntil. */
          cancelledAt: TEXT,
          /** Language of its mails, and default language of webhook and page texts. */
          language: { enum: ["de", "en"] },
          notifications: NOTIFICATIONS,
          /** Second factor: secret of the authenticator app (base32), and the last time step used. */
          totp: closedObject({ secret: TEXT, lastStep: { type: "integer" } }),
        },
      ),
    },
    /** Links for setting a new password, until they are used or have expired. */
    recoveries: {
      type: "array",
      default: [],
      items: closedObject({ accountId: TEXT, tokenHash: HASH, expiresAt: TEXT }),
    },
    /** Registrations until their link is opened or expires. */
    registrations: {
      type: "array",
      default: [],
      items: closedObject(
        {
          email: TEXT,
          /** SHA-256 of the link's token, hex. */
          tokenHash: HASH,
          language: { enum: ["de", "en"] },
          createdAt: TEXT,
          expiresAt: TEXT,
        },
        {
          /** By an administrator. */
          invited: { const: true },
          /** Written by versions before 0.2 and not used any more. */
          passwordHash: TEXT,
        },
      ),
    },
    /** Sites created by accounts, without those of the configuration. */
    sites: {
      type: "array",
      default: [],
      items: closedObject(
        {
          id: TEXT,
          accountId: TEXT,
          createdAt: TEXT,
        },
        {
          /** In a fleet: the shard whose number its topics contain, if it was moved from there. */
          topicShard: { type: "integer", minimum: 0 },
        },
      ),
    },
    keys: {
      type: "array",
      items: closedObject(
        {
          id: TEXT,
          /** SHA-256 of the key, hex; the key itself is not stored. */
          hash: HASH,
          /** First characters of the key, to identify it. */
          prefix: TEXT,
          label: { type: "string" },
          siteId: TEXT,
          accountId: TEXT,
          createdAt: TEXT,
          revokedAt: { type: ["string", "null"] },
        },
        {
          /** Maximum number of decision calls per hour with this key. */
          hourlyLimit: { type: "integer", minimum: 1 },
          /** Added on the command line: it remains valid when a new key is created in the portal. */
          added: { type: "boolean" },
        },
      ),
    },
    /** Capability links of controllers. */
    links: {
      type: "array",
      default: [],
      items: closedObject({
        id: TEXT,
        /** SHA-256 of the token, hex; the token itself is not stored. */
        hash: HASH,
        /** First characters of the token. */
        prefix: TEXT,
        siteId: TEXT,
        scope: { enum: LINK_SCOPES },
        label: { type: "string" },
        createdAt: TEXT,
        revokedAt: { type: ["string", "null"] },
      }),
    },
    webhooks: {
      type: "array",
      default: [],
      items: closedObject({
        siteId: TEXT,
        url: TEXT,
        /** Signing secret in plain text: a hash cannot be used to sign. */
        secret: TEXT,
        createdAt: TEXT,
      }),
    },
    /** Settings from the portal by site: sections of the plant, and telemetry from topics of other devices. */
    settings: {
      type: "object",
      additionalProperties: closedObject(
        {
          /** Complete sections, which replace those of the configuration. */
          plant: { type: "object" },
          telemetry: { type: ["array", "null"], items: { type: "object" } },
        },
        {
          /** The partner's own reference, such as a customer number. */
          customerRef: { type: "string" },
        },
      ),
    },
  },
  {
    /** The version of hourgate that has written the data last. */
    writtenBy: TEXT,
    /** Topic filters outside the plant's own topics that the administrator has approved for sites. */
    mqttApprovals: {
      type: "array",
      items: closedObject({
        siteId: TEXT,
        filter: TEXT,
        access: { enum: ["read", "publish"] },
        createdAt: TEXT,
      }),
    },
    /** In a fleet: the shard that the data belong to. Keys and link tokens are made for it, so it never changes. */
    shard: closedObject({ number: { type: "integer", minimum: 0 }, of: { type: "integer", minimum: 1 } }),
    /** Accounts that were moved to another shard, which is known to who comes with their keys, links or passwords. */
    departed: {
      type: "array",
      items: closedObject({
        accountId: TEXT,
        shard: { type: "integer", minimum: 0 },
        /** SHA-256 of the e-mail, hex. */
        emailHash: HASH,
        passwordHash: TEXT,
        siteIds: { type: "array", items: TEXT },
        /** SHA-256 of the keys and link tokens, hex. */
        tokenHashes: { type: "array", items: HASH },
      }),
    },
    /** Hash of the owner's key, generated or from the configuration, as last applied. */
    ownerKeyHash: HASH,
    /** Sites whose data must be deleted at the next start: work in progress may have written after the removal. */
    removedSites: { type: "array", items: TEXT },
  },
);

export type State = FromSchema<typeof STATE_SCHEMA>;
export type Key = State["keys"][number];

export type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

export type StateView = ReadonlyDeep<State>;
export type Account = StateView["accounts"][number];
