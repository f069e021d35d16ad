import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { SmtpSettings } from "../../config/settings.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { isLoopbackAddress } from "../../core/net/address.js";
import { type Resolve, systemResolve } from "../../core/net/resolve.js";
import type { Clock } from "../../core/time/clock.js";
import { errorCode, toStoreError } from "../../store/errors.js";
import { flushFolder, writeFlushed } from "../../store/flush.js";
import type { DirectMailer, Mail, Mailer, MailRefusal } from "./mailer.js";

/** Loaded with the first mail: most gateways send none. */
const loadMessages = () => import("./message.js");

/** Time-outs for connecting, for the greeting and for later responses, ms of wall time. */
const CONNECT_MS = 5_000;
const GREETING_MS = 5_000;
const RESPONSE_MS = 10_000;

export interface MailOptions {
  /** Null: every mail is written to the outbox. */
  smtp: SmtpSettings | null;
  /** Sender if the SMTP settings have none. */
  ownerEmail: string;
  dataFolder: string;
  clock: Clock;
  components: HealthRegistry;
  /** Replaces the resolver of the system. */
  resolve?: Resolve;
  log: Pick<Log, "info" | "warn">;
}

/**
 * Sends mails by SMTP. Without a mail server, or when it rejects a mail, the mail is written to the outbox of the data
 * folder and its path is logged.
 */
export function createMailer({
  smtp,
  ownerEmail,
  dataFolder,
  clock,
  components,
  resolve = systemResolve,
  log,
}: MailOptions): Mailer & DirectMailer {
  const from = smtp?.from ?? ownerEmail;
  const server = smtp === null ? "" : `${smtp.host}:${smtp.port}`;
  const outbox = new MailOutbox(join(dataFolder, "outbox"));
  const keep = async (mail: Mail) => {
    const date = clock.now();
    const { emlOf } = await loadMessages();
    return outbox.put(await emlOf(mail, { from, date }), date);
  };
  if (smtp !== null) components.report("mail", "ok", [{ code: "mail_ok", server }]);
  let transport: ReturnType<typeof connectTo> | undefined;
  const attempt = async (mail: Mail): Promise<MailRefusal | null> => {
    if (smtp === null) return { fault: "no_mail_server" };
    try {
      transport ??= connectTo(smtp, resolve);
      const { mailMessage } = await loadMessages();
      await (await transport).sendMail(mailMessage(mail, { from, date: clock.now() }));
    } catch (error) {
      const reason = reasonOf(error);
      components.report("mail", "degraded", [{ code: "mail_rejected", server, reason }]);
      return { fault: "mail_rejected", reason };
    }
    components.report("mail", "ok", [{ code: "mail_ok", server }]);
    log.info({}, "A mail was sent.");
    return null;
  };
  return {
    attempt,
    async send(mail) {
      const refusal = await attempt(mail);
      if (refusal === null) return;
      const file = await keep(mail);
      if (refusal.fault === "no_mail_server")
        log.info(
          { file },
          "No mail server is configured (smtp): the mail was written to the outbox; forward it manually.",
        );
      else
        log.warn(
          { file, reason: refusal.reason },
          `The mail server ${server} did not accept a mail; it was written to the outbox. Check smtp and forward it manually.`,
        );
    },
  };
}

async function connectTo(
  { host, port, secure, require_tls: requireTls, username, password }: SmtpSettings,
  resolve: Resolve,
) {
  const { createTransport } = await import("nodemailer");
  const own = await ownAddress(host, resolve);
  return createTransport({
    // The address that was checked, not one to which the name resolves later.
    host: own ?? host,
    ...(own !== undefined && isIP(host) === 0 && { tls: { servername: host } }),
    port,
    secure,
    requireTLS: requireTls && own === undefined,
    ...(username !== null && { auth: { user: username, pass: password ?? "" } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: RESPONSE_MS,
    dnsTimeout: CONNECT_MS,
  });
}

/** The address of a mail server on this machine, which needs no TLS; undefined for every other one. */
async function ownAddress(host: string, resolve: Resolve): Promise<string | undefined> {
  const found = await resolve(host.replace(/^\[|\]$/g, "")).catch(() => []);
  return found.every(({ address }) => isLoopbackAddress(address)) ? found[0]?.address : undefined;
}

/** Why a mail was rejected: codes only, since the server's text may repeat content of the mail. */
function reasonOf(error: unknown): string {
  const status = error instanceof Error && "responseCode" in error ? ` ${String(error.responseCode)}` : "";
  return `${errorCode(error) ?? "error"}${status}`;
}

/** The folder of unsent mails, one .eml file each. */
class MailOutbox {
  constructor(readonly folder: string) {}

  /** Writes a mail atomically and durably. Returns the path of the file. Throws StoreError. */
  async put(eml: Buffer, date: Date): Promise<string> {
    const stamp = date.toISOString().replace(/[-:]|\.\d+/g, "");
    const path = join(this.folder, `${stamp}-${randomBytes(4).toString("hex")}.eml`);
    const beside = `${path}.tmp`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      // Mails contain confirmation links: only the gateway's own user may read them.
      await writeFlushed(beside, eml);
      await rename(beside, path);
      await flushFolder(this.folder);
      return path;
    } catch (cause) {
      await rm(beside, { force: true }).catch(() => {});
      throw toStoreError(cause, path);
    }
  }
}
