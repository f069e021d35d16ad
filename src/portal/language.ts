import { createHash } from "node:crypto";
import type { Request } from "express";
import type { Language } from "../language.js";

/** In order of preference for browsers without one. */
const LANGUAGES = ["de", "en"] as const;

export const LANGUAGE_COOKIE = "hourgate_language";

/** The language of `?lang=`, else the one chosen before, else that of the browser, else German. */
export function requestLanguage(req: Request, asked: string | null, chosen: string | undefined): Language {
  const [tag = "", underWish] = (chosen ?? "").split(".");
  const stillChosen = underWish === wishOf(req) ? known(tag) : undefined;
  return known(asked) ?? stillChosen ?? known(req.acceptsLanguages(...LANGUAGES)) ?? "de";
}

/**
 * The value of the language cookie. The choice is valid while the browser sends the same preference: a new language
 * preference overrides it.
 */
export function choiceOf(req: Request, language: Language): string {
  return `${language}.${wishOf(req)}`;
}

/** Hash of the browser's language preference, in characters that are valid in a cookie. */
function wishOf(req: Request): string {
  return createHash("sha256")
    .update(req.get("accept-language") ?? "")
    .digest("base64url")
    .slice(0, 8);
}

/** A language by its tag, such as `de` or `de-AT`; undefined for an unsupported one. */
export function known(tag: string | null | undefined | false): Language | undefined {
  const language = (tag || "").toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((one) => one === language);
}
