import { closest, distance } from "fastest-levenshtein";
import { type ConfigTexts, textsOf } from "../../texts/index.js";

/** The candidate most similar to `word`; undefined if none is similar enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.slice(0, 100).toLowerCase();
  if (candidates.length === 0) return undefined;
  const found = closest(lower, candidates as string[]);
  // A third of the letters may differ: "prot" suggests port, "banana" nothing.
  const allowed = Math.max(2, Math.floor(Math.max(lower.length, found.length) / 3));
  return distance(lower, found) <= Math.min(allowed, found.length - 1) ? found : undefined;
}

/** ` Did you mean "port"?`, or an empty text if no candidate is similar. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  texts: ConfigTexts = textsOf("en").config,
): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : texts.didYouMean(found);
}
