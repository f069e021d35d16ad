import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { linkedBody } from "../mail/link-mail.js";
import type { DirectMailer, MailRefusal } from "../mail/mailer.js";
import type { DeliveryAttempt, DeliveryFault } from "../webhooks/attempt.js";
import type { Sender } from "../webhooks/sender.js";
import type { NotificationMessage } from "./message.js";
import type { AccountNotifications } from "./settings.js";

/** Why a message did not arrive; the texts of the portal are keyed by it. */
export type NotificationFault =
  | DeliveryFault
  | MailRefusal["fault"]
  /** The ntfy server refuses the token or the topic. */
  | "unauthorized"
  /** The server refuses more messages for now. */
  | "limited";

/** Result of an attempt; null: the message was accepted. */
export type ChannelFault = NotificationFault | null;

/** Emergency of a message for ntfy: 3 is the default, 4 high. */
const PRIORITIES: Partial<Record<NotificationMessage["kind"], number>> = {
  actuator_failed: 4,
  battery_not_following: 4,
  telemetry_lost: 4,
};

/** One attempt to mail a message. */
export async function sendMail(
  mailer: DirectMailer,
  to: string,
  { title, text, link }: NotificationMessage,
  language: Language,
): Promise<ChannelFault> {
  const { open, settings } = textsOf(language).notifications.message;
  const after = [settings(link.replace("/dashboard?", "/settings/notifications?"))];
  const body = linkedBody({ before: [...text.split("\n"), open], after }, { link, language });
  const refusal = await mailer.attempt({ to, subject: title, ...body });
  return refusal?.fault ?? null;
}

/** One attempt to publish a message on an ntfy server, as JSON, so that topic and title may have any characters. */
export async function sendNtfy(
  sender: Pick<Sender, "send">,
  { server, topic, token }: AccountNotifications["ntfy"],
  { kind, title, text, link }: NotificationMessage,
  allowPrivateHosts: boolean,
): Promise<ChannelFault> {
  const attempt = await sender.send({
    url: new URL(server),
    rawBody: JSON.stringify({ topic, title, message: text, click: link, priority: PRIORITIES[kind] ?? 3 }),
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    allowPrivateHosts,
  });
  return faultOf(attempt);
}

/** One attempt to send a message as a signed event. */
export async function sendEvent(
  sender: Pick<Sender, "send">,
  { url, secret }: AccountNotifications["webhook"],
  message: NotificationMessage,
  allowPrivateHosts: boolean,
): Promise<ChannelFault> {
  const { id, kind, siteId, title, text, issuedAt, link, details } = message;
  const rawBody = JSON.stringify({
    event: "notification",
    issued_at: issuedAt,
    id,
    kind,
    site: siteId,
    title,
    text,
    url: link,
    details,
  });
  return faultOf(await sender.send({ url: new URL(url), rawBody, secret, allowPrivateHosts }));
}

function faultOf({ status, error }: DeliveryAttempt): ChannelFault {
  if (error === null) return null;
  if (status === 401 || status === 403) return "unauthorized";
  return status === 429 ? "limited" : error.code;
}
