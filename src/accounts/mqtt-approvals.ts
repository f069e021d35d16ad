import type { Sites } from "../config/site.js";
import { filterCovers, filterMatches } from "../core/domain/mqtt-filter.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { StateView } from "../store/state-schema.js";
import { AccountInputError } from "./input-error.js";

/** A topic filter outside the plant's own topics that the administrator has approved for a site. */
export interface MqttApproval {
  siteId: string;
  filter: string;
  /** `read`: telemetry maps may read it. `publish`: clients of the site may also publish there. */
  access: "read" | "publish";
  createdAt: Date;
}

const MAX_PER_SITE = 100;
const MAX_FILTER_LENGTH = 512;

/**
 * Which MQTT topics outside its own a site may use. Sites of administrators may map any topic; every other site needs an
 * approval that covers the filter of its map. Stored in `state.json`.
 */
export class MqttApprovals {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: Pick<Sites, "get">;
  readonly #listeners = new Set<() => void>();

  constructor({ state, clock, sites }: { state: StateFile; clock: Clock; sites: Pick<Sites, "get"> }) {
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** The approvals of a site, or of all sites, oldest first. */
  list(siteId?: string): MqttApproval[] {
    return this.#stored()
      .filter((one) => siteId === undefined || one.siteId === siteId)
      .map((one) => ({ ...one, createdAt: new Date(one.createdAt) }));
  }

  /** True for a site of an administrator. */
  isUnrestricted(siteId: string): boolean {
    const accountId = this.#sites.get(siteId)?.accountId;
    return this.#state.data.accounts.some(({ id, administrator }) => administrator && id === accountId);
  }

  /** Whether the site's telemetry map may read the filter. */
  mayRead(siteId: string, filter: string): boolean {
    return (
      this.isUnrestricted(siteId) ||
      this.#stored().some((one) => one.siteId === siteId && filterCovers(one.filter, filter))
    );
  }

  /** Whether an approval lets clients of the site publish to the topic. */
  mayPublish(siteId: string, topic: string): boolean {
    return this.#stored().some(
      (one) => one.siteId === siteId && one.access === "publish" && filterMatches(one.filter, topic),
    );
  }

  /** Approves a filter; replaces an earlier approval of the same filter. Throws AccountInputError, StoreError. */
  async approve(
    siteId: string,
    filter: string,
    { access }: { access: MqttApproval["access"] },
  ): Promise<MqttApproval> {
    checkFilter(filter);
    if (this.#sites.get(siteId) === undefined)
      throw new AccountInputError("site", "unknown_site", `There is no site "${siteId}".`);
    const approval = { siteId, filter, access, createdAt: this.#clock.now().toISOString() };
    await this.#state.update((draft) => {
      const others = (draft.mqttApprovals ?? []).filter(
        (one) => one.siteId !== siteId || one.filter !== filter,
      );
      if (others.filter((one) => one.siteId === siteId).length >= MAX_PER_SITE)
        throw new AccountInputError(
          "filter",
          "too_many_filters",
          `The site has ${MAX_PER_SITE} approved filters; approve a wider filter or revoke one.`,
        );
      draft.mqttApprovals = [...others, approval];
    });
    this.#notify();
    return { ...approval, createdAt: new Date(approval.createdAt) };
  }

  /** Revokes an approval. Throws AccountInputError, StoreError. */
  async revoke(siteId: string, filter: string): Promise<MqttApproval> {
    const found = this.list(siteId).find((one) => one.filter === filter);
    if (found === undefined)
      throw new AccountInputError(
        "filter",
        "unknown_filter",
        `The filter "${filter}" is not approved for the site "${siteId}"; mqtt list shows the approved ones.`,
      );
    await this.#state.update((draft) => {
      draft.mqttApprovals = (draft.mqttApprovals ?? []).filter(
        (one) => one.siteId !== siteId || one.filter !== filter,
      );
    });
    this.#notify();
    return found;
  }

  /** Calls the listener after each change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #stored(): NonNullable<StateView["mqttApprovals"]> {
    return this.#state.data.mqttApprovals ?? [];
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function checkFilter(filter: string): void {
  const levels = filter.split("/");
  const isValid =
    filter !== "" &&
    filter.length <= MAX_FILTER_LENGTH &&
    !filter.startsWith("$") &&
    !filter.includes("\0") &&
    levels.every(
      (level, index) =>
        level === "+" || (level === "#" && index === levels.length - 1) || !/[+#]/.test(level),
    );
  if (!isValid)
    throw new AccountInputError(
      "filter",
      "invalid_filter",
      "The filter must be an MQTT topic, in which + stands for one level and a last # for all levels below.",
    );
}
