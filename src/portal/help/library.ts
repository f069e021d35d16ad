import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type Tokens } from "marked";

/** A part of a page below one heading. */
interface HelpSection {
  heading: string;
  /** Id of the heading on the page; empty for the title. */
  anchor: string;
  /** Text without markup. */
  text: string;
}

const REPOSITORY = "https://github.com/hourgate/hourgate/blob/main";
/** The page with a row for each configuration key. */
const REFERENCE = "configuration.md";
const SAFE_LINK = /^(https?:|mailto:|#|\/)/;

/** Anchors of the headings of a page as GitHub makes them: a repeated heading gets a number. */
function anchorsOfPage(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

const plain = (text: string) => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*|]/g, "");

/** The title of a page, its first heading. */
function titleOf(markdown: string): string {
  return plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "");
}

/** The sections of a page in order, with their text for the search. */
function sectionsOf(markdown: string): HelpSection[] {
  const sections: HelpSection[] = [];
  const anchorOf = anchorsOfPage();
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, level, heading] = (!isCode && /^(#{1,4}) (.+)$/.exec(line)) || [];
    const last = sections.at(-1);
    if (heading !== undefined) {
      const text = plain(heading);
      sections.push({ heading: text, anchor: level === "#" ? "" : anchorOf(text), text: "" });
    } else if (last !== undefined) {
      last.text += `${plain(line)}\n`;
    }
  }
  return sections;
}

/**
 * A page as HTML; its title is left out. `path` is that of the page below `docs`; `isPage` tells whether another path is a page of
 * the help. HTML in the text is escaped; links to files that are no page lead to the repository.
 */
export function renderPage(markdown: string, path: string, isPage: (path: string) => boolean): string {
  const marked = new Marked({ gfm: true });
  const anchorOf = anchorsOfPage();
  marked.use({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
      image: ({ text }) => `<em>${escaped(text)}</em>`,
      heading({ tokens, depth, text }) {
        if (depth === 1) return "";
        return `<h${depth} id="${escaped(anchorOf(plain(text)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      link({ href, tokens }) {
        return `<a href="${escaped(targetOf(href, path, isPage))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: "th" | "td") =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
        const rows = token.rows
          .map((row) => `<tr${path === REFERENCE ? keyId(row[0]) : ""}>${cells(row, "td")}</tr>`)
          .join("\n");
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Rows about a configuration key can be linked to by the key. */
function keyId(cell: Tokens.TableCell | undefined): string {
  const [, key] = /^`([a-z_]+(?:\[\])?(?:\.[a-z_]+(?:\[\])?)+)`$/.exec(cell?.text ?? "") ?? [];
  return key === undefined ? "" : ` id="${escaped(key)}"`;
}

function targetOf(href: string, path: string, isPage: (path: string) => boolean): string {
  if (SAFE_LINK.test(href)) return href;
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return "#";
  const [file = "", anchor] = href.split("#");
  const target = posix.normalize(posix.join("docs", posix.dirname(path), file));
  const page = /^docs\/(.+)\.md$/.exec(target)?.[1];
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return page !== undefined && isPage(page) ? `/help/${page}${hash}` : `${REPOSITORY}/${target}${hash}`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

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
