import type { Language } from "../language.js";
import { german } from "./de/index.js";
import { english } from "./en/index.js";

/** Everything that users read, by area. The English texts define the keys; a language that lacks one does not compile. */
export type Texts = typeof english;

const CATALOGUES: Readonly<Record<Language, Texts>> = { de: german, en: english };

/** The texts in a language. */
export function textsOf(language: Language): Texts {
  return CATALOGUES[language];
}

/** The texts of the portal's own pages. */
export type PortalTexts = Texts["portal"];
