import type { IncomingMessage, ServerResponse } from "node:http";
import type { VNode } from "preact";
import type { AccountView } from "../accounts/account-repository.js";
import type { Site } from "../accounts/sites.js";
import type { Language } from "../language.js";
import type { PortalTexts } from "../texts/index.js";
import type { FormBody } from "./form-body.js";

/** A signed-in browser, as the list of sessions shows it. */
export interface SessionView {
  id: string;
  isPresent: boolean;
  createdAt: Date;
  seenAt: Date;
  address: string | undefined;
  agent: string | undefined;
}

/** What a page can do with the session of its caller. */
export interface SessionHandle {
  /** Makes a session with a new id; what the browser held before is worthless from then on. Throws StoreError. */
  signIn(accountId: string): Promise<void>;
  /** Ends the session, on disk too. Throws StoreError. */
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
   * Leaves a text for the page that the answer redirects to, such as a new key. It is held in memory only, for ten
   * minutes; nothing is kept where nobody is signed in.
   */
  flash(name: FlashName, text: string): void;
  /** Takes a text that was left; it is gone afterwards. A HEAD request takes nothing. */
  takeFlash(name: FlashName): string | undefined;
}

/** `key`: a new API key in plain text. `link`: a new controller link. `notice`: name of a notice. `outcome`: of a test. */
export type FlashName = "key" | "link" | "notice" | "outcome";

/** What a page knows of the request that it answers. */
export interface PageContext {
  method: "GET" | "HEAD" | "POST";
  /** Path of the page, without the query; for the form of a page the path of that page. */
  path: string;
  query: URLSearchParams;
  language: Language;
  /** Texts of the frame and the account pages; other parts of the portal keep catalogues of their own by language. */
  texts: PortalTexts;
  /** Who is signed in. */
  account: AccountView | undefined;
  /** The sites of the account. */
  sites: readonly Site[];
  /** The one that the page is about: the form's `site`, else the query's, else the one looked at last, else the first. */
  site: Site | undefined;
  session: SessionHandle;
  /** What a form must send back as `_csrf`; the Form component puts it in. */
  csrfToken: string;
  /** Address of the caller, for throttles. */
  address: string;
  /** Time on the gateway's clock. */
  now: Date;
  /** Writes an event to the audit log, with the account and the address of the caller. */
  audit(event: { event: string; account?: string; accountId?: string; site?: string }): void;
  /** URL of one of the portal's own assets, with the hash of its content. Throws RangeError for an unknown name. */
  asset(name: string): string;
}

/** The context of a page that only signed-in people see. */
export interface SignedInContext extends PageContext {
  account: AccountView;
}

/** What a page answers. */
export type PageReply =
  | { page: VNode; status?: number; headers?: Readonly<Record<string, string>> }
  /** 303 to a path of the portal. */
  | { redirect: string }
  /** The portal's own page for a refusal. */
  | { refuse: 403 | 404 | 429; retryAfterSeconds?: number }
  /** A document that is no page: data for the page's script, a download. */
  | { document: string | Buffer; type: string; headers?: Readonly<Record<string, string>> }
  /** The page writes the answer by itself, such as a stream of server-sent events. */
  | { stream: (request: IncomingMessage, response: ServerResponse) => void };

interface PageAddress {
  /** A GET page answers HEAD too. */
  method: "GET" | "POST";
  path: string;
  /** Event of the audit log that a successful form is. */
  event?: string;
  /** The page that a form of another path belongs to; a refused form is shown as that page, and a GET leads there. */
  of?: string;
}

/** One address of the portal, and who may see it. */
export type Page = PageAddress &
  (
    | { access: "public"; handle(context: PageContext, form: FormBody): PageReply | Promise<PageReply> }
    | {
        access: "account" | "administrator";
        handle(context: SignedInContext, form: FormBody): PageReply | Promise<PageReply>;
      }
  );
