import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";

/**
 * Subject, plain text and simple HTML of a mail of the catalogue: paragraphs with the link on a line of its own between
 * them.
 */
export function linkMail(
  kind: "confirmation" | "alreadyRegistered" | "recovery",
  { link, language }: { link: string; language: Language },
): { subject: string; text: string; html: string } {
  const { subject, ...paragraphs } = textsOf(language).mails[kind];
  return { subject, ...linkedBody(paragraphs, { link, language }) };
}

/** Plain text and simple HTML of a mail: paragraphs before and after a link. */
export function linkedBody(
  { before, after }: { before: readonly string[]; after: readonly string[] },
  { link, language }: { link: string; language: Language },
): { text: string; html: string } {
  const text = `${[...before, link, ...after].join("\n\n")}\n`;
  const address = escapeHtml(link);
  const html = [
    `<!doctype html><html lang="${language}"><body>`,
    ...before.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    `<p><a href="${address}">${address}</a></p>`,
    ...after.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
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
