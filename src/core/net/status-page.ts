import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Language } from "../language.js";

export interface StatusPage {
  status: number;
  /** Seconds after which the request can be repeated; a page then reloads itself. */
  retryAfterSeconds?: number;
  /** Title and sentence of the page; not from a request. */
  textsOf(language: Language): { title: string; text: string };
  /** The answer to programs. */
  plain: { type: string; body: string };
}

/** Answers a browser with a small page in its language, and programs with `plain`. */
export function answerStatusPage(req: IncomingMessage, res: ServerResponse, page: StatusPage): void {
  const { status, retryAfterSeconds, plain } = page;
  const wantsPage = /\btext\/html\b/.test(req.headers.accept ?? "");
  const body = wantsPage ? pageOf(page, languageOf(req.headers["accept-language"])) : plain.body;
  // Unread request bodies are discarded: the connection ends with the answer.
  const isRead = req.method === "GET" || req.method === "HEAD";
  res.writeHead(status, {
    "Content-Type": `${wantsPage ? "text/html" : plain.type}; charset=utf-8`,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": randomUUID(),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...(isRead ? {} : { Connection: "close" }),
  });
  res.end(req.method === "HEAD" ? undefined : body);
}

function pageOf({ retryAfterSeconds, textsOf }: StatusPage, language: Language): string {
  const { title, text } = textsOf(language);
  const reload =
    retryAfterSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${retryAfterSeconds}">`;
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width">${reload}</head><body><h1>${title}</h1><p>${text}</p></body></html>\n`;
}

/** German or English by the browser's preference; German where it has none, as in the portal. */
function languageOf(header: string | undefined): Language {
  const wishes = (header ?? "")
    .split(",")
    .map((wish) => {
      const [tag = "", ...parameters] = wish.trim().toLowerCase().split(";");
      const weight = parameters.find((parameter) => parameter.trim().startsWith("q="));
      return { language: tag.split("-")[0], weight: weight === undefined ? 1 : Number(weight.split("=")[1]) };
    })
    .filter(({ language, weight }) => (language === "de" || language === "en") && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return wishes[0]?.language === "en" ? "en" : "de";
}
