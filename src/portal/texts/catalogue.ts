import type { Language } from "../language.js";
import { de } from "./de.js";
import { en } from "./en.js";

/** The texts of the frame and of the account pages; the English catalogue gives the shape. */
export type Texts = typeof en;

/** One catalogue a language; the type system sees to it that none lacks a text. */
export const TEXTS: Readonly<Record<Language, Texts>> = { de, en };
