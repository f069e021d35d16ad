import type { IncomingMessage, ServerResponse } from "node:http";
import type { VNode } from "preact";
import type { AccountView } from "../accounts/account-repository.js";
import type { Site } from "../accounts/sites.js";
import type { Language } from "../language.js";
import type { PortalTexts } from "../texts/index.js";
import type { FormBody } from "./form-body.js";

/** The session of the caller, as pages use it. */
export interface SessionHandle {
  /** Creates a session with a new id and invalidates the previous one. Throws StoreError. */
  signIn(accountId: string): Promise<void>;
  /** Ends the session, on disk too. Throws StoreError. */
  signOut(): Promise<void>;
  /** Ends all other sessions of the account. Throws StoreError. */
  endOthers(): Promise<void>;
  /**
   * Stores a text for the page that the answer redirects to, such as a new key; in memory only, for ten
   * minutes, and only while somebody is signed in.
   */
  flash(name: FlashName, text: string): void;
  /** Returns and removes a stored text. A HEAD request removes nothing. */
  takeFlash(name: FlashName): string | undefined;
}

/** `key`: a new API key in plain text. `link`: a new controller link. `notice`: name of a notice. `outcome`: of a test. */
export type FlashName = "key" | "link" | "notice" | "outcome";

/** The request that a page answers. */
export interface PageContext {
  method: "GET" | "HEAD" | "POST";
  /** Path of the page without the query; for a form the path of its page. */
  path: string;
  query: URLSearchParams;
  language: Language;
  /** Texts of the portal's own pages; other areas of the catalogue are found by `language`. */
  texts: PortalTexts;
  /** The signed-in account. */
  account: AccountView | undefined;
  /** The sites of the account. */
  sites: readonly Site[];
  /** The selected site: the form's `site`, else the query's, else the last one, else the first. */
  site: Site | undefined;
  session: SessionHandle;
  /** The `_csrf` value of every form; the Form component adds it. */
  csrfToken: string;
  /** Address of the caller, for throttles. */
  address: string;
  /** Time on the gateway's clock. */
  now: Date;
  /** URL of one of the portal's own assets, with the hash of its content. Throws RangeError for an unknown name. */
  asset(name: string): string;
}

/** The context of a page for signed-in users. */
export interface SignedInContext extends PageContext {
  account: AccountView;
}

/** The answer of a page. */
export type PageReply =
  | { page: VNode; status?: number; headers?: Readonly<Record<string, string>> }
  /** 303 to a path of the portal. */
  | { redirect: string }
  /** The error page of the portal. */
  | { refuse: 403 | 404 | 429; retryAfterSeconds?: number }
  /** Not a page: data for a script, or a download. */
  | { document: string | Buffer; type: string; headers?: Readonly<Record<string, string>> }
  /** The page writes the answer itself, for example server-sent events. */
  | { stream: (request: IncomingMessage, response: ServerResponse) => void };

interface PageAddress {
  /** A GET page answers HEAD too. */
  method: "GET" | "POST";
  path: string;
  /** The page that the form of this path belongs to; a rejected form is shown there, and a GET redirects to it. */
  of?: string;
}

/** One path of the portal and who may access it. */
export type Page = PageAddress &
  (
    | { access: "public"; handle(context: PageContext, form: FormBody): PageReply | Promise<PageReply> }
    | {
        access: "account" | "administrator";
        handle(context: SignedInContext, form: FormBody): PageReply | Promise<PageReply>;
      }
  );
