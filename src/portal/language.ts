import { createHash } from "node:crypto";
import type { Request } from "express";
import type { Language } from "../language.js";

/** The order is that of preference where a browser has none. */
const LANGUAGES = ["de", "en"] as const;

export const LANGUAGE_COOKIE = "hourgate_language";

/** The language that was asked for: `?lang=`, else the one chosen before, else the browser's, else German. */
export function requestLanguage(req: Request, asked: string | null, chosen: string | undefined): Language {
  const [tag = "", underWish] = (chosen ?? "").split(".");
  const stillChosen = underWish === wishOf(req) ? known(tag) : undefined;
  return known(asked) ?? stillChosen ?? known(req.acceptsLanguages(...LANGUAGES)) ?? "de";
}

/**
 * A choice as its cookie keeps it. It stands over what the browser wishes only as long as the browser wishes the same:
 * whoever sets another language there later means it.
 */
export function choiceOf(req: Request, language: Language): string {
  return `${language}.${wishOf(req)}`;
}

/** What the browser wishes, short and free of characters that a cookie cannot hold. */
function wishOf(req: Request): string {
  return createHash("sha256")
    .update(req.get("accept-language") ?? "")
    .digest("base64url")
    .slice(0, 8);
}

/** A language by its tag, such as `de` or `de-AT`; undefined for one that there are no texts in. */
export function known(tag: string | null | undefined | false): Language | undefined {
  const language = (tag || "").toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((one) => one === language);
}
