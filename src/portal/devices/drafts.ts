import { randomBytes } from "node:crypto";
import type { DeviceSettings } from "../../config/settings.js";
import type { Facts } from "../../equipment/reading/facts-settings.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { pagesOfSite, type SiteContext } from "../page.js";
import { ADD_PATH, DEVICES_PATH } from "./labels.js";

/** What a device is read for: roles without the number of a slot. */
export interface ChosenReads {
  reads: readonly string[];
  isFallback: boolean;
}

/** A device that is looked at before it is saved. */
export interface DeviceDraft {
  accountId: string;
  siteId: string;
  settings: DeviceSettings;
  /** It takes the place of the device with this id; undefined: it is new. */
  replaces: string | undefined;
  /** The page that follows. */
  back: string;
  /** The flexible device that it is: the number of a slot, or the kind of a new one. */
  slot?: string | undefined;
  /** What it is read for, and whether only as a fallback; undefined: what nothing else gives. */
  chosen?: ChosenReads | undefined;
  /** What the device said last: roles that it does not have, and its facts. */
  absent?: readonly string[];
  facts?: Facts;
}

const LIFETIME_MS = 30 * 60_000;
/** Of one account: those of others stay. */
const MOST = 20;

/** Devices between their form and the confirmation: their passwords are in no page. */
export class DeviceDrafts {
  readonly #drafts = new Map<string, { draft: DeviceDraft; endsAtMs: number }>();

  /** Keeps a draft; the token is for its address. */
  put(draft: DeviceDraft, token = randomBytes(12).toString("base64url")): string {
    this.#drafts.delete(token);
    this.#drafts.set(token, { draft, endsAtMs: Date.now() + LIFETIME_MS });
    const own: string[] = [];
    for (const [old, kept] of this.#drafts) {
      if (kept.endsAtMs < Date.now()) this.#drafts.delete(old);
      else if (kept.draft.accountId === draft.accountId) own.push(old);
    }
    for (const old of own.slice(0, -MOST)) this.#drafts.delete(old);
    return token;
  }

  /** The draft of an account for a site. */
  get(token: string, of: Pick<DeviceDraft, "accountId" | "siteId">): DeviceDraft | undefined {
    const kept = this.#drafts.get(token);
    if (kept === undefined || kept.endsAtMs < Date.now()) return undefined;
    const { draft } = kept;
    return draft.accountId === of.accountId && draft.siteId === of.siteId ? draft : undefined;
  }

  remove(token: string): void {
    this.#drafts.delete(token);
  }
}

/** A draft with its token and template. */
export interface OpenDraft {
  token: string;
  draft: DeviceDraft;
  template: ActuatorTemplate;
}

/** The page of a draft, and its form; without a draft they lead to the beginning. */
export function draftPages(
  path: string,
  drafts: DeviceDrafts,
  {
    templateOf,
    show,
    send,
  }: {
    templateOf(context: SiteContext, id: string): ActuatorTemplate | undefined;
    show(context: SiteContext, open: OpenDraft): Promise<PageReply>;
    send(context: SiteContext, open: OpenDraft, form: FormBody): PageReply | Promise<PageReply>;
  },
): Page[] {
  const open = (context: SiteContext, token: string): OpenDraft | undefined => {
    const draft = drafts.get(token, { accountId: context.account.id, siteId: context.site.id });
    const template = draft && templateOf(context, draft.settings.template);
    return draft && template && { token, draft, template };
  };
  const expired = ({ session, language }: SiteContext): PageReply => {
    session.flash("refused", textsOf(language).devicePages.add.expired);
    return { redirect: ADD_PATH };
  };
  const page = pagesOfSite({ redirect: DEVICES_PATH });
  return [
    page.get(path, (context) => {
      const of = open(context, context.query.get("draft") ?? "");
      return of === undefined ? expired(context) : show(context, of);
    }),
    page.post(path, { of: ADD_PATH }, (context, _site, form) => {
      const of = open(context, form.text("draft"));
      return of === undefined ? expired(context) : send(context, of, form);
    }),
  ];
}
