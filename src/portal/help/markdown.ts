import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { tableClass } from "../ui/table.js";

/** A part of a page below one heading. */
export interface HelpSection {
  heading: string;
  /** Id of the heading on the page; empty for the title. */
  anchor: string;
  /** Text without markup. */
  text: string;
}

const REPOSITORY = "https://github.com/hourgate/hourgate/blob/main";
/** The page with an entry for each configuration key. */
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
export function titleOf(markdown: string): string {
  return plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "");
}

/** The sections of a page in order, with their text for the search. */
export function sectionsOf(markdown: string): HelpSection[] {
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
 * A page as HTML; its title is left out. `path` is that of the page below `docs`; `nameOf` gives the name of the help page for a path
 * below `docs` without its ending. HTML in the text is escaped; links to files that are no page lead to the repository.
 */
export function renderPage(
  markdown: string,
  path: string,
  nameOf: (path: string) => string | undefined,
): string {
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
        return `<a href="${escaped(targetOf(href, path, nameOf))}">${this.parser.parseInline(tokens)}</a>`;
      },
      listitem({ tokens, text }) {
        const anchors = path === REFERENCE ? keyAnchors(text) : "";
        return `<li>${anchors}${this.parser.parse(tokens)}</li>\n`;
      },
      table(token) {
        const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        const head = token.header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join("");
        const cellOf = (cell: Tokens.TableCell, column: number) =>
          column === 0
            ? `<th scope="row">${inline(cell)}</th>`
            : `<td data-label="${escaped(plain(token.header[column]!.text))}">${inline(cell)}</td>`;
        const rows = token.rows.map((row) => `<tr>${row.map(cellOf).join("")}</tr>`).join("\n");
        return `<div class="${tableClass(token.header.length)}"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Entries about configuration keys can be linked to by each of their keys. */
function keyAnchors(text: string): string {
  const [names] = /^(?:`[^`]+`(?:, )?)+/.exec(text) ?? [""];
  return [...names.matchAll(/`([a-z_]+(?:\[\])?(?:\.[a-z_]+(?:\[\])?)+)`/g)]
    .map(([, key = ""]) => `<span id="${escaped(key)}"></span>`)
    .join("");
}

function targetOf(href: string, path: string, nameOf: (path: string) => string | undefined): string {
  if (SAFE_LINK.test(href)) return href;
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return "#";
  const [file = "", anchor] = href.split("#");
  const target = posix.normalize(posix.join("docs", posix.dirname(path), file));
  const page = /^docs\/(.+)\.md$/.exec(target)?.[1];
  const name = page === undefined ? undefined : nameOf(page);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return name === undefined ? `${REPOSITORY}/${target}${hash}` : `/help/${name}${hash}`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
