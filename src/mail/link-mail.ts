import type { Language } from "../language.js";
import { textsOf } from "../texts/index.js";

/**
 * Subject, plain text and simple HTML of a mail of the catalogue: paragraphs with the link on a line of its own between
 * them.
 */
export function linkMail(
  kind: "confirmation" | "alreadyRegistered" | "recovery",
  { link, language }: { link: string; language: Language },
): { subject: string; text: string; html: string } {
  const { subject, before, after } = textsOf(language).mails[kind];
  const text = `${[...before, link, ...after].join("\n\n")}\n`;
  const address = escapeHtml(link);
  const html = [
    `<!doctype html><html lang="${language}"><body>`,
    ...before.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    `<p><a href="${address}">${address}</a></p>`,
    ...after.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    "</body></html>",
  ].join("\n");
  return { subject, text, html };
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
