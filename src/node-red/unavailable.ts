import type { IncomingMessage, ServerResponse } from "node:http";
import type { Language } from "../language.js";
import { textsOf } from "../texts/index.js";

const RETRY_AFTER_SECONDS = 5;

/** Answers 503 in the language of the browser; to programs in one line of English. */
export function answerUnavailable(req: IncomingMessage, res: ServerResponse): void {
  const language = languageOf(req.headers["accept-language"]);
  const wantsPage = /\btext\/html\b/.test(req.headers.accept ?? "");
  const { title, text } = textsOf(wantsPage ? language : "en").nodeRed.unavailable;
  const body = wantsPage
    ? `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}"></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`
    : `${title}; try again in ${RETRY_AFTER_SECONDS} s.\n`;
  // Unread request bodies are discarded: the connection ends with the answer.
  const isRead = req.method === "GET" || req.method === "HEAD";
  res.writeHead(503, {
    "Content-Type": `text/${wantsPage ? "html" : "plain"}; charset=utf-8`,
    "Content-Length": Buffer.byteLength(body),
    "Retry-After": String(RETRY_AFTER_SECONDS),
    ...(isRead ? {} : { Connection: "close" }),
  });
  res.end(req.method === "HEAD" ? undefined : body);
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
