import type { Delivery } from "../../messages/webhooks/history.js";
import type { PortalTexts } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { pagesOfSite, type SiteContext, titledPage } from "../page.js";
import { AttemptThrottle, isRefused } from "../throttle.js";
import { type FieldErrors, Form, Notice, SubmitButton, TextField } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card, formButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";

const PATH = "/settings/webhook";
/** Test events per site; limits their use for scanning other hosts. */
const TESTS = 20;
const TESTS_WINDOW_MS = 10 * 60 * 1000;

/** An account without sites is led to the page, which says so. */
const ownFirst = pagesOfSite({ redirect: PATH });

/** The webhook of the site: URL, secret, test, latest deliveries. */
export function webhookPages({ webhooks, wallNowMs = Date.now }: PortalOptions): Page[] {
  const throttle = new AttemptThrottle({ limit: TESTS, windowMs: TESTS_WINDOW_MS, wallNowMs });

  const show = (context: SiteContext, refused?: { url: string; errors: FieldErrors }): PageReply => {
    const { id } = context.site;
    const [webhook, deliveries] = [webhooks.get(id), webhooks.deliveries(id)];
    return {
      page: webhookPage(context, { webhook, deliveries, refused }),
      status: refused === undefined ? 200 : 422,
    };
  };

  /** Applies a form; refused input is shown again with the error at the URL. */
  const act = (
    path: string,
    run: (siteId: string, context: SiteContext, form: FormBody) => Promise<PageReply | undefined>,
  ): Page =>
    ownFirst.post(path, { of: PATH, event: "webhook.changed" }, async (context, site, form) => {
      try {
        return (await run(site.id, context, form)) ?? { redirect: PATH };
      } catch (error) {
        const url = form.has("url") ? form.text("url") : (webhooks.get(site.id)?.url ?? "");
        return show(context, { url, errors: { url: reasonOf(error, context) } });
      }
    });

  return [
    titledPage(({ portal }) => portal.webhook.title).get(PATH, (context) => show(context)),
    act(PATH, async (siteId, context, form) => {
      await webhooks.set(siteId, form.text("url"));
      context.session.flash("notice", context.texts.webhook.saved);
      return undefined;
    }),
    act(`${PATH}/secret`, async (siteId, context) => {
      await webhooks.rotateSecret(siteId);
      context.session.flash("notice", context.texts.webhook.rotated);
      return undefined;
    }),
    act(`${PATH}/test`, async (siteId, context) => {
      const attempt = throttle.begin([siteId]);
      if (isRefused(attempt)) return { refuse: 429, ...attempt };
      try {
        const delivery = await webhooks.test(siteId);
        const { webhook } = context.texts;
        const { status, durationMs, error } = delivery;
        const ms = Math.round(durationMs);
        const text =
          error === null && status !== null
            ? webhook.testOk(status, ms)
            : webhook.testFailed(deliveryText(delivery, webhook), ms);
        context.session.flash(error === null ? "notice" : "refused", text);
      } finally {
        attempt.end("counted");
      }
      return undefined;
    }),
    act(`${PATH}/remove`, async (siteId, context) => {
      await webhooks.remove(siteId);
      context.session.flash("notice", context.texts.webhook.removed);
      return undefined;
    }),
  ];
}

/** What is wrong with what was entered, in the page's language. Throws every other error on. */
function reasonOf(error: unknown, { texts }: SignedInContext): string {
  const reasons: Readonly<Record<string, string>> = texts.webhook.error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  if (reason === undefined) throw error;
  return reason;
}

interface WebhookProps {
  webhook: { url: string; secret: string; failing: boolean } | undefined;
  deliveries: readonly Delivery[];
  refused: { url: string; errors: FieldErrors } | undefined;
}

function webhookPage(context: SignedInContext, { webhook, deliveries, refused }: WebhookProps) {
  const { webhook: texts } = context.texts;
  return (
    <Layout context={context} errors={refused?.errors ?? {}} title={texts.title}>
      {webhook?.failing === true && <Notice kind="warning">{texts.failing}</Notice>}
      <p>{texts.intro}</p>
      <Form context={context} action={PATH} class="card">
        <TextField
          name="url"
          type="text"
          inputMode="url"
          label={texts.url}
          hint={texts.urlHint}
          value={refused?.url ?? webhook?.url}
          error={refused?.errors.url}
          autocomplete="off"
          required
        />
        <SubmitButton>{texts.save}</SubmitButton>
      </Form>
      {webhook !== undefined && registered(context, webhook.secret)}
      <Card title={texts.deliveries}>{deliveryTable(context, deliveries)}</Card>
    </Layout>
  );
}

/** What there is to do with a webhook that is registered. */
function registered(context: SignedInContext, secret: string) {
  const { webhook: texts } = context.texts;
  return (
    <div class="columns">
      <Card title={texts.secret}>
        <code class="secret">{secret}</code>
        <p>{texts.secretNote}</p>
        <Form context={context} action={`${PATH}/secret`}>
          <p class="hint">{texts.rotateNote}</p>
          <SubmitButton kind="plain">{texts.rotate}</SubmitButton>
        </Form>
      </Card>
      <Card title={texts.testTitle}>
        <p>{texts.testNote}</p>
        {formButton(context, `${PATH}/test`, texts.test)}
      </Card>
      <Card title={texts.removeTitle}>
        {formButton(context, `${PATH}/remove`, texts.remove, { kind: "danger" })}
      </Card>
    </div>
  );
}

/** Results of the latest deliveries of a webhook. */
function deliveryTable(context: SignedInContext, deliveries: readonly Delivery[]) {
  const { webhook: texts } = context.texts;
  if (deliveries.length === 0) return <p>{texts.noDeliveries}</p>;
  const { column } = texts;
  return (
    <DataTable
      rows={deliveries}
      columns={(col) => [
        col.text(column.time, ({ time }) => dateTimeText(time, context)),
        col.text(column.event, ({ event }) => <code>{event}</code>),
        col.text(column.result, (delivery) => (
          <span class={delivery.error === null ? "state ok" : "state failed"}>
            {deliveryText(delivery, texts)}
          </span>
        )),
        col.number(column.duration, ({ durationMs }) => `${Math.round(durationMs)} ms`),
      ]}
    />
  );
}

/** Result of a delivery with the status of the response, if any. */
function deliveryText({ status, error }: Delivery, texts: PortalTexts["webhook"]): string {
  const faults: Readonly<Record<string, string>> = texts.fault;
  const text = error === null ? texts.delivered : (faults[error.code] ?? error.message);
  return status === null ? text : `${status}, ${text}`;
}
