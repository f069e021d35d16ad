import MailComposer from "nodemailer/lib/mail-composer";
import type Mail from "nodemailer/lib/mailer";
import type { Mail as GatewayMail } from "./mailer.js";

/** What would make nodemailer read something else, or more, than one plain address. */
const NOT_ONE_ADDRESS = /[\s,;:<>()"\\\p{C}]/u;

/**
 * A mail as nodemailer takes it. Line breaks in the subject become spaces, so that none can begin another header. Throws
 * RangeError for what is not exactly one address.
 */
export function mailMessage(mail: GatewayMail, { from, date }: { from: string; date: Date }): Mail.Options {
  for (const address of [from, mail.to]) {
    if (NOT_ONE_ADDRESS.test(address)) throw new RangeError("A mail goes from one address to one address.");
  }
  return {
    from: { name: "hourgate", address: from },
    to: { name: "", address: mail.to },
    envelope: { from, to: [mail.to] },
    subject: mail.subject.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim(),
    date,
    // Nobody answers a machine's mail, no holiday note either.
    headers: { "Auto-Submitted": "auto-generated" },
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The mail as the content of an .eml file; its text stands there as it is, so that a link can be copied from it. */
export function emlOf(mail: GatewayMail, sender: { from: string; date: Date }): Promise<Buffer> {
  const { text: _text, html: _html, ...headers } = mailMessage(mail, sender);
  const parts = [
    ["text/plain", mail.text],
    ...(mail.html === undefined ? [] : [["text/html", mail.html]]),
  ] as [string, string][];
  return new MailComposer({
    ...headers,
    newline: "unix",
    alternatives: parts.map(([type, content]) => ({ raw: part(type, content) })),
  })
    .compile()
    .build();
}

function part(type: string, content: string): string {
  const headers = [`Content-Type: ${type}; charset=utf-8`, "Content-Transfer-Encoding: 8bit"];
  return `${headers.join("\n")}\n\n${content}`;
}
