import type { Request, Response } from "express";
import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import type { TrustedProxies } from "../core/net/trusted-proxies.js";
import { withoutReversing } from "../core/one-line.js";
import type { PageContext, PageReply } from "./context.js";
import { errorPage, NAMED_STATUS, type Refusal } from "./pages/error-page.js";
import { partVersion } from "./ui/live-part.js";

/** Only scripts and styles of the portal, no other host. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join("; ");

/** Writes what pages reply; behind a proxy with a path of its own all addresses are below that path. */
export class Replies {
  readonly #proxies: Pick<TrustedProxies, "basePath" | "isIngress">;

  constructor(proxies: Pick<TrustedProxies, "basePath" | "isIngress">) {
    this.#proxies = proxies;
  }

  send(req: Request, res: Response, reply: Exclude<PageReply, { refuse: unknown }>): void {
    const basePath = this.#proxies.basePath(req);
    // Home Assistant shows the portal in a frame on its own origin, which is also that of the portal there.
    const ancestors = this.#proxies.isIngress(req) ? "'self'" : "'none'";
    res.setHeader("Content-Security-Policy", `${CONTENT_SECURITY_POLICY}; frame-ancestors ${ancestors}`);
    // With "no-referrer" browsers send the origin "null" with forms of the portal.
    res.setHeader("Referrer-Policy", "same-origin");
    if ("redirect" in reply) {
      res.writeHead(303, { Location: addressBelow(basePath, reply.redirect), "Content-Length": 0 }).end();
    } else if ("stream" in reply) {
      reply.stream(req, res);
    } else if ("document" in reply) {
      write(req, res, { status: 200, ...reply });
    } else if ("parts" in reply) {
      const document = JSON.stringify({
        ...reply.data,
        ...changedParts(reply.parts, basePath, req.query.have),
      });
      write(req, res, { status: 200, type: "application/json; charset=utf-8", document });
    } else {
      const document = htmlBelow(basePath, htmlOf(reply.page));
      write(req, res, { status: 200, ...reply, type: "text/html; charset=utf-8", document });
    }
  }

  refuse(
    req: Request,
    res: Response,
    {
      context,
      refusal,
      retryAfterSeconds,
    }: { context: PageContext; refusal: Refusal; retryAfterSeconds?: number | undefined },
  ): void {
    const headers = {
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
      // The rest of the form is not waited for.
      ...(refusal === "slow" && { Connection: "close" }),
    };
    const status = typeof refusal === "number" ? refusal : NAMED_STATUS[refusal];
    this.send(req, res, { page: errorPage(context, refusal, retryAfterSeconds), status, headers });
  }
}

function write(
  req: Request,
  res: Response,
  {
    status,
    type,
    document,
    headers,
  }: {
    status: number;
    type: string;
    document: string | Buffer;
    headers?: Readonly<Record<string, string>>;
  },
): void {
  const body = typeof document === "string" ? Buffer.from(withoutReversing(document)) : document;
  res.writeHead(status, { "Content-Type": type, "Content-Length": body.length, ...headers });
  res.end(req.method === "HEAD" ? undefined : body);
}

/** The parts of a page that differ from those that it has (`have`: ids with versions, `flow.AbC…,plot.…`), and the versions of these. */
function changedParts(parts: Readonly<Record<string, VNode>>, basePath: string, have: unknown) {
  const known = new Set(typeof have === "string" ? have.split(",") : []);
  const changed = Object.entries(parts).flatMap(([id, part]) => {
    const html = render(part);
    const version = partVersion(html);
    return known.has(`${id}.${version}`) ? [] : [{ id, html: htmlBelow(basePath, html), version }];
  });
  return {
    parts: Object.fromEntries(changed.map(({ id, html }) => [id, html])),
    versions: Object.fromEntries(changed.map(({ id, version }) => [id, version])),
  };
}

function htmlOf(page: VNode): string {
  return `<!DOCTYPE html>\n${render(page)}\n`;
}

/** Attributes of the pages that contain addresses of the portal. */
const ADDRESSES = new Set(["href", "src", "action", "data-url", "data-events", "data-why"]);

/**
 * The HTML of a page or a part of it for a proxy that serves the portal below a path: addresses of the portal begin with
 * that path. A quotation mark only occurs around attributes, because the renderer escapes all others.
 */
export function htmlBelow(basePath: string, html: string): string {
  if (basePath === "") return html;
  return html.replace(/(?<![\w-])([\w-]+)="([^"]*)"/g, (attribute, name: string, value: string) =>
    ADDRESSES.has(name) ? `${name}="${addressBelow(basePath, value)}"` : attribute,
  );
}

/** An address of the portal below the path of a proxy; addresses of others and relative ones stay as they are. */
export function addressBelow(basePath: string, address: string): string {
  return /^\/(?!\/)/.test(address) ? basePath + address : address;
}
