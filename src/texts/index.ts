import type { ComponentSentence } from "../core/domain/component-sentence.js";
import type { Language } from "../core/language.js";
import { german } from "./de/index.js";
import { english } from "./en/index.js";

/** Everything that users read, by area. The English texts define the keys; a language that lacks one does not compile. */
export type Texts = typeof english;

const CATALOGUES: Readonly<Record<Language, Texts>> = { de: german, en: english };

/** The texts in a language. */
export function textsOf(language: Language): Texts {
  return CATALOGUES[language];
}

/** What is wrong with a configuration. */
export type ConfigTexts = Texts["config"];

/** The texts of the portal's own pages. */
export type PortalTexts = Texts["portal"];

/** The sentences about a component in a language, separated by spaces. */
export function componentText(sentences: readonly ComponentSentence[], language: Language): string {
  const texts = textsOf(language).components.sentences;
  return sentences
    .map((sentence) => (texts[sentence.code] as (values: ComponentSentence) => string)(sentence))
    .join(" ");
}

/** The name of a component; an unknown one is returned as it is. */
export function componentName(name: string, language: Language): string {
  const names: Readonly<Record<string, string>> = textsOf(language).components.names;
  return Object.hasOwn(names, name) ? names[name]! : name;
}
