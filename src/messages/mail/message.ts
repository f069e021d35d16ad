import MailComposer from "nodemailer/lib/mail-composer";
import type Mail from "nodemailer/lib/mailer";
import { oneLine, withoutReversing } from "../../core/one-line.js";
import type { Mail as GatewayMail } from "./mailer.js";

/** Characters with which nodemailer would parse something other than one plain address. */
const NOT_ONE_ADDRESS = /[\s,;:<>()"\\\p{C}]/u;

/**
 * A mail in nodemailer's format. Line breaks in the subject become spaces, so that none can start another header. Throws
 * RangeError for anything but exactly one address.
 */
export function mailMessage(mail: GatewayMail, { from, date }: { from: string; date: Date }): Mail.Options {
  for (const address of [from, mail.to]) {
    if (NOT_ONE_ADDRESS.test(address))
      throw new RangeError("A mail needs exactly one sender and one recipient address.");
  }
  return {
    from: { name: "hourgate", address: from },
    to: { name: "", address: mail.to },
    envelope: { from, to: [mail.to] },
    subject: oneLine(mail.subject).trim(),
    date,
    // Suppresses automatic replies.
    headers: { "Auto-Submitted": "auto-generated" },
    text: withoutReversing(mail.text),
    ...(mail.html !== undefined && { html: withoutReversing(mail.html) }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The mail as content of an .eml file; its text is not encoded, so that a link can be copied from it. */
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
