import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type HelpSection, renderPage, sectionsOf, titleOf } from "./markdown.js";

/** A page of the documentation; `name` is its path below `docs` without the ending, such as `actuators/relays`. */
interface HelpPage {
  name: string;
  title: string;
  markdown: string;
  sections: readonly HelpSection[];
}

/** A section that was found. */
export interface HelpHit {
  page: string;
  title: string;
  heading: string;
  anchor: string;
  excerpt: string;
}

const DOCS = fileURLToPath(new URL("../../../docs/", import.meta.url));
const FOLDERS = ["", "actuators/", "spec/"];
const MOST_HITS = 30;
/** Characters of an excerpt before and after the first word. */
const AROUND = 80;

/** What a search in a language other than English needs. */
export interface HelpWords {
  /** Summaries of pages by name. */
  summaries: Readonly<Record<string, string>>;
  /** English terms by words of the language. */
  terms: Readonly<Record<string, string>>;
}

/** Shortest beginning of a word that stands for the whole word. */
const LEAST_PREFIX = 4;

/** Lower case without umlauts and accents, also where ä is written as ae. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .replaceAll(/([aou])e/g, "$1");
}

/** English terms of a word, of what begins with it, and of what it begins with. */
function translations(word: string, terms: HelpWords["terms"]): string[] {
  return Object.entries(terms).flatMap(([own, english]) => {
    const term = folded(own);
    const isPart = word.length >= LEAST_PREFIX && (term.startsWith(word) || word.startsWith(term));
    return isPart || term === word ? [folded(english)] : [];
  });
}

/** The documentation of the installation, read from its folder `docs`; without the folder it has no pages. */
export class HelpLibrary {
  /** Names of all pages. */
  readonly names: readonly string[];
  readonly #folder: string;
  readonly #pages = new Map<string, HelpPage>();
  readonly #html = new Map<string, string>();

  constructor(folder = DOCS) {
    this.#folder = folder;
    this.names = FOLDERS.flatMap((sub) =>
      existsSync(folder + sub)
        ? readdirSync(folder + sub)
            .filter((file) => file.endsWith(".md") && sub + file !== "index.md")
            .map((file) => sub + file.slice(0, -3))
        : [],
    );
  }

  /** The title of a page. Throws Error if the file is gone. */
  title(name: string): string {
    return this.#page(name).title;
  }

  /** The content of a page as HTML without the title. Throws Error if the file is gone. */
  html(name: string): string {
    let html = this.#html.get(name);
    if (html === undefined) {
      html = renderPage(this.#page(name).markdown, `${name}.md`, (other) => this.names.includes(other));
      this.#html.set(name, html);
    }
    return html;
  }

  /**
   * Sections that contain all words of a query, those with the words in the heading or title first. The summaries count as
   * text of their page; a word of `terms` also finds its English term.
   */
  search(query: string, { summaries, terms }: HelpWords): HelpHit[] {
    const words = folded(query).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const wanted = words.map((word) => [word, ...translations(word, terms)]);
    const hits: (HelpHit & { score: number })[] = [];
    for (const name of this.names) {
      const { title, sections } = this.#page(name);
      for (const [index, { heading, anchor, text }] of sections.entries()) {
        // The first section is the page itself.
        const summary = index === 0 ? (summaries[name] ?? "") : "";
        const [head, page, body] = [folded(heading), folded(`${title} ${summary}`), folded(text)];
        const countIn = (place: string) =>
          wanted.filter((forms) => forms.some((form) => place.includes(form))).length;
        if (countIn(`${page} ${head} ${body}`) < wanted.length) continue;
        const score = 2 * countIn(head);
        const inTitle = countIn(page);
        const at = Math.max(0, ...wanted.flat().map((form) => text.toLowerCase().indexOf(form)));
        const excerpt = text.slice(Math.max(0, at - AROUND), at + AROUND).replace(/\s+/g, " ");
        hits.push({ page: name, title, heading, anchor, excerpt, score: score + inTitle });
      }
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, MOST_HITS);
  }

  #page(name: string): HelpPage {
    let page = this.#pages.get(name);
    if (page === undefined) {
      const markdown = readFileSync(`${this.#folder}${name}.md`, "utf8");
      page = { name, title: titleOf(markdown), markdown, sections: sectionsOf(markdown) };
      this.#pages.set(name, page);
    }
    return page;
  }
}
