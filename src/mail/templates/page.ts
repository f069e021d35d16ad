import type { Language } from "../../language.js";

/** Plain text and simple HTML of one mail: paragraphs, and a link on its own line. */
export function bodyOf(language: Language, before: string[], link: string, after: string[]) {
  const text = `${[...before, link, ...after].join("\n\n")}\n`;
  const paragraph = (content: string) => `<p>${content}</p>`;
  const address = escapeHtml(link);
  const html = [
    `<!doctype html><html lang="${language}"><body>`,
    ...before.map((one) => paragraph(escapeHtml(one))),
    paragraph(`<a href="${address}">${address}</a>`),
    ...after.map((one) => paragraph(escapeHtml(one))),
    "</body></html>",
  ].join("\n");
  return { text, html };
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => names[character]!);
}
