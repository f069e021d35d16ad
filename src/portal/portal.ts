import type { IncomingMessage } from "node:http";
import type { Router } from "express";
import type { TemporaryFiles } from "../store/temporary-files.js";
import { Assets } from "./assets/assets.js";
import type { Page } from "./context.js";
import { helpPages } from "./help/pages.js";
import type { PortalOptions } from "./options.js";
import { accountPages } from "./pages/account.js";
import { adminPages } from "./pages/admin.js";
import { auditPages } from "./pages/audit.js";
import { componentPages } from "./pages/components.js";
import { confirmPages } from "./pages/confirm.js";
import { keyPages } from "./pages/keys.js";
import { type LoginOptions, loginPages, logoutPages } from "./pages/login.js";
import { listPages } from "./pages/more.js";
import { offlinePages } from "./pages/offline.js";
import { planPages } from "./pages/plan.js";
import { recoverPages } from "./pages/recover.js";
import { registerPages } from "./pages/register.js";
import { sitePages } from "./pages/sites.js";
import { webhookPages } from "./pages/webhook.js";
import { RequestContexts } from "./request-context.js";
import { createPageRouter } from "./router.js";
import { Sessions } from "./session.js";
import { UploadReader } from "./upload.js";

/** The web pages of the gateway; `router` is mounted at the root. */
export class Portal {
  readonly router: Router;
  readonly pages: readonly Page[];
  readonly #sessions: Sessions;
  readonly #contexts: RequestContexts;
  readonly #uploads: TemporaryFiles;

  constructor(options: PortalOptions) {
    const { documents, log, baseUrl, proxies, book } = options;
    this.#sessions = new Sessions({
      documents,
      log,
      isAccount: (id) => book.get(id) !== undefined,
      wallNowMs: options.wallNowMs ?? Date.now,
    });
    this.#uploads = options.uploads;
    const assets = new Assets(options.assets);
    this.#contexts = new RequestContexts({ ...options, sessions: this.#sessions, assets });
    this.pages = pagesOf({ ...options, isUnused: () => book.count === 1 && this.#sessions.isUnused });
    this.router = createPageRouter({
      pages: this.pages,
      assets,
      contexts: this.#contexts,
      baseUrl,
      proxies,
      uploads: new UploadReader({ files: options.uploads }),
      // Below a path the proxy decides whether its clients use HTTPS.
      secureUrl: (req) =>
        options.hasTls && !proxies.isHttps(req) && proxies.basePath(req) === ""
          ? `https://${req.headers.host}${req.originalUrl}`
          : undefined,
      log,
    });
  }

  /** Loads the stored sessions. */
  async start(): Promise<void> {
    await this.#uploads.start();
    await this.#sessions.start();
  }

  /** Resolves when the sessions are on disk. */
  async stop(): Promise<void> {
    await this.#sessions.stop();
    await this.#uploads.stop();
  }

  /** Whether the browser of a request is signed in at this moment; also for long responses such as event streams. */
  isSignedIn(request: IncomingMessage): boolean {
    return this.#contexts.isSignedIn(request);
  }
}

function pagesOf(options: PortalOptions & LoginOptions): Page[] {
  return [
    ...registerPages(options),
    ...confirmPages(options),
    ...loginPages(options),
    ...recoverPages(options),
    ...logoutPages(),
    ...listPages(),
    ...offlinePages(),
    ...componentPages(),
    ...accountPages(options),
    ...auditPages(options),
    ...keyPages(options),
    ...planPages(options),
    ...webhookPages(options),
    ...sitePages(options),
    ...adminPages(options),
    ...helpPages(),
    ...(options.pages ?? []),
  ];
}
