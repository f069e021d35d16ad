import { NOTIFICATION_CHANNELS, NOTIFICATION_KINDS } from "../../core/domain/notification.js";
import type { NotificationMessage } from "../../messages/notifications/message.js";
import type { LogEntry } from "../../messages/notifications/rules.js";
import type { NotificationService } from "../../messages/notifications/service.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { type FieldErrors, type FieldSpec, FormFields, Notice } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { noSite } from "../ui/notices.js";
import { Card, submitButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { GuardedForm } from "../ui/unsaved.js";

export const NOTIFICATIONS_PATH = "/settings/notifications";

/** Services that the page "Notifications" uses. */
export interface NotificationPageOptions {
  notifications: Pick<NotificationService, "settings" | "test" | "log" | "preview">;
  hasMailServer: boolean;
  wallNowMs?: () => number;
}

interface Refused {
  form: FormBody;
  errors: FieldErrors;
}

/** One form for everything, so that no button drops what was typed elsewhere. */
export async function notificationsPage(
  context: SignedInContext,
  { notifications, hasMailServer }: NotificationPageOptions,
  refused?: Refused,
) {
  const { site, language } = context;
  const texts = textsOf(language).notifications;
  const secret = context.session.takeFlash("secret");
  const log = site === undefined ? [] : await notifications.log(site.id);
  const story = site && (await notifications.preview(site, language));
  return (
    <Layout
      context={context}
      title={texts.title}
      scripts={["client/settings.js"]}
      errors={refused?.errors ?? {}}
    >
      {secret !== undefined && (
        <Notice kind="success">
          <p>{texts.secret}</p>
          <code class="secret">{secret}</code>
        </Notice>
      )}
      <p>{texts.intro}</p>
      {site === undefined ? (
        noSite(context)
      ) : (
        <>
          <GuardedForm
            context={context}
            action={NOTIFICATIONS_PATH}
            isTyped={refused !== undefined}
            submit={texts.save}
          >
            {settingCards(context, notifications.settings, hasMailServer, refused)}
          </GuardedForm>
          {storyCard(context, story)}
          {recentCard(context, log)}
        </>
      )}
    </Layout>
  );
}

type AccountSettings = NotificationService["settings"];

/** What is reported and when, and below it the channels, each folded while it is off. */
function settingCards(
  context: SignedInContext,
  settings: AccountSettings,
  hasMailServer: boolean,
  refused: Refused | undefined,
) {
  const texts = textsOf(context.language).notifications;
  const errors = refused?.errors ?? {};
  const held = heldTexts(context, settings);
  const recipient = settings.recipient(context.account.id);
  const textOf = (name: string) => (refused === undefined ? held[name] : refused.form.text(name)) ?? "";
  const show = (fields: readonly FieldSpec[]) => (
    <FormFields fields={fields} textOf={textOf} errors={errors} />
  );
  const isRefused = (fields: readonly FieldSpec[]) => fields.some(({ name }) => errors[name] !== undefined);
  const { kinds, times, ...channels } = fieldsOf(context, settings);
  return (
    <>
      <Card title={texts.what}>
        {show(kinds)}
        <details open={isRefused(times)}>
          <summary>{texts.quietAndLanguage(textOf("from"), textOf("to"))}</summary>
          <p class="hint">{texts.quietNote}</p>
          {show(times)}
        </details>
      </Card>
      <div class="columns">
        {NOTIFICATION_CHANNELS.map((channel) => {
          const isOn = textOf(channel) === "true";
          return (
            <details key={channel} class="card" open={isOn || isRefused(channels[channel])}>
              <summary>{texts.channelState(texts.channels[channel], isOn)}</summary>
              {show([{ kind: "tick", name: channel, label: texts.enabled[channel] }])}
              {channel === "email" && !hasMailServer && <Notice kind="warning">{texts.noMailServer}</Notice>}
              {channel === "email" && !recipient.mayChange && <p>{texts.addressNote(recipient.address)}</p>}
              {show(channels[channel])}
              {submitButton(texts.test, { kind: "plain", name: "test", value: channel })}
            </details>
          );
        })}
      </div>
    </>
  );
}

/** The fields of the page in their order. */
function fieldsOf({ account, language }: SignedInContext, settings: AccountSettings) {
  const texts = textsOf(language).notifications;
  const { ntfy, webhook } = settings.of(account.id);
  const [hasToken, hasSecret] = [ntfy.token !== undefined, webhook.secret !== undefined];
  const some = (isShown: boolean, field: FieldSpec) => (isShown ? [field] : []);
  const languages = Object.entries(texts.languages).map(([value, label]) => ({ value, label }));
  return {
    kinds: NOTIFICATION_KINDS.map((kind): FieldSpec => {
      return { kind: "tick", name: `kind_${kind}`, ...texts.kinds[kind] };
    }),
    times: [
      { name: "from", label: texts.from, placeholder: "22:00" },
      { name: "to", label: texts.to, placeholder: "07:00" },
      { kind: "choice", name: "language", label: texts.language, options: languages },
    ] satisfies FieldSpec[],
    email: some(settings.recipient(account.id).mayChange, {
      name: "address",
      type: "email",
      label: texts.address,
      autocomplete: "email",
    }),
    ntfy: [
      {
        name: "server",
        inputMode: "url",
        label: texts.server,
        hint: texts.serverHint[settings.allowsPrivate(account.id) ? "local" : "public"],
      },
      { name: "topic", label: texts.topic, hint: texts.topicHint },
      {
        name: "token",
        type: "password",
        label: texts.token,
        hint: hasToken ? texts.tokenStored : texts.tokenHint,
      },
      ...some(hasToken, { kind: "tick", name: "token_remove", label: texts.tokenRemove }),
    ] satisfies FieldSpec[],
    webhook: [
      { name: "url", inputMode: "url", label: texts.url, hint: texts.urlHint },
      ...some(hasSecret, {
        kind: "tick",
        name: "secret_renew",
        label: texts.secretRenew,
        hint: texts.secretStored,
      }),
    ] satisfies FieldSpec[],
  };
}

/** The stored settings by the names of their fields; never the token. */
function heldTexts({ account: { id }, language }: SignedInContext, settings: AccountSettings) {
  const { off, quiet, email, ntfy, webhook } = settings.of(id);
  const recipient = settings.recipient(id);
  const kinds = NOTIFICATION_KINDS.map((kind) => [`kind_${kind}`, String(!off.includes(kind))]);
  const held: Record<string, string> = {
    ...Object.fromEntries(kinds),
    from: quiet?.from ?? "",
    to: quiet?.to ?? "",
    // That of an account that never chose one is only a default.
    language: settings.isSet(id) ? recipient.language : language,
    email: String(email.enabled),
    address: recipient.address,
    ntfy: String(ntfy.enabled),
    server: ntfy.server,
    topic: ntfy.topic,
    webhook: String(webhook.enabled),
    url: webhook.url,
  };
  return held;
}

/** What the weekly story would be. */
function storyCard(context: SignedInContext, story: NotificationMessage | undefined) {
  const texts = textsOf(context.language).notifications;
  return (
    <Card title={texts.preview} id="story">
      {story === undefined ? (
        <p>{texts.previewNone}</p>
      ) : (
        <>
          <p>
            <strong>{story.title}</strong>
          </p>
          {story.text.split("\n").map((line) => (
            <p key={line}>{line}</p>
          ))}
        </>
      )}
    </Card>
  );
}

function recentCard(context: SignedInContext, log: readonly LogEntry[]) {
  const texts = textsOf(context.language).notifications;
  const { column } = texts;
  return (
    <Card title={texts.recent}>
      {log.length === 0 ? (
        <p>{texts.none}</p>
      ) : (
        <DataTable
          rows={log}
          columns={(col) => [
            col.head(column.time, ({ atMs }) => dateTimeText(new Date(atMs), context)),
            col.text(column.message, ({ kind }) => texts.kinds[kind].label),
            col.text(column.channel, ({ channel }) => texts.channels[channel]),
            col.text(column.result, ({ fault }) => (
              <span class={fault === null ? "state ok" : "state failed"}>
                {fault === null
                  ? texts.delivered
                  : Object.hasOwn(texts.faults, fault)
                    ? texts.faults[fault as keyof typeof texts.faults]
                    : fault}
              </span>
            )),
          ]}
        />
      )}
    </Card>
  );
}
