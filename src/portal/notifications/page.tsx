import type { ComponentChildren } from "preact";
import { NOTIFICATION_KINDS, type NotificationChannel } from "../../core/domain/notification.js";
import type { NotificationMessage } from "../../messages/notifications/message.js";
import type { LogEntry } from "../../messages/notifications/rules.js";
import type { NotificationInput } from "../../messages/notifications/settings.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import {
  boundFields,
  CheckboxField,
  ErrorSummary,
  type FieldErrors,
  Form,
  guardClass,
  Notice,
  SelectField,
  SubmitButton,
  TextField,
  UnsavedMark,
} from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Done, Failed, NoSite } from "../ui/notices.js";
import { DataTable } from "../ui/table.js";

export const NOTIFICATIONS_PATH = "/settings/notifications";

interface NotificationsPageProps {
  context: SignedInContext;
  input: NotificationInput;
  errors: FieldErrors;
  recipient: { address: string; mayChange: boolean };
  hasMailServer: boolean;
  /** A token of ntfy, or a signing secret, is stored. */
  hasToken: boolean;
  hasSecret: boolean;
  allowsPrivate: boolean;
  log: readonly LogEntry[];
  /** The weekly story as it would be sent; undefined: nothing is known. */
  story: NotificationMessage | undefined;
}

/** One form for everything, so that no button drops what was typed elsewhere. */
export function NotificationsPage(props: NotificationsPageProps) {
  const { context, errors, log } = props;
  const texts = textsOf(context.language).notifications;
  const secret = context.session.takeFlash("secret");
  return (
    <Layout context={context} title={texts.title} scripts={["client/settings.js"]}>
      <Done text={context.session.takeFlash("notice")} />
      <Failed text={context.session.takeFlash("outcome")} />
      {secret !== undefined && (
        <Notice kind="success">
          <p>{texts.secret}</p>
          <code class="secret">{secret}</code>
        </Notice>
      )}
      <ErrorSummary context={context} errors={errors} />
      <p>{texts.intro}</p>
      {context.site === undefined ? (
        <NoSite context={context} />
      ) : (
        <>
          <Form context={context} action={NOTIFICATIONS_PATH} class={guardClass(hasErrors(errors))}>
            {/* The enter key presses the first button. */}
            <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />
            <Choices {...props} />
            <div class="columns">
              <Email {...props} />
              <Ntfy {...props} />
              <Webhook {...props} />
            </div>
            <Save context={context} errors={errors} />
          </Form>
          <Story {...props} />
          <Recent context={context} log={log} />
        </>
      )}
    </Layout>
  );
}

function Choices({ context, input, errors }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
  const field = boundFields(errors);
  return (
    <section class="card">
      <h2>{texts.what}</h2>
      {NOTIFICATION_KINDS.map((kind) => (
        <CheckboxField
          key={kind}
          name={`kind_${kind}`}
          label={texts.kinds[kind].label}
          hint={texts.kinds[kind].hint}
          checked={input.kinds.includes(kind)}
        />
      ))}
      <details open={["from", "to", "language"].some((field) => errors[field] !== undefined)}>
        <summary>{texts.quietAndLanguage(input.from, input.to)}</summary>
        <p class="hint">{texts.quietNote}</p>
        <TextField {...field("from", input.from)} label={texts.from} placeholder="22:00" />
        <TextField {...field("to", input.to)} label={texts.to} placeholder="07:00" />
        <SelectField
          {...field("language", input.language)}
          label={texts.language}
          options={Object.entries(texts.languages).map(([value, label]) => ({ value, label }))}
        />
      </details>
    </section>
  );
}

const hasErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0;

function Save({ context, errors }: Pick<NotificationsPageProps, "context" | "errors">) {
  return (
    <div class="buttons">
      <SubmitButton>{textsOf(context.language).notifications.save}</SubmitButton>
      <UnsavedMark language={context.language} isTyped={hasErrors(errors)} />
    </div>
  );
}

function Email({ context, input: { email }, errors, recipient, hasMailServer }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
  const field = boundFields(errors);
  return (
    <Channel
      context={context}
      channel="email"
      enabled={email.enabled}
      hasError={errors.address !== undefined}
    >
      {!hasMailServer && <Notice kind="warning">{texts.noMailServer}</Notice>}
      {recipient.mayChange ? (
        <TextField
          {...field("address", email.address)}
          type="email"
          label={texts.address}
          autocomplete="email"
        />
      ) : (
        <p>{texts.addressNote(recipient.address)}</p>
      )}
    </Channel>
  );
}

function Ntfy({ context, input: { ntfy }, errors, hasToken, allowsPrivate }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
  const field = boundFields(errors);
  return (
    <Channel
      context={context}
      channel="ntfy"
      enabled={ntfy.enabled}
      hasError={["server", "topic", "token"].some((field) => errors[field] !== undefined)}
    >
      <TextField
        {...field("server", ntfy.server)}
        inputMode="url"
        label={texts.server}
        hint={allowsPrivate ? texts.serverHint.local : texts.serverHint.public}
        autocomplete="off"
      />
      <TextField
        {...field("topic", ntfy.topic)}
        label={texts.topic}
        hint={texts.topicHint}
        autocomplete="off"
      />
      <TextField
        {...field("token", ntfy.token)}
        type="password"
        label={texts.token}
        hint={hasToken ? texts.tokenStored : texts.tokenHint}
        autocomplete="off"
      />
      {hasToken && <CheckboxField name="token_remove" label={texts.tokenRemove} checked={ntfy.removeToken} />}
    </Channel>
  );
}

function Webhook({ context, input: { webhook }, errors, hasSecret }: NotificationsPageProps) {
  const texts = textsOf(context.language).notifications;
  const field = boundFields(errors);
  return (
    <Channel
      context={context}
      channel="webhook"
      enabled={webhook.enabled}
      hasError={errors.url !== undefined}
    >
      <TextField
        {...field("url", webhook.url)}
        inputMode="url"
        label={texts.url}
        hint={texts.urlHint}
        autocomplete="off"
      />
      {hasSecret && (
        <CheckboxField
          name="secret_renew"
          label={texts.secretRenew}
          hint={texts.secretStored}
          checked={webhook.renewSecret}
        />
      )}
    </Channel>
  );
}

interface ChannelProps {
  context: SignedInContext;
  channel: NotificationChannel;
  enabled: boolean;
  hasError: boolean;
  children: ComponentChildren;
}

/** The settings of a channel, folded while it is off. */
function Channel({ context, channel, enabled, hasError, children }: ChannelProps) {
  const texts = textsOf(context.language).notifications;
  return (
    <details class="card" open={enabled || hasError}>
      <summary>{texts.channelState(texts.channels[channel], enabled)}</summary>
      <CheckboxField name={channel} label={texts.enabled[channel]} checked={enabled} />
      {children}
      <SubmitButton kind="plain" name="test" value={channel}>
        {texts.test}
      </SubmitButton>
    </details>
  );
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
