import type { Language } from "../../language.js";
import { de } from "./de.js";
import { en, type Texts } from "./en.js";

export type { Texts };

/** One catalogue a language; the type system sees to it that none lacks a text. */
export const TEXTS: Readonly<Record<Language, Texts>> = { de, en };
