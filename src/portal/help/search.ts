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

/** A section with its texts as they are compared. */
interface SearchedSection extends HelpSection {
  foldedHeading: string;
  foldedText: string;
}

export const searchedSection = (section: HelpSection): SearchedSection => ({
  ...section,
  foldedHeading: folded(section.heading),
  foldedText: folded(section.text),
});

const MOST_HITS = 30;
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

/** A folded word without its ending, so that "Batterien" finds "Batterie"; a short word is kept. */
function stemOf(word: string, endings: RegExp): string {
  const stem = word.replace(endings, "");
  return stem.length < LEAST_PREFIX ? word : stem;
}

/** True if two words are the same, or one begins with the other. */
const isPart = (word: string, other: string) =>
  word === other ||
  (Math.min(word.length, other.length) >= LEAST_PREFIX && (word.startsWith(other) || other.startsWith(word)));

/** The words of a query; one that is a term of several words, such as "smart meter", is one. */
function wordsOf(query: string, { synonyms }: HelpWords): string[] {
  const words = query.split(SEPARATORS).filter(Boolean);
  const phrase = words.join(" ");
  return synonyms.flat().some((term) => folded(term) === phrase) ? [phrase] : words;
}

/** True if a text contains a form; a short one only at the beginning of a word. */
function holds(text: string, form: string): boolean {
  if (form.length >= LEAST_PREFIX) return text.includes(form);
  return ` ${text}`.split(SEPARATORS).some((word) => word.startsWith(form));
}

/** The forms that a word of the query may have in a text: itself, words that mean the same, and for documents in English their terms. */
function formsOf(query: string, words: HelpWords): { own: string[]; english: string[] } {
  const stem = (word: string) => stemOf(folded(word), words.endings);
  const word = stemOf(query, words.endings);
  const groups = words.synonyms
    .map((group) => group.map(stem))
    .filter((group) => group.some((one) => isPart(word, one)));
  const own = [...new Set([word, ...groups.flat()])];
  const english = Object.entries(words.terms)
    .filter(([term]) => own.some((form) => isPart(form, stem(term))))
    .map(([, term]) => folded(term));
  return { own, english: [...own, ...english] };
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
  const wanted = wordsOf(folded(query), words).map((word) => formsOf(word, words));
  if (wanted.length === 0) return [];
  const hits: (HelpHit & { score: number })[] = [];
  for (const { name, title, sections, isForOwners } of pages) {
    const forms = wanted.map(({ own, english }) => (isForOwners ? own : english));
    for (const [
      index,
      { heading, anchor, text, foldedHeading: head, foldedText: body },
    ] of sections.entries()) {
      // The first section is the page itself.
      const summary = index === 0 ? (words.summaries[name] ?? "") : "";
      const page = folded(`${title} ${summary}`);
      const countIn = (place: string) =>
        forms.filter((some) => some.some((form) => holds(place, form))).length;
      if (countIn(`${page} ${head} ${body}`) < forms.length) continue;
      const at = Math.max(0, ...forms.flat().map((form) => text.toLowerCase().indexOf(form)));
      hits.push({
        page: name,
        title,
        heading,
        anchor,
        excerpt: excerptOf(text, at),
        isForOwners,
        score: 2 * countIn(head) + countIn(page),
      });
    }
  }
  return hits
    .sort((a, b) => Number(b.isForOwners) - Number(a.isForOwners) || b.score - a.score)
    .slice(0, MOST_HITS);
}
