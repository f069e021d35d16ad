import { existsSync, readdirSync, readFileSync } from "node:fs";
import { shippedPath } from "../../core/installation.js";
import type { Language } from "../../core/language.js";
import { renderPage, sectionsOf, titleOf } from "./markdown.js";
import { type HelpHit, type HelpWords, type SearchedPage, searchedSection, searchPages } from "./search.js";

/** A page of the help. */
interface HelpPage extends SearchedPage {
  markdown: string;
}

const DOCS = shippedPath("docs/");
const FOLDERS = ["", "actuators/", "devices/", "spec/"];

/** The path of a page below `docs` without its ending. */
const pathOf = (name: string, language: Language) =>
  name.startsWith(OWNER_FOLDER) ? `help/${language}/${name.slice(OWNER_FOLDER.length)}` : name;

/**
 * The documentation of the installation, read from its folder `docs`; without the folder it has no pages. The name of a page for owners
 * is `home/<page>`, in each language; that of a technical document is its path below `docs`, such as `actuators/relays`.
 */
export class HelpLibrary {
  /** Names of the technical documents, in English. */
  readonly documents: readonly string[];
  /** Names of the pages for owners. */
  readonly ownerPages: readonly string[];
  readonly #folder: string;
  readonly #pages = new Map<string, HelpPage>();
  readonly #html = new Map<string, string>();

  constructor(folder = DOCS) {
    this.#folder = folder;
    this.documents = FOLDERS.flatMap((sub) =>
      existsSync(folder + sub)
        ? readdirSync(folder + sub)
            .filter((file) => file.endsWith(".md") && sub + file !== "index.md")
            .map((file) => sub + file.slice(0, -3))
        : [],
    );
    this.ownerPages = existsSync(`${folder}help`)
      ? ownerSections.flatMap(([, pages]) => pages.map((page) => OWNER_FOLDER + page))
      : [];
  }

  /** The title of a page. Throws Error if the file is gone. */
  title(name: string, language: Language): string {
    return this.#page(name, language).title;
  }

  /** The content of a page as HTML without the title. Throws Error if the file is gone. */
  html(name: string, language: Language): string {
    const path = pathOf(name, language);
    let html = this.#html.get(path);
    if (html === undefined) {
      html = renderPage(this.#page(name, language).markdown, `${path}.md`, (other) => this.#nameOf(other));
      this.#html.set(path, html);
    }
    return html;
  }

  /** The sections that contain all words of a query; see searchPages. */
  search(query: string, language: Language, words: HelpWords): HelpHit[] {
    const names = [...this.ownerPages, ...this.documents];
    return searchPages(
      names.map((name) => this.#page(name, language)),
      query,
      words,
    );
  }

  /** The name of the page at a path below `docs`. */
  #nameOf(path: string): string | undefined {
    const name = path.replace(/^help\/(de|en)\//, OWNER_FOLDER);
    return this.documents.includes(name) || this.ownerPages.includes(name) ? name : undefined;
  }

  #page(name: string, language: Language): HelpPage {
    const path = pathOf(name, language);
    let page = this.#pages.get(path);
    if (page === undefined) {
      const markdown = readFileSync(`${this.#folder}${path}.md`, "utf8");
      const isForOwners = path !== name;
      page = {
        name,
        title: titleOf(markdown),
        markdown,
        sections: sectionsOf(markdown).map(searchedSection),
        isForOwners,
      };
      this.#pages.set(path, page);
    }
    return page;
  }
}

/**
 * The pages for owners by section, in the order of the list. Each is one task, in German and English: the files
 * `docs/help/<language>/<page>.md`.
 */
export const OWNER_PAGES = {
  start: ["sign-in", "first-setup", "overview", "phone", "terms"],
  devices: ["connect-device", "dry-run", "battery", "hot-water", "device-now"],
  tariff: ["choose-tariff", "change-prices", "compare-tariffs"],
  bill: ["check-bill", "meter-data"],
  savings: ["saved", "history", "what-if", "why"],
  car: ["charge-car", "car-level"],
  problems: ["no-plan", "not-reachable", "not-following", "no-readings", "lost-password", "messages"],
} as const;

export type OwnerSection = keyof typeof OWNER_PAGES;

/** The address of a page for owners below `/help`. */
export const OWNER_FOLDER = "home/";

export const ownerSections = Object.entries(OWNER_PAGES) as [OwnerSection, readonly string[]][];
