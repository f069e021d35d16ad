import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import type { Resolve } from "../../../src/core/net/resolve.js";
import { createMailer } from "../../../src/messages/mail/create.js";
import { accountMail } from "../../../src/messages/mail/link-mail.js";
import { StoreError } from "../../../src/store/errors.js";
import { temporaryFolder } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";
import { smtpResponder } from "./smtp-responder.js";

const LINK = `http://gateway.example:8080/confirm?token=${"aB-_".repeat(11)}`;
const mail = accountMail({ kind: "confirmation", to: "new@example.org", link: LINK, language: "de" });

async function mailer(
  smtpPort?: number,
  { host = "127.0.0.1", resolve }: { host?: string; resolve?: Resolve } = {},
) {
  const dataFolder = await temporaryFolder();
  const clock = manualClock(new Date("2026-01-15T12:00:00Z"));
  const components = new HealthRegistry(clock);
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const address = {
    host,
    secure: false,
    require_tls: true,
    username: null,
    password: null,
    from: null,
  };
  const made = createMailer({
    smtp: smtpPort === undefined ? null : { ...address, port: smtpPort },
    ownerEmail: "owner@localhost",
    dataFolder,
    clock,
    components,
    ...(resolve && { resolve }),
    log: { info: write, warn: write },
  });
  const outbox = join(dataFolder, "outbox");
  const files = async () => (await readdir(outbox).catch(() => [])).map((name) => join(outbox, name));
  return {
    made,
    lines,
    files,
    outbox,
    state: () => components.list().map(({ name, state }) => [name, state]),
  };
}

it("without a mail server writes the mail to a private file and logs its path, never the link", async () => {
  const { made, lines, files, outbox, state } = await mailer();
  await made.send(mail);
  const [file] = await files();
  expect(file).toMatch(/\/20260115T120000Z-[0-9a-f]{8}\.eml$/);
  expect((await stat(file!)).mode & 0o777).toBe(0o600);
  expect((await stat(outbox)).mode & 0o777).toBe(0o700);
  const text = await readFile(file!, "utf8");
  // As it stands, to be copied: neither encoded nor broken.
  expect(text).toContain(`\n${LINK}\n`);
  expect(text).toContain(`href="${LINK}"`);
  expect(text).toMatch(/^To: new@example\.org$/m);
  expect(text).toMatch(/^From: hourgate <owner@localhost>$/m);
  expect(text).toMatch(/^Date: Thu, 15 Jan 2026 12:00:00 \+0000$/m);
  expect(lines.join()).toContain(file);
  expect(lines.join()).not.toContain("token");
  expect(state()).toEqual([]);
});

it("sends the mail to the mail server", async () => {
  const server = await smtpResponder();
  const { made, files, state } = await mailer(server.port);
  await made.send(mail);
  const [{ envelope, data }] = server.mails as [(typeof server.mails)[number]];
  expect(envelope).toEqual(["MAIL FROM:<owner@localhost>", "RCPT TO:<new@example.org>"]);
  expect(data).toContain("Content-Type: text/html");
  const words = /^Subject: =\?UTF-8\?Q\?(.*)\?=$/m.exec(data)?.[1]?.replaceAll("_", " ").replaceAll("=", "%");
  expect(decodeURIComponent(words!)).toBe("Bestätigen Sie Ihre E-Mail-Adresse");
  expect(await files()).toEqual([]);
  expect(state()).toEqual([["mail", "ok"]]);
});

it.each([
  ["refuses it", async () => (await smtpResponder({ refuses: true })).port, "EENVELOPE 550"],
  ["is not there", closedPort, "ECONNREFUSED|ESOCKET"],
])("keeps the mail in the outbox when the server %s", async (_, port, reason) => {
  const { made, lines, files, state } = await mailer(await port());
  await made.send(mail);
  expect(await files()).toHaveLength(1);
  expect(state()).toEqual([["mail", "degraded"]]);
  expect(lines.join()).toMatch(new RegExp(reason));
  // The server's own words, with the link in them, are not repeated.
  expect(lines.join()).not.toContain("token");
});

it("reports a failing mail server also if the outbox is not writable", async () => {
  const { made, outbox, state } = await mailer(await closedPort());
  await writeFile(outbox, "a file where the folder is to be");
  await expect(made.send(mail)).rejects.toBeInstanceOf(StoreError);
  expect(state()).toEqual([["mail", "degraded"]]);
});

it("prevents header injection by address and subject", async () => {
  const server = await smtpResponder();
  const { made } = await mailer(server.port);
  const subject = "Hello\r\nBcc: other@example.org\r\n\r\nbody";
  await made.send({ to: "new@example.org", subject, text: "." });
  for (const to of [
    "new@example.org\r\nBcc: other@example.org",
    "a@example.org,b@example.org",
    "<a@example.org>",
  ]) {
    await expect(made.send({ to, subject: "x", text: "." })).rejects.toThrow(RangeError);
  }
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.data.split("\n\n")[0]).not.toMatch(/^Bcc:/im);
  expect(server.mails[0]?.data).toMatch(/^Subject: Hello Bcc: other@example\.org body$/m);
});

/** A port where nobody listens. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

it.each(["localhost.example", "127.example", "mail.example"])(
  "sends no mail in clear to %s, whose address is not of this machine alone",
  async (host) => {
    const { port, mails } = await smtpResponder();
    // The name has an address of this machine and a foreign one: which of them is used is not certain.
    const resolve: Resolve = async () => [
      { address: "127.0.0.1", family: 4 },
      { address: "192.0.2.1", family: 4 },
    ];
    for (const one of [resolve, async () => Promise.reject(new Error("ENOTFOUND"))]) {
      const { made, files } = await mailer(port, { host, resolve: one });
      await made.send(mail);
      expect([mails.length, (await files()).length]).toEqual([0, 1]);
    }
  },
);

it("sends in clear to a name whose addresses are all of this machine, at the address that was checked", async () => {
  const { port, mails } = await smtpResponder();
  const { made, files } = await mailer(port, {
    host: "mail.example",
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  await made.send(mail);
  expect([mails.length, (await files()).length]).toEqual([1, 0]);
});
