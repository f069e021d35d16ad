import type { Language } from "../language.js";

/** `locale`, which every answer with sentences in it takes. */
export const localeSchema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description: "Language of the texts: de or en; a tag such as de-AT is cut to its language. Default: de.",
} as const;

/** A BCP 47 tag cut to its language; an unknown one falls back to English, none to German (docs/spec/http-api.md section 10). */
export function localeLanguage(locale: string | undefined): Language {
  if (locale === undefined) return "de";
  return /^de(?:$|[-_])/i.test(locale.trim()) ? "de" : "en";
}
