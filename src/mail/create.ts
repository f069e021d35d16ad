import { join } from "node:path";
import type { SmtpSettings } from "../config/settings.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import { errorCode } from "../store/errors.js";
import type { Clock } from "../time/clock.js";
import type { Mail, Mailer } from "./mailer.js";
import { MailOutbox } from "./outbox.js";

/** Loaded with the first mail: a house sends few, and most gateways none. */
const loadMessages = () => import("./message.js");

/** How long a mail server may take to be reached, to greet, and to go on; wall time, ms. */
const CONNECT_MS = 5_000;
const GREETING_MS = 5_000;
const SILENCE_MS = 10_000;

export interface MailOptions {
  /** Null: every mail goes into the outbox. */
  smtp: SmtpSettings | null;
  /** Sender where the mail server's settings name none. */
  ownerEmail: string;
  dataFolder: string;
  clock: Clock;
  components: HealthRegistry;
  log: Pick<Log, "info" | "warn">;
}

/**
 * Sends mails by SMTP; without a mail server, and when it does not take one, the mail goes into the outbox of the data
 * folder and the log says where.
 */
export function createMailer({ smtp, ownerEmail, dataFolder, clock, components, log }: MailOptions): Mailer {
  const from = smtp?.from ?? ownerEmail;
  const outbox = new MailOutbox(join(dataFolder, "outbox"));
  const keep = async (mail: Mail) => {
    const date = clock.now();
    const { emlOf } = await loadMessages();
    return outbox.put(await emlOf(mail, { from, date }), date);
  };
  if (smtp === null) {
    return {
      async send(mail) {
        const file = await keep(mail);
        log.info({ file }, "No mail server is set (smtp): the mail is in the outbox; hand it on by hand.");
      },
    };
  }
  const server = `${smtp.host}:${smtp.port}`;
  let transport: ReturnType<typeof connectTo> | undefined;
  components.report("mail", "ok", `Mails go through ${server}.`);
  return {
    async send(mail) {
      try {
        transport ??= connectTo(smtp);
        const { mailMessage } = await loadMessages();
        await (await transport).sendMail(mailMessage(mail, { from, date: clock.now() }));
      } catch (error) {
        const reason = reasonOf(error);
        components.report("mail", "degraded", `${server} did not take the last mail (${reason}).`);
        const file = await keep(mail);
        log.warn(
          { file, reason },
          `The mail server ${server} did not take a mail; it is in the outbox. Check smtp and hand it on by hand.`,
        );
        return;
      }
      components.report("mail", "ok", `Mails go through ${server}.`);
      log.info({}, "A mail was sent.");
    },
  };
}

async function connectTo({ host, port, secure, username, password }: SmtpSettings) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure,
    ...(username !== null && { auth: { user: username, pass: password ?? "" } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    dnsTimeout: CONNECT_MS,
  });
}

/** Why a mail was not taken: codes only, since the server's own words may repeat what is in the mail. */
function reasonOf(error: unknown): string {
  const status = error instanceof Error && "responseCode" in error ? ` ${String(error.responseCode)}` : "";
  return `${errorCode(error) ?? "error"}${status}`;
}
