import { NOTIFICATION_CHANNELS, NOTIFICATION_KINDS } from "../../core/domain/notification.js";
import {
  type NotificationField,
  type NotificationInput,
  NotificationInputError,
} from "../../messages/notifications/settings.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { accountPage } from "../page.js";
import { AttemptThrottle, isRefused } from "../throttle.js";
import type { FieldErrors } from "../ui/form.js";
import { NOTIFICATIONS_PATH, type NotificationPageOptions, notificationsPage } from "./page.js";

/** Test messages per account; limits their use for scanning other hosts. */
const TESTS = 20;
const TESTS_WINDOW_MS = 10 * 60 * 1000;

/** What an account is notified of, and how. */
export function notificationPages(options: NotificationPageOptions): Page[] {
  const { notifications, wallNowMs = Date.now } = options;
  const { settings } = notifications;
  const throttle = new AttemptThrottle({ limit: TESTS, windowMs: TESTS_WINDOW_MS, wallNowMs });

  const show = async (context: SignedInContext, refused?: { form: FormBody; errors: FieldErrors }) => ({
    page: await notificationsPage(context, options, refused),
    status: refused === undefined ? 200 : 422,
  });

  const test = async (context: SignedInContext, channel: NonNullable<NotificationInput["tested"]>) => {
    if (context.site === undefined) return undefined;
    const attempt = throttle.begin([context.account.id]);
    if (isRefused(attempt)) return attempt;
    try {
      const texts = textsOf(context.language).notifications;
      const fault = await notifications.test(context.site, channel);
      const address = settings.recipient(context.account.id).address;
      if (fault === null) context.session.flash("notice", texts.tested[channel](address));
      else context.session.flash("refused", texts.testFailed(texts.channels[channel], texts.faults[fault]));
    } finally {
      attempt.end("counted");
    }
    return undefined;
  };

  return [
    accountPage.get(NOTIFICATIONS_PATH, (context) => show(context)),
    accountPage.post(
      NOTIFICATIONS_PATH,
      { event: "notifications.changed" },
      async (context, form): Promise<PageReply> => {
        const input = readInput(form);
        const texts = textsOf(context.language).notifications;
        try {
          const { secret } = await settings.set(context.account.id, input);
          if (secret !== undefined) context.session.flash("secret", secret);
        } catch (error) {
          if (!(error instanceof NotificationInputError)) throw error;
          const fields = Object.entries(error.faults) as [NotificationField, keyof typeof texts.errors][];
          return show(context, {
            form,
            errors: Object.fromEntries(fields.map(([field, code]) => [field, texts.errors[code]])),
          });
        }
        context.session.flash("notice", texts.saved);
        const refused = input.tested === undefined ? undefined : await test(context, input.tested);
        return refused === undefined
          ? { redirect: NOTIFICATIONS_PATH }
          : { refuse: 429, retryAfterSeconds: refused.retryAfterSeconds };
      },
    ),
  ];
}

function readInput(form: FormBody): NotificationInput {
  return {
    kinds: NOTIFICATION_KINDS.filter((kind) => form.isTicked(`kind_${kind}`)),
    from: form.text("from"),
    to: form.text("to"),
    language: form.text("language"),
    email: { enabled: form.isTicked("email"), address: form.text("address") },
    ntfy: {
      enabled: form.isTicked("ntfy"),
      server: form.text("server"),
      topic: form.text("topic"),
      token: form.text("token"),
      removeToken: form.isTicked("token_remove"),
    },
    webhook: {
      enabled: form.isTicked("webhook"),
      url: form.text("url"),
      renewSecret: form.isTicked("secret_renew"),
    },
    tested: NOTIFICATION_CHANNELS.find((channel) => channel === form.text("test")),
  };
}
