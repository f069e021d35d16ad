import { createHash } from "node:crypto";
import type { Request } from "express";
import type { Language } from "../language.js";

/** In order of preference for browsers without a preference. */
const LANGUAGES = ["de", "en"] as const;

export const LANGUAGE_COOKIE = "hourgate_language";

/** The language of the page: `?lang=`, else the earlier choice, else that of the browser, else German. */
export function requestLanguage(
  req: Request,
  requested: string | null,
  chosen: string | undefined,
): Language {
  const [tag = "", acceptedThen] = (chosen ?? "").split(".");
  const stillChosen = acceptedThen === acceptHash(req) ? known(tag) : undefined;
  return known(requested) ?? stillChosen ?? known(req.acceptsLanguages(...LANGUAGES)) ?? "de";
}

/**
 * The cookie value of a choice. It overrides the language of the browser until the browser settings change, which is a
 * newer choice.
 */
export function choiceOf(req: Request, language: Language): string {
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
export function known(tag: string | null | undefined | false): Language | undefined {
  const language = (tag || "").toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((one) => one === language);
}
