import type { IncomingMessage, ServerResponse } from "node:http";
import type { VNode } from "preact";
import type { AccountView } from "../accounts/account-repository.js";
import type { Site } from "../config/site.js";
import type { Language } from "../core/language.js";
import type { PortalTexts } from "../texts/index.js";
import type { FormBody } from "./form-body.js";

/** A signed-in browser in the list of sessions. */
export interface SessionView {
  id: string;
  isPresent: boolean;
  createdAt: Date;
  seenAt: Date;
  address: string | undefined;
  agent: string | undefined;
}

/** Operations of a page on the session of its caller. */
export interface SessionHandle {
  /** Creates a session with a new id and invalidates the previous one. Throws StoreError. */
  signIn(accountId: string): Promise<void>;
  /** Ends the session and deletes it on disk. Throws StoreError. */
  signOut(): Promise<void>;
  /** Ends all other sessions of the account. Throws StoreError. */
  endOthers(): Promise<void>;
  /** The sessions of the account. */
  list(): SessionView[];
  /** Ends a session of the account by the id of the list. Throws StoreError. */
  end(id: string): Promise<void>;
  /** What `rememberDevice` stored in this browser. */
  readonly device: string | undefined;
  /** Stores in the browser that it has signed in before. */
  rememberDevice(device: string): void;
  /**
   * Stores a text for the page of the following redirect, such as a new key: in memory only, for ten minutes, and only
   * for signed-in sessions.
   */
  flash(name: FlashName, text: string): void;
  /** Returns and removes a stored text. A HEAD request removes nothing. */
  takeFlash(name: FlashName): string | undefined;
}

/**
 * Every page shows `notice`: what was done; `undo`: what undoes it; `refused`: why nothing was done; `key`: a new API key in plain
 * text. Single pages show `link`: a new controller link; `secret`: a new signing secret; `saved`: of settings; `outcome`: of a test.
 */
export type FlashName = "key" | "link" | "secret" | "notice" | "undo" | "outcome" | "refused" | "saved";

/** The request as seen by a page. */
export interface PageContext {
  method: "GET" | "HEAD" | "POST";
  /** Path of the page without the query; for a form the path of its page. */
  path: string;
  query: URLSearchParams;
  language: Language;
  /** Texts of the layout and the account pages; other pages use further parts of the catalogue. */
  texts: PortalTexts;
  /** The signed-in account. */
  account: AccountView | undefined;
  /** The gateway has several accounts: plans, their prices and quotas are shown. */
  isShared: boolean;
  /** Everybody may register; otherwise only those whom an administrator has invited. */
  isRegistrationOpen: boolean;
  /** The sites of the account. */
  sites: readonly Site[];
  /** The selected site: `site` of the form, else of the query, else the one shown last, else the first. */
  site: Site | undefined;
  session: SessionHandle;
  /** Value of the form field `_csrf`, which the Form component adds. */
  csrfToken: string;
  /** Address under which the browser reached the gateway, such as `http://192.168.1.20:8080`; undefined without a Host header. */
  reachedAt: string | undefined;
  /** Address of the caller, for throttles. */
  address: string;
  /** The gateway stores nothing at present. */
  isStoreDown: boolean;
  /** Time on the gateway's clock. */
  now: Date;
  /** Writes an event to the audit log, with the account and the address of the caller. */
  audit(event: { event: string; account?: string; accountId?: string; site?: string }): void;
  /** URL of one of the portal's own assets, with the hash of its content. Throws RangeError for an unknown name. */
  asset(name: string): string;
}

/** The context of a page that requires a signed-in account. */
export interface SignedInContext extends PageContext {
  account: AccountView;
}

/** Response of a page. */
export type PageReply =
  | { page: VNode; status?: number; headers?: Readonly<Record<string, string>> }
  /** 303 to a path of the portal. */
  | { redirect: string }
  /** The error page of the portal. */
  | { refuse: 403 | 404 | 429; retryAfterSeconds?: number }
  /** Parts of the page by the ids of their elements, written anew by its script, with further data: JSON. */
  | { parts: Readonly<Record<string, VNode>>; data?: object }
  /** Data for programs, or a download. */
  | { document: string | Buffer; type: string; status?: number; headers?: Readonly<Record<string, string>> }
  /** The page writes the response itself, such as a stream of server-sent events. */
  | { stream: (request: IncomingMessage, response: ServerResponse) => void };

interface PageAddress {
  /** A GET page also answers HEAD. */
  method: "GET" | "POST";
  path: string;
  /** Event in the audit log for a successful form. */
  event?: string;
  /** Page that the form of another path belongs to: a refused form is shown as that page, and GET redirects to it. */
  of?: string;
  /** The form may have files (multipart/form-data). Its body is only read for signed-in accounts. */
  takesFiles?: true;
}

/** A path of the portal and the required access. */
export type Page = PageAddress &
  (
    | { access: "public"; handle(context: PageContext, form: FormBody): PageReply | Promise<PageReply> }
    | {
        access: "account" | "administrator";
        handle(context: SignedInContext, form: FormBody): PageReply | Promise<PageReply>;
      }
  );
