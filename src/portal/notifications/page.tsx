import { NOTIFICATION_CHANNELS, NOTIFICATION_KINDS } from "../../core/domain/notification.js";
import type { NotificationMessage } from "../../messages/notifications/message.js";
import type { LogEntry } from "../../messages/notifications/rules.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import {
  ErrorSummary,
  type FieldErrors,
  type FieldSpec,
  Form,
  FormFields,
  Notice,
  SubmitButton,
} from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { NoSite } from "../ui/notices.js";
import { DataTable } from "../ui/table.js";
import { guardClass, UnsavedMark } from "../ui/unsaved.js";

export const NOTIFICATIONS_PATH = "/settings/notifications";

interface NotificationsPageProps {
  context: SignedInContext;
  /** The stored settings by the names of their fields; never the token. */
  held: Readonly<Record<string, string>>;
  refused: { form: FormBody; errors: FieldErrors } | undefined;
  recipient: { address: string; mayChange: boolean };
  hasMailServer: boolean;
  /** A token of ntfy, or a signing secret, is stored. */
  hasToken: boolean;
  hasSecret: boolean;
  allowsPrivate: boolean;
  log: readonly LogEntry[];
  /** The weekly story; undefined: nothing is known. */
  story: NotificationMessage | undefined;
}

/** One form for everything, so that no button drops what was typed elsewhere. */
export function NotificationsPage(props: NotificationsPageProps) {
  const { context, refused, log } = props;
  const texts = textsOf(context.language).notifications;
  const secret = context.session.takeFlash("secret");
  return (
    <Layout context={context} title={texts.title} scripts={["client/settings.js"]}>
      {secret !== undefined && (
        <Notice kind="success">
          <p>{texts.secret}</p>
          <code class="secret">{secret}</code>
        </Notice>
      )}
      <ErrorSummary context={context} errors={refused?.errors ?? {}} />
      <p>{texts.intro}</p>
      {context.site === undefined ? (
        <NoSite context={context} />
      ) : (
        <>
          <Form context={context} action={NOTIFICATIONS_PATH} class={guardClass(refused !== undefined)}>
            {/* The enter key presses the first button. */}
            <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />
            <Settings {...props} />
            <div class="buttons">
              <SubmitButton>{texts.save}</SubmitButton>
              <UnsavedMark language={context.language} isTyped={refused !== undefined} />
            </div>
          </Form>
          <Story {...props} />
          <Recent context={context} log={log} />
        </>
      )}
    </Layout>
  );
}

/** What is reported and when, and below it the channels, each folded while it is off. */
function Settings(props: NotificationsPageProps) {
  const { context, held, refused, hasMailServer, recipient } = props;
  const texts = textsOf(context.language).notifications;
  const errors = refused?.errors ?? {};
  const textOf = (name: string) => (refused === undefined ? held[name] : refused.form.text(name)) ?? "";
  const show = (fields: readonly FieldSpec[]) => (
    <FormFields fields={fields} textOf={textOf} errors={errors} />
  );
  const isRefused = (fields: readonly FieldSpec[]) => fields.some(({ name }) => errors[name] !== undefined);
  const { kinds, times, ...channels } = fieldsOf(props);
  return (
    <>
      <section class="card">
        <h2>{texts.what}</h2>
        {show(kinds)}
        <details open={isRefused(times)}>
          <summary>{texts.quietAndLanguage(textOf("from"), textOf("to"))}</summary>
          <p class="hint">{texts.quietNote}</p>
          {show(times)}
        </details>
      </section>
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
              <SubmitButton kind="plain" name="test" value={channel}>
                {texts.test}
              </SubmitButton>
            </details>
          );
        })}
      </div>
    </>
  );
}

/** The fields of the page in their order. */
function fieldsOf({ context, recipient, hasToken, hasSecret, allowsPrivate }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
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
    email: some(recipient.mayChange, {
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
        hint: texts.serverHint[allowsPrivate ? "local" : "public"],
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

function Story({ context, story }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
  return (
    <section class="card" id="story">
      <h2>{texts.preview}</h2>
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
    </section>
  );
}

function Recent({ context, log }: { context: SignedInContext; log: readonly LogEntry[] }) {
  const texts = textsOf(context.language).notifications;
  const { column } = texts;
  return (
    <section class="card">
      <h2>{texts.recent}</h2>
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
    </section>
  );
}
