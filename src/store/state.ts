import { randomUUID } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FromSchema } from "json-schema-to-ts";
import { Low } from "lowdb";
import { GIVEN_PLANS } from "../domain/tier.js";
import type { Log } from "../log.js";
import { SerialQueue } from "../serial-queue.js";
import { DurableJson } from "./durable-json.js";

const TEXT = { type: "string", minLength: 1 } as const;
const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;

/** What `state.json` holds: the few things that change rarely and must never be lost. */
export const STATE_SCHEMA = {
  type: "object",
  required: [
    "version",
    "installationId",
    "accounts",
    "registrations",
    "sites",
    "keys",
    "links",
    "webhooks",
    "settings",
  ],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    /** Stable for the life of the data folder; part of client ids on foreign brokers. */
    installationId: TEXT,
    accounts: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "email", "passwordHash", "plan", "administrator", "createdAt"],
        additionalProperties: false,
        properties: {
          id: TEXT,
          email: TEXT,
          passwordHash: TEXT,
          plan: { enum: GIVEN_PLANS },
          administrator: { type: "boolean" },
          createdAt: TEXT,
          /** The one trial of an account; kept when it is over, since it can be started only once. */
          trial: {
            type: "object",
            required: ["startedAt", "endsAt"],
            additionalProperties: false,
            properties: { startedAt: TEXT, endsAt: TEXT },
          },
          /** When the plan in force was given; months of it are counted from here. */
          planSince: TEXT,
          /** End of the paid period: of a cancelled plan, or of one that was given for a time. */
          paidUntil: TEXT,
          /** When its owner cancelled it; it runs on to paidUntil. */
          cancelledAt: TEXT,
          /** Language of its mails and of webhook and page texts that nobody asked for in another one. */
          language: { enum: ["de", "en"] },
        },
      },
    },
    /** Accounts to be, until the link of their mail is followed or has expired. */
    registrations: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["email", "passwordHash", "tokenHash", "language", "createdAt", "expiresAt"],
        additionalProperties: false,
        properties: {
          email: TEXT,
          passwordHash: TEXT,
          /** SHA-256 of the link's token, hex. */
          tokenHash: HASH,
          language: { enum: ["de", "en"] },
          createdAt: TEXT,
          expiresAt: TEXT,
        },
      },
    },
    /** Sites made by an account; those of the configuration are not among them. */
    sites: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["id", "accountId", "createdAt"],
        additionalProperties: false,
        properties: {
          id: TEXT,
          accountId: TEXT,
          createdAt: TEXT,
        },
      },
    },
    keys: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "hash", "prefix", "label", "siteId", "accountId", "createdAt", "revokedAt"],
        additionalProperties: false,
        properties: {
          id: TEXT,
          /** SHA-256 of the key, hex; the key itself is nowhere. */
          hash: HASH,
          /** First characters of the key, by which people tell keys apart. */
          prefix: TEXT,
          label: { type: "string" },
          siteId: TEXT,
          accountId: TEXT,
          createdAt: TEXT,
          revokedAt: { type: ["string", "null"] },
          /** Cap on decision calls an hour of this key alone. */
          hourlyLimit: { type: "integer", minimum: 1 },
          /** Added on the command line: a new key in the portal leaves it valid. */
          added: { type: "boolean" },
        },
      },
    },
    /** Capability links of controllers. */
    links: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["id", "hash", "prefix", "siteId", "scope", "label", "createdAt", "revokedAt"],
        additionalProperties: false,
        properties: {
          id: TEXT,
          /** SHA-256 of the token, hex; the token itself is nowhere. */
          hash: HASH,
          /** First characters of the token. */
          prefix: TEXT,
          siteId: TEXT,
          scope: { enum: ["read", "telemetry"] },
          label: { type: "string" },
          createdAt: TEXT,
          revokedAt: { type: ["string", "null"] },
        },
      },
    },
    /** Topic filters outside the plant's own topics that the administrator has approved for sites. */
    mqttApprovals: {
      type: "array",
      items: {
        type: "object",
        required: ["siteId", "filter", "access", "createdAt"],
        additionalProperties: false,
        properties: {
          siteId: TEXT,
          filter: TEXT,
          access: { enum: ["read", "publish"] },
          createdAt: TEXT,
        },
      },
    },
    webhooks: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["siteId", "url", "secret", "createdAt"],
        additionalProperties: false,
        properties: {
          siteId: TEXT,
          url: TEXT,
          /** Signing secret in plain text: a signature cannot be made with a hash of it. */
          secret: TEXT,
          createdAt: TEXT,
        },
      },
    },
    /** Hash of the owner's own key, generated or from the configuration, as last applied. */
    ownerKeyHash: HASH,
    /** What is set in the portal, by site: sections of the plant, and telemetry from other devices' topics. */
    settings: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["plant", "telemetry"],
        additionalProperties: false,
        properties: {
          /** Whole sections as in the configuration, each in place of the configured one. */
          plant: { type: "object" },
          telemetry: { type: ["array", "null"], items: { type: "object" } },
          /** The partner's own reference, such as a customer number. */
          customerRef: { type: "string" },
        },
      },
    },
  },
} as const;

export type State = FromSchema<typeof STATE_SCHEMA>;
export type Account = State["accounts"][number];
export type Key = State["keys"][number];

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

export type StateView = ReadonlyDeep<State>;

/**
 * Checks a state, and fills in the lists that one of an earlier version did not have yet. The schema itself is checked by a
 * test: at each start that would cost more than all else here.
 */
const validate = new Ajv2020({
  validateSchema: false,
  allowUnionTypes: true,
  useDefaults: true,
}).compile<State>(STATE_SCHEMA);

/** The gateway's state in memory and on disk, which never differ. */
export class StateFile {
  readonly #low: Low<State>;
  #view: StateView;
  readonly #updates = new SerialQueue();

  private constructor(low: Low<State>) {
    this.#low = low;
    this.#view = freeze(low.data);
  }

  /** Reads the file, or makes it on a first start; logs what was mended. Throws StoreError. */
  static async open(path: string, log: Pick<Log, "info" | "warn">): Promise<StateFile> {
    const adapter = new DurableJson(path, validate);
    const fresh: State = {
      version: 1,
      installationId: randomUUID(),
      accounts: [],
      registrations: [],
      sites: [],
      keys: [],
      links: [],
      webhooks: [],
      settings: {},
    };
    const low = new Low<State>(adapter, fresh);
    await low.read();
    for (const warning of adapter.warnings) log.warn({}, warning);
    if (low.data === fresh) {
      await low.write();
    } else if (adapter.incomplete) {
      // With one good copy the gateway runs, with two it also survives the next accident.
      await low.write().catch((error: Error) => log.warn({ err: error }, error.message));
    }
    return new StateFile(low);
  }

  /** The state as it is on disk; frozen. A new object after each update. */
  get data(): StateView {
    return this.#view;
  }

  /**
   * Changes the state and resolves when the change is flushed to disk. Updates run one after the other, each on the
   * outcome of the last. A `mutate` that throws, a draft that breaks the schema (TypeError) or a disk that fails
   * (StoreError) leaves memory and disk as they were.
   */
  update<Result>(mutate: (draft: State) => Result): Promise<Result> {
    return this.#updates.run(async () => {
      const before = this.#low.data;
      const draft = structuredClone(before);
      const result = mutate(draft);
      if (!validate(draft)) {
        const error = validate.errors?.[0];
        throw new TypeError(
          `This change would make the state unreadable: ${error?.instancePath} ${error?.message}.`,
        );
      }
      this.#low.data = draft;
      try {
        await this.#low.write();
      } catch (error) {
        this.#low.data = before;
        throw error;
      }
      this.#view = freeze(draft);
      return result;
    });
  }

  /** Resolves when every update under way has ended. */
  close(): Promise<void> {
    return this.#updates.idle();
  }
}

function freeze<T>(value: T): ReadonlyDeep<T> {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value as ReadonlyDeep<T>;
}
