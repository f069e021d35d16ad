import type { Language } from "../core/language.js";

/** `locale`, a parameter of every answer that contains texts. */
export const localeSchema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description:
    "Language of the texts: de or en; a tag such as de-AT is reduced to its language. Default: de.",
} as const;

/** The language of a BCP 47 tag; English for an unknown one, German without a tag (docs/spec/http-api.md section 10). */
export function localeLanguage(locale: string | undefined): Language {
  if (locale === undefined) return "de";
  return /^de(?:$|[-_])/i.test(locale.trim()) ? "de" : "en";
}
