import type { AccountMail, AccountMails } from "../../accounts/account-mails.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { Mail, Mailer } from "./mailer.js";

/** Sends the mails of the account services. */
export function accountMails(mailer: Mailer): AccountMails {
  return { send: (mail) => mailer.send(accountMail(mail)) };
}

/** Subject, plain text and simple HTML from the catalogue: paragraphs with the link on a line of its own between them. */
export function accountMail({ kind, to, link, language }: AccountMail): Mail {
  const { subject, ...paragraphs } = textsOf(language).mails[kind];
  return { to, subject, ...linkedBody(paragraphs, { link, language }) };
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
