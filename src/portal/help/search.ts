import type { HelpSection } from "./markdown.js";

/** A section that was found. */
export interface HelpHit {
  page: string;
  title: string;
  heading: string;
  anchor: string;
  excerpt: string;
  /** It is of a page for owners, in the language of the search. */
  isForOwners: boolean;
}

/** What the search knows of a language. */
export interface HelpWords {
  /** Summaries of technical documents in the language, by name. */
  summaries: Readonly<Record<string, string>>;
  /** Words of the language that mean the same. */
  synonyms: readonly (readonly string[])[];
  /** English terms by words of the language. */
  terms: Readonly<Record<string, string>>;
  /** Endings that are taken off a word. */
  endings: RegExp;
}

/** A page that is searched. */
export interface SearchedPage {
  name: string;
  title: string;
  sections: readonly SearchedSection[];
  isForOwners: boolean;
}

/** A section with its texts as they are compared, see `comparedText`. */
interface SearchedSection extends HelpSection {
  comparedHeading: string;
  comparedBody: string;
}

export const searchedSection = (section: HelpSection): SearchedSection => ({
  ...section,
  comparedHeading: comparedText(section.heading),
  comparedBody: comparedText(section.text),
});

const MOST_HITS = 30;
/** Words of a query that are looked for; anybody may ask, so what a search costs has a bound. */
const MOST_WORDS = 12;
/** Characters of an excerpt before and after the first word. */
const AROUND = 80;
/** Shortest beginning of a word that stands for the whole word. */
const LEAST_PREFIX = 4;
const SEPARATORS = /[^\p{L}\p{N}._/-]+/u;

/** Lower case without umlauts and accents, also where ä is written as ae. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .replaceAll(/([aou])e/g, "$1");
}

/** The folded words of a text, a space before each, so that beginnings of words are found without taking it apart again. */
function comparedText(text: string): string {
  return ` ${folded(text).split(SEPARATORS).filter(Boolean).join(" ")}`;
}

/** A folded word without its ending, so that "Batterien" finds "Batterie"; a short word is kept. */
function stemOf(word: string, endings: RegExp): string {
  const stem = word.replace(endings, "");
  return stem.length < LEAST_PREFIX ? word : stem;
}

/** True if two words are the same, or one begins with the other. */
const isPart = (word: string, other: string) =>
  word === other ||
  (Math.min(word.length, other.length) >= LEAST_PREFIX && (word.startsWith(other) || other.startsWith(word)));

/** The different words of a query; one that is a term of several words, such as "smart meter", is one. */
function wordsOf(query: string, { synonyms }: HelpWords): string[] {
  const words = [...new Set(query.split(SEPARATORS).filter(Boolean))].slice(0, MOST_WORDS);
  const phrase = words.join(" ");
  return synonyms.flat().some((term) => folded(term) === phrase) ? [phrase] : words;
}

/** True if a compared text contains a form; a short one only at the beginning of a word. */
function holds(text: string, form: string): boolean {
  return text.includes(form.length >= LEAST_PREFIX ? form : ` ${form}`);
}

/** The forms that a word of the query may have in a text: itself, words that mean the same, and for documents in English their terms. */
function formsOf(
  query: string,
  { endings, synonyms, terms }: FoldedWords,
): { own: string[]; english: string[] } {
  const word = stemOf(query, endings);
  const groups = synonyms.filter((group) => group.some((one) => isPart(word, one)));
  const own = [...new Set([word, ...groups.flat()])];
  const english = terms
    .filter(({ stem }) => own.some((form) => isPart(form, stem)))
    .map(({ english }) => english);
  return { own, english: [...own, ...english] };
}

interface FoldedWords {
  endings: RegExp;
  synonyms: readonly (readonly string[])[];
  terms: readonly { stem: string; english: string }[];
}

function foldedWords({ endings, synonyms, terms }: HelpWords): FoldedWords {
  const stem = (word: string) => stemOf(folded(word), endings);
  return {
    endings,
    synonyms: synonyms.map((group) => group.map(stem)),
    terms: Object.entries(terms).map(([term, english]) => ({
      stem: stem(term),
      english: comparedText(english).trim(),
    })),
  };
}

/** Whole words around a place of a text, without the marks of lists and tables. */
function excerptOf(text: string, at: number): string {
  const start = at <= AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1;
  const end = at + AROUND >= text.length ? text.length : Math.max(at, text.lastIndexOf(" ", at + AROUND));
  const words = text
    .slice(start, end)
    .replace(/^\s*(?:[-*]|\d+\.) /gm, "")
    .replace(/[-\s]*---[-\s]*|\s+/g, " ")
    .trim();
  return `${start > 0 ? "… " : ""}${words}${end < text.length ? " …" : ""}`;
}

/**
 * Sections that contain all words of a query: those of pages for owners first, then those with the words in the heading or title. The
 * summaries count as text of their page.
 */
export function searchPages(pages: Iterable<SearchedPage>, query: string, words: HelpWords): HelpHit[] {
  const known = foldedWords(words);
  const wanted = wordsOf(folded(query), words).map((word) => formsOf(word, known));
  if (wanted.length === 0) return [];
  const hits: { page: SearchedPage; section: SearchedSection; forms: string[]; score: number }[] = [];
  for (const page of pages) {
    const { name, title, sections, isForOwners } = page;
    const forms = wanted.map(({ own, english }) => (isForOwners ? own : english));
    const ownTitle = comparedText(title);
    // The first section is the page itself.
    const ownSummary = comparedText(`${title} ${words.summaries[name] ?? ""}`);
    for (const [index, section] of sections.entries()) {
      const { comparedHeading: head, comparedBody: body } = section;
      const above = index === 0 ? ownSummary : ownTitle;
      const isIn = (place: string) => (some: readonly string[]) => some.some((form) => holds(place, form));
      if (!forms.every((some) => [above, head, body].some((place) => isIn(place)(some)))) continue;
      const score = 2 * forms.filter(isIn(head)).length + forms.filter(isIn(above)).length;
      hits.push({ page, section, forms: forms.flat(), score });
    }
  }
  return hits
    .sort((a, b) => Number(b.page.isForOwners) - Number(a.page.isForOwners) || b.score - a.score)
    .slice(0, MOST_HITS)
    .map(({ page: { name, title, isForOwners }, section: { heading, anchor, text }, forms }) => {
      const lower = text.toLowerCase();
      const at = Math.max(0, ...forms.map((form) => lower.indexOf(form)));
      return { page: name, title, heading, anchor, excerpt: excerptOf(text, at), isForOwners };
    });
}
