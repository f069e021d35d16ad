import type { IncomingMessage } from "node:http";
import type { Router } from "express";
import { Assets } from "./assets/assets.js";
import type { PortalOptions } from "./options.js";
import { adminPages } from "./pages/admin.js";
import { confirmPages } from "./pages/confirm.js";
import { keyPages } from "./pages/keys.js";
import { loginPages } from "./pages/login.js";
import { logoutPages } from "./pages/logout.js";
import { planPages } from "./pages/plan.js";
import { registerPages } from "./pages/register.js";
import { sitePages } from "./pages/sites.js";
import { webhookPages } from "./pages/webhook.js";
import { RequestContexts } from "./request-context.js";
import { createPageRouter } from "./router.js";
import { Sessions } from "./session.js";

/** The web pages of the gateway. */
export interface Portal {
  /** Loads the saved sessions. */
  start(): Promise<void>;
  /** Resolves when the sessions are on disk. */
  stop(): Promise<void>;
  router: Router;
  /** Whether the browser of a request is signed in now; for long-lived answers such as event streams. */
  isSignedIn(request: IncomingMessage): boolean;
}

/** Creates the portal; mount its router at the root. */
export function createPortal(options: PortalOptions): Portal {
  const { clock, documents, log, baseUrl, trustProxy, clientAddress, book, sites } = options;
  const wallNowMs = options.wallNowMs ?? Date.now;
  const sessions = new Sessions({ documents, log, wallNowMs });
  const assets = new Assets(options.assets);
  const contexts = new RequestContexts({
    clock,
    sessions,
    account: (id) => book.get(id),
    sitesOf: (accountId) => sites.of(accountId),
    assets,
    trustProxy,
    clientAddress,
  });
  const pages = [
    ...registerPages(options),
    ...confirmPages(options),
    ...loginPages(options),
    ...logoutPages(),
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
    router: createPageRouter({ pages, assets, contexts, trustProxy, baseUrl, log }),
    isSignedIn: (request) => contexts.isSignedIn(request),
  };
}
