import type { Request } from "express";

export type Language = "de" | "en";

/** The order is that of preference where a browser has none. */
const LANGUAGES = ["de", "en"] as const;

export const LANGUAGE_COOKIE = "hourgate_language";

/** The language that was asked for: `?lang=`, else the one chosen before, else the browser's, else German. */
export function languageOf(req: Request, asked: string | null, chosen: string | undefined): Language {
  return known(asked) ?? known(chosen) ?? known(req.acceptsLanguages(...LANGUAGES)) ?? "de";
}

/** A language by its tag, such as `de` or `de-AT`; undefined for one that there are no texts in. */
export function known(tag: string | null | undefined | false): Language | undefined {
  const language = (tag || "").toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((one) => one === language);
}
