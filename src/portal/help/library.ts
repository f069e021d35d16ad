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

  /** Sections that contain all words of a query, those with the words in the heading or title first. */
  search(query: string): HelpHit[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const hits: (HelpHit & { score: number })[] = [];
    for (const name of this.names) {
      const { title, sections } = this.#page(name);
      for (const { heading, anchor, text } of sections) {
        const [head, body] = [`${title} ${heading}`.toLowerCase(), text.toLowerCase()];
        if (!words.every((word) => head.includes(word) || body.includes(word))) continue;
        const score = words.filter((word) => heading.toLowerCase().includes(word)).length * 2;
        const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
        const at = Math.max(0, ...words.map((word) => body.indexOf(word)));
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
