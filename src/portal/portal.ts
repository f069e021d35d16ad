import type { IncomingMessage } from "node:http";
import type { Router } from "express";
import { Assets } from "./assets/assets.js";
import type { PortalOptions } from "./options.js";
import { accountPages } from "./pages/account.js";
import { adminPages } from "./pages/admin.js";
import { auditPages } from "./pages/audit.js";
import { confirmPages } from "./pages/confirm.js";
import { keyPages } from "./pages/keys.js";
import { loginPages } from "./pages/login.js";
import { logoutPages } from "./pages/logout.js";
import { planPages } from "./pages/plan.js";
import { recoverPages } from "./pages/recover.js";
import { registerPages } from "./pages/register.js";
import { sitePages } from "./pages/sites.js";
import { webhookPages } from "./pages/webhook.js";
import { RequestContexts } from "./request-context.js";
import { createPageRouter } from "./router.js";
import { Sessions } from "./session.js";

/** The pages of the gateway, for people with a browser. */
export interface Portal {
  /** Takes up the sessions that were kept. */
  start(): Promise<void>;
  /** Resolves when the sessions are on disk. */
  stop(): Promise<void>;
  router: Router;
  /** Whether the browser of a request is signed in now: for answers that last, such as streams of events. */
  isSignedIn(request: IncomingMessage): boolean;
}

/** Makes the portal; its routes are to be mounted at the root. */
export function createPortal(options: PortalOptions): Portal {
  const { clock, documents, log, baseUrl, isHttps, clientAddress, book, sites } = options;
  const wallNowMs = options.wallNowMs ?? Date.now;
  const sessions = new Sessions({
    documents,
    log,
    isAccount: (id) => book.get(id) !== undefined,
    wallNowMs,
  });
  const assets = new Assets(options.assets);
  const visits = new RequestContexts({
    clock,
    sessions,
    account: (id) => book.get(id),
    sitesOf: (accountId) => sites.of(accountId),
    assets,
    credentials: (accountId) => options.security.credentials(accountId),
    audit: options.audit,
    isHttps,
    clientAddress,
  });
  const pages = [
    ...registerPages(options),
    ...confirmPages(options),
    ...loginPages(options),
    ...recoverPages(options),
    ...logoutPages(),
    ...accountPages(options),
    ...auditPages(options),
    ...keyPages(options),
    ...planPages(options),
    ...webhookPages(options),
    ...sitePages(options),
    ...adminPages(options),
    ...(options.pages ?? []),
  ];
  return {
    start: () => sessions.start(),
    stop: () => sessions.stop(),
    router: createPageRouter({
      pages,
      assets,
      visits,
      baseUrl,
      secureUrl: (req) =>
        options.hasTls && !isHttps(req) ? `https://${req.headers.host}${req.originalUrl}` : undefined,
      log,
    }),
    isSignedIn: (request) => visits.isSignedIn(request),
  };
}
