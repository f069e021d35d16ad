import { type NextFunction, type Request, type Response, Router } from "express";
import type { Log } from "../core/log.js";
import type { TrustedProxies } from "../core/net/trusted-proxies.js";
import { WorkError } from "../core/work/work-error.js";
import { StoreError } from "../store/errors.js";
import { ASSET_PATH, type Assets } from "./assets/assets.js";
import type { Page, PageContext, PageReply } from "./context.js";
import { FormBody, readForm } from "./form-body.js";
import { isOwnOrigin } from "./origin.js";
import { isRepeatable, type Refusal, repeatPage } from "./pages/error-page.js";
import { Replies } from "./replies.js";
import { askedSite, type RequestContexts } from "./request-context.js";
import { UPLOAD_TYPE, type UploadReader } from "./upload.js";

/** When to try again while too many passwords are being checked, s. */
const BUSY_SECONDS = 5;

export interface RouterOptions {
  pages: readonly Page[];
  assets: Assets;
  contexts: RequestContexts;
  baseUrl: () => string;
  proxies: Pick<TrustedProxies, "basePath" | "isIngress">;
  /** The HTTPS address of a request without TLS, if the gateway has TLS. */
  secureUrl: (req: Request) => string | undefined;
  /** Receives forms with files. */
  uploads: UploadReader;
  log: Pick<Log, "error">;
}

/** The routes of the portal: finds the page, reads the form, checks the permission and writes the response. */
export function createPageRouter(options: RouterOptions): Router {
  const { contexts, assets } = options;
  const pages = new Map(options.pages.map((page) => [`${page.method} ${page.path}`, page]));
  const paths = new Set(options.pages.map(({ path }) => path));
  const areas = new Set([...paths, ASSET_PATH].map(areaOf));
  const replies = new Replies(options.proxies);

  const answer = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const path = req.path.replace(/(?<=.)\/$/, "");
    const secure = options.secureUrl(req);
    if (secure !== undefined && (path === "/" ? wantsPage(req) : areas.has(areaOf(path)))) {
      // 307 would repeat the form, with a password that was already sent in clear text.
      replies.send(req, res, { redirect: secure });
      return;
    }
    const isRead = req.method === "GET" || req.method === "HEAD";
    // Programs get the document of the root path; it is served after these routes.
    if (path === "/" && isRead && wantsPage(req)) {
      replies.send(req, res, { redirect: contexts.isSignedIn(req) ? "/dashboard" : "/login" });
      return;
    }
    if (isRead && path.startsWith(ASSET_PATH)) {
      const head = req.method === "HEAD";
      const [ifNoneMatch, acceptEncoding] = [req.get("if-none-match"), req.get("accept-encoding")];
      if (assets.serve(path, { ifNoneMatch, acceptEncoding, head }, res)) return;
    }
    if (!paths.has(path)) {
      // The last route for browsers; programs get the JSON document of the server.
      if (isRead && !FOR_PROGRAMS.test(path) && wantsPage(req))
        replies.refuse(req, res, { context: contexts.read(req, res, path), refusal: 404 });
      else next();
      return;
    }
    const page = pages.get(`${isRead ? "GET" : req.method} ${path}`);
    if (page === undefined) {
      const of = isRead ? pages.get(`POST ${path}`)?.of : undefined;
      if (of !== undefined) return replies.send(req, res, { redirect: of });
      res.setHeader("Allow", methodsOf(pages, path));
      if (req.method === "OPTIONS") res.writeHead(204).end();
      else replies.refuse(req, res, { context: contexts.read(req, res, path), refusal: 405 });
      return;
    }
    await serve(page, req, res, { ...options, replies });
  };
  return Router().use(answer);
}

async function serve(
  page: Page,
  req: Request,
  res: Response,
  options: RouterOptions & { replies: Replies },
): Promise<void> {
  const { contexts, baseUrl, log, uploads, replies } = options;
  const shown = page.of ?? page.path;
  const refused = (refusal: Refusal, retryAfterSeconds?: number) =>
    replies.refuse(req, res, { context: contexts.read(req, res, shown), refusal, retryAfterSeconds });
  let received: FormBody | undefined;
  try {
    const isOwn = isOwnOrigin(req, { baseUrl: baseUrl() });
    const isUpload = page.takesFiles === true && isMultipart(req);
    // Large bodies are only received from accounts.
    const sender = isUpload && isOwn ? contexts.senderOf(req) : undefined;
    if (isUpload && sender === undefined) {
      req.resume();
      return isOwn ? replies.send(req, res, { redirect: signInPath(shown) }) : refused(403);
    }
    const form =
      page.method === "GET"
        ? new FormBody()
        : await (sender === undefined ? readForm(req, res) : uploads.read(req, sender));
    if (!(form instanceof FormBody)) return refused(form.refuse);
    received = form;
    const isOwnForm = page.method !== "POST" || (isOwn && contexts.isOwnForm(req, form.raw("_csrf")));
    const mayRepeat = isFromOwnPage(req, isOwn) && page.access !== "public" && isRepeatable(form);
    if (!isOwnForm && !mayRepeat) return refused(403);
    const context = contexts.read(req, res, shown, form);
    if (mayRepeat && (!isOwnForm || context.account === undefined))
      return replies.send(req, res, { page: repeatPage(context, page.path, form), status: 403 });
    const reply = await replyOf(page, context, form);
    if (page.event !== undefined && isDone(reply))
      context.audit({ event: page.event, ...(context.site !== undefined && { site: context.site.id }) });
    if ("refuse" in reply) refused(reply.refuse, reply.retryAfterSeconds);
    else replies.send(req, res, reply);
  } catch (error) {
    if (error instanceof WorkError && error.fault === "busy") return refused(429, BUSY_SECONDS);
    log.error({ err: error, method: req.method, path: page.path }, "A page failed.");
    if (res.headersSent) res.destroy();
    else refused(error instanceof StoreError ? 503 : 500);
  } finally {
    if (received !== undefined) await uploads.discard(received);
  }
}

/** Whether the browser says that a page of the portal has sent the form; without that a form is not shown to be sent again. */
function isFromOwnPage(req: Request, isOwn: boolean): boolean {
  return isOwn && (req.headers.origin ?? req.headers["sec-fetch-site"]) !== undefined;
}

/** The first part of a path: below it all addresses are the portal's, whether or not the page exists. */
function areaOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function signInPath(next: string): string {
  return `/login?${new URLSearchParams({ next })}`;
}

function isMultipart(req: Request): boolean {
  return (req.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() === UPLOAD_TYPE;
}

/** Whether a form was successful: the reply is a redirect, a document or a page without errors. */
function isDone(reply: PageReply | { refuse: unknown }): boolean {
  return !("refuse" in reply) && !("page" in reply && (reply.status ?? 200) >= 400);
}

/** Longest query that is kept across the sign-in, characters. */
const LONGEST_QUERY = 1000;

/** The reply of the page if the caller may see it, otherwise the sign-in or a refusal. */
function replyOf(
  page: Page,
  context: PageContext,
  form: FormBody,
): PageReply | Promise<PageReply> | { refuse: "forbidden"; retryAfterSeconds?: number } {
  if (page.access === "public") return page.handle(context, form);
  const { account } = context;
  if (account === undefined) {
    const query = page.method === "GET" && context.query.size > 0 ? `?${context.query}` : "";
    // A longer query could exceed the size limit of a header; only the path is kept.
    const asked = query.length > LONGEST_QUERY ? "" : query;
    return { redirect: signInPath(context.path + asked) };
  }
  if (page.access === "administrator" && !account.administrator) return { refuse: "forbidden" };
  // The site belongs to another account or was removed meanwhile: the form must not be applied to another site.
  const asked = askedSite(context.query, form);
  if (asked !== undefined && asked !== context.site?.id) return { refuse: 404 };
  return page.handle({ ...context, account }, form);
}

/** Below these paths unknown ones are answered with JSON, whatever a program accepts. */
const FOR_PROGRAMS = /^\/+(v1|health|c)(\/|$)/i;

/** Browsers accept HTML explicitly; programs accept JSON or anything. */
function wantsPage(req: Request): boolean {
  return (req.headers.accept ?? "").includes("text/html");
}

function methodsOf(pages: ReadonlyMap<string, Page>, path: string): string {
  const read = pages.has(`GET ${path}`) ? ["GET", "HEAD"] : [];
  const written = pages.has(`POST ${path}`) ? ["POST"] : [];
  return [...read, ...written, "OPTIONS"].join(", ");
}
