import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import type { AccountView } from "../accounts/account-repository.js";
import type { Language } from "../core/language.js";
import { textsOf } from "../texts/index.js";
import type { Assets } from "./assets/assets.js";
import type { PageContext, SessionHandle } from "./context.js";
import { readCookies, setCookie } from "./cookies.js";
import { FormBody } from "./form-body.js";
import type { PortalOptions } from "./options.js";
import {
  csrfTokenOf,
  isCsrfToken,
  isSessionId,
  newSessionId,
  SESSION_COOKIE,
  SESSION_COOKIE_SECONDS,
  type Session,
  type Sessions,
} from "./session.js";

/** Cookie of a browser that has signed in before. */
const DEVICE_COOKIE = "hourgate_device";
/** Characters of a session's hash that identify it in the list, and of a browser's name that are kept. */
const SHOWN_ID = 16;
const LONGEST_AGENT = 200;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

type RequestContextOptions = Pick<
  PortalOptions,
  "audit" | "book" | "clock" | "components" | "isRegistrationOpen" | "log" | "proxies" | "security" | "sites"
> & { sessions: Sessions; assets: Assets };

/** Makes of a request what pages know of it: who asks, in which language, about which site. */
export class RequestContexts {
  readonly #options: RequestContextOptions;

  constructor(options: RequestContextOptions) {
    this.#options = options;
  }

  isSignedIn(req: IncomingMessage): boolean {
    return this.#whoAsks(req) !== undefined;
  }

  /** The account that sends a form, and the check of the form's token; undefined if nobody is signed in. */
  senderOf(req: Request): { owner: string; isOwnForm(token: string): boolean } | undefined {
    const who = this.#whoAsks(req);
    return who && { owner: who.account.id, isOwnForm: (token) => this.isOwnForm(req, token) };
  }

  /** Whether a form carries the token of the browser that sends it. */
  isOwnForm(req: Request, token: string): boolean {
    const id = this.#cookieId(req);
    return id !== undefined && isCsrfToken(token, id);
  }

  /** What a page at `path` is to know. Gives the browser an id where it has none yet, and keeps what it chose. */
  read(req: Request, res: Response, path: string, form = new FormBody()): PageContext {
    const { assets, audit, book, clock, components, proxies } = this.#options;
    const query = queryOf(req);
    const language = this.#language(req, res, query.get("lang"));
    const id = this.#cookieId(req) ?? this.#newVisitor(req, res);
    const who = this.#whoAsks(req);
    if (who !== undefined && known(query.get("lang")) !== undefined)
      this.#keepLanguage(who.account.id, language, { isChoice: true });
    const sites = who === undefined ? [] : this.#options.sites.of(who.account.id);
    const asked = askedSite(query, form);
    const site = sites.find((one) => one.id === (asked ?? who?.session.siteId)) ?? sites[0];
    if (who !== undefined && site !== undefined && site.id === query.get("site"))
      this.#options.sessions.choose(who.session, site.id);
    return {
      method: req.method === "POST" || req.method === "HEAD" ? req.method : "GET",
      path,
      query,
      language,
      texts: textsOf(language).portal,
      account: who?.account,
      isShared: book.count > 1,
      isRegistrationOpen: this.#options.isRegistrationOpen?.() ?? true,
      sites,
      site,
      session: this.#handle(req, res, { session: who?.session, language }),
      csrfToken: csrfTokenOf(id),
      reachedAt: this.#reachedAt(req),
      address: proxies.clientAddress(req),
      audit: ({ event, account = who?.account.email, accountId, site: of }) => {
        const email = accountId === undefined ? account : book.get(accountId)?.email;
        audit.record({
          event,
          ...(email !== undefined && { account: email }),
          from: proxies.clientAddress(req),
          ...(of !== undefined && { site: of }),
        });
      },
      isStoreDown: components.list().some(({ name, state }) => name === "store" && state === "down"),
      now: clock.now(),
      asset: (name) => assets.url(name),
    };
  }

  /** Stores the language in which the user of an account reads the portal. */
  #keepLanguage(accountId: string, language: Language, how: { isChoice: boolean }): void {
    this.#options.book.keepLanguage(accountId, language, how).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, "The language of an account could not be stored.");
    });
  }

  #reachedAt(req: Request): string | undefined {
    const { proxies } = this.#options;
    // Other devices do not get through a proxy that serves the portal below a path.
    if (proxies.basePath(req) !== "") return undefined;
    const url = `${proxies.isHttps(req) ? "https" : "http"}://${req.headers.host}`;
    return req.headers.host !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
  }

  #whoAsks(req: IncomingMessage): { session: Session; account: AccountView } | undefined {
    const { book, security, sessions } = this.#options;
    const session = sessions.find(this.#cookieId(req));
    const account = session && book.get(session.accountId);
    if (session === undefined || account === undefined) return undefined;
    const credentials = security.credentials(account.id);
    // Sessions of versions before 0.2 have no fingerprint yet.
    session.credentials ??= credentials;
    return session.credentials === credentials ? { session, account } : undefined;
  }

  #cookieId(req: IncomingMessage): string | undefined {
    const id = readCookies(req).get(this.#cookieName(req, SESSION_COOKIE));
    return isSessionId(id) ? id : undefined;
  }

  /**
   * Under HTTPS the prefix makes browsers refuse such a cookie from plain HTTP and, unless it is for a path only, from other
   * hosts (RFC 6265bis).
   */
  #cookieName(req: IncomingMessage, name: string): string {
    const { proxies } = this.#options;
    if (!proxies.isHttps(req)) return name;
    return proxies.basePath(req) === "" ? `__Host-${name}` : `__Secure-${name}`;
  }

  #setCookie(req: Request, res: Response, cookie: { name: string; value: string; maxAgeSeconds?: number }) {
    const { proxies } = this.#options;
    setCookie(res, { ...cookie, path: proxies.basePath(req) || "/", secure: proxies.isHttps(req) });
  }

  #language(req: Request, res: Response, asked: string | null) {
    const language = requestLanguage(req, asked, readCookies(req).get(LANGUAGE_COOKIE));
    if (known(asked) !== undefined) {
      const value = choiceOf(req, language);
      this.#setCookie(req, res, { name: LANGUAGE_COOKIE, value, maxAgeSeconds: YEAR_SECONDS });
    }
    return language;
  }

  /** An id before the sign-in, to which the tokens of the forms are bound; it opens nothing. */
  #newVisitor(req: Request, res: Response): string {
    const value = newSessionId();
    this.#setCookie(req, res, { name: this.#cookieName(req, SESSION_COOKIE), value });
    return value;
  }

  #handle(
    req: Request,
    res: Response,
    { session, language }: { session: Session | undefined; language: Language },
  ): SessionHandle {
    const { sessions, proxies, security } = this.#options;
    let current = session;
    return {
      signIn: async (accountId) => {
        const before = current;
        const agent = req.get("user-agent")?.slice(0, LONGEST_AGENT);
        const value = await sessions.create(accountId, {
          credentials: security.credentials(accountId),
          address: proxies.clientAddress(req),
          ...(agent !== undefined && { agent }),
        });
        current = sessions.find(value);
        this.#setCookie(req, res, {
          name: this.#cookieName(req, SESSION_COOKIE),
          value,
          maxAgeSeconds: SESSION_COOKIE_SECONDS,
        });
        if (before !== undefined) await sessions.end(before);
        this.#keepLanguage(accountId, language, { isChoice: false });
      },
      signOut: async () => {
        if (current !== undefined) await sessions.end(current);
        current = undefined;
        this.#newVisitor(req, res);
      },
      endOthers: async () => {
        if (current !== undefined) await sessions.endOthers(current);
      },
      list: () =>
        (current === undefined ? [] : sessions.list(current.accountId)).map((one) => ({
          id: one.idHash.slice(0, SHOWN_ID),
          isPresent: one.idHash === current?.idHash,
          createdAt: new Date(one.createdMs),
          seenAt: new Date(one.seenMs),
          address: one.address,
          agent: one.agent,
        })),
      end: async (shown) => {
        const own = current === undefined ? [] : sessions.list(current.accountId);
        const session = own.find(({ idHash }) => idHash.slice(0, SHOWN_ID) === shown);
        if (session !== undefined) await sessions.end(session);
      },
      device: readCookies(req).get(this.#cookieName(req, DEVICE_COOKIE)),
      rememberDevice: (value) =>
        this.#setCookie(req, res, {
          name: this.#cookieName(req, DEVICE_COOKIE),
          value,
          maxAgeSeconds: YEAR_SECONDS,
        }),
      flash: (name, text) => {
        if (current !== undefined) sessions.putFlash(current, name, text);
      },
      takeFlash: (name) =>
        current === undefined || req.method === "HEAD" ? undefined : sessions.takeFlash(current, name),
    };
  }
}

/** The site that a form or an address names; undefined where none is named. */
export function askedSite(query: URLSearchParams, form: FormBody): string | undefined {
  return form.has("site") ? form.text("site") : (query.get("site") ?? undefined);
}

/** Taken off the address as it came: whatever stands before it, the query can be read. */
function queryOf({ originalUrl }: Request): URLSearchParams {
  const at = originalUrl.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : originalUrl.slice(at));
}

/** In order of preference for browsers without a preference. */
const LANGUAGES = ["de", "en"] as const;

const LANGUAGE_COOKIE = "hourgate_language";

/** The language of the page: `?lang=`, else the earlier choice, else that of the browser, else German. */
function requestLanguage(req: Request, requested: string | null, chosen: string | undefined): Language {
  const [tag = "", acceptedThen] = (chosen ?? "").split(".");
  const stillChosen = acceptedThen === acceptHash(req) ? known(tag) : undefined;
  return known(requested) ?? stillChosen ?? known(req.acceptsLanguages(...LANGUAGES)) ?? "de";
}

/**
 * The cookie value of a choice. It overrides the language of the browser until the browser settings change, which is a
 * newer choice.
 */
function choiceOf(req: Request, language: Language): string {
  return `${language}.${acceptHash(req)}`;
}

/** A short hash of Accept-Language that is valid in a cookie. */
function acceptHash(req: Request): string {
  return createHash("sha256")
    .update(req.get("accept-language") ?? "")
    .digest("base64url")
    .slice(0, 8);
}

/** A language by its tag, such as `de` or `de-AT`; undefined without texts in that language. */
function known(tag: string | null | undefined | false): Language | undefined {
  const language = (tag || "").toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((one) => one === language);
}
