import { randomBytes } from "node:crypto";
import type { Sites } from "../config/site.js";
import type { LinkScope } from "../core/domain/link-scopes.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { State, StateView } from "../store/state-schema.js";
import { parseLabel } from "./credentials.js";
import { AccountInputError } from "./input-error.js";
import { hashToken, newToken } from "./secret-token.js";

/** The public view of a controller link; it does not hold the token. */
export interface LinkView {
  id: string;
  siteId: string;
  scope: LinkScope;
  /** First characters of the token, which identify the link in lists. */
  prefix: string;
  label: string;
  createdAt: Date;
  revokedAt?: Date;
}

type StoredLink = StateView["links"][number];

const TOKEN_BYTES = 24;
const PREFIX_CHARACTERS = 6;
/** Active links of a site. */
const LINKS_PER_SITE = 50;
/** Number of revoked links that are kept per site for its list. */
const KEPT_REVOKED = 20;
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

/** Controller links: capability tokens for one site, for devices that cannot send a key. */
export class Links {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: Sites;
  /** Links by hash, and the list they were read from. */
  #links: { of: StateView["links"]; byHash: Map<string, StoredLink> } | undefined;

  constructor({ state, clock, sites }: { state: StateFile; clock: Clock; sites: Sites }) {
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** The links of a site in order of creation, including recently revoked ones. */
  list(siteId: string): LinkView[] {
    return this.#state.data.links.filter((link) => link.siteId === siteId).map(viewOf);
  }

  /** Creates a link; only the returned value holds its token (32 characters). Throws AccountInputError, StoreError. */
  async create(
    siteId: string,
    { scope, label = "" }: { scope: LinkScope; label?: string },
  ): Promise<{ token: string; id: string }> {
    if (this.#sites.get(siteId) === undefined)
      throw new AccountInputError("site", "unknown_site", `There is no site "${siteId}".`);
    const text = parseLabel(label);
    const { token, hash } = newToken(TOKEN_BYTES, this.#state.data.shard);
    const id = randomBytes(6).toString("hex");
    await this.#state.update((draft) => {
      const active = draft.links.filter((link) => link.siteId === siteId && link.revokedAt === null);
      if (active.length >= LINKS_PER_SITE)
        throw new AccountInputError(
          "label",
          "too_many_links",
          `A site has at most ${LINKS_PER_SITE} links: revoke those that are not used any more.`,
        );
      draft.links.push({
        id,
        hash,
        prefix: token.slice(0, PREFIX_CHARACTERS),
        siteId,
        scope,
        label: text,
        createdAt: this.#clock.now().toISOString(),
        revokedAt: null,
      });
    });
    return { token, id };
  }

  /** Revokes an active link of one site or of any site. Throws AccountInputError, StoreError. */
  revoke(id: string, { siteId }: { siteId?: string } = {}): Promise<LinkView> {
    return this.#state.update((draft) => {
      const link = draft.links.find(
        (one) => one.id === id && (siteId === undefined || one.siteId === siteId),
      );
      if (link === undefined || link.revokedAt !== null)
        throw new AccountInputError("link", "unknown_link", `There is no active link "${id}".`);
      link.revokedAt = this.#clock.now().toISOString();
      const view = viewOf(link);
      forgetOldLinks(draft, link.siteId);
      return view;
    });
  }

  /** The active link with this token; undefined for any other text. */
  find(token: string): { id: string; siteId: string; scope: LinkScope } | undefined {
    if (!TOKEN.test(token)) return undefined;
    const link = this.#byHash().get(hashToken(token));
    if (link === undefined || link.revokedAt !== null) return undefined;
    const { id, siteId, scope } = link;
    return this.#sites.get(siteId) === undefined ? undefined : { id, siteId, scope };
  }

  #byHash(): Map<string, StoredLink> {
    const { links } = this.#state.data;
    if (this.#links?.of !== links) {
      this.#links = { of: links, byHash: new Map(links.map((link) => [link.hash, link])) };
    }
    return this.#links.byHash;
  }
}

function forgetOldLinks(draft: State, siteId: string): void {
  const revoked = draft.links
    .filter((link) => link.siteId === siteId && link.revokedAt !== null)
    .sort((a, b) => (a.revokedAt! < b.revokedAt! ? 1 : a.revokedAt! > b.revokedAt! ? -1 : 0));
  const forgotten = new Set(revoked.slice(KEPT_REVOKED).map(({ id }) => id));
  draft.links = draft.links.filter(({ id }) => !forgotten.has(id));
}

function viewOf(link: StoredLink): LinkView {
  const { id, siteId, scope, prefix, label, createdAt, revokedAt } = link;
  return {
    id,
    siteId,
    scope,
    prefix,
    label,
    createdAt: new Date(createdAt),
    ...(revokedAt !== null && { revokedAt: new Date(revokedAt) }),
  };
}
