import type { KeyView } from "../../accounts/key-ring.js";
import type { Site } from "../../config/site.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { pagesOfSite, type SiteContext, titledPage } from "../page.js";
import {
  boundFields,
  type FieldErrors,
  Form,
  NumberField,
  SelectField,
  SubmitButton,
  TextField,
} from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { accountErrors } from "./account-fields.js";

/** Values and errors of the forms of the page. */
interface Typed {
  form: FormBody | undefined;
  errors: FieldErrors;
}

/** The keys of the site: list of prefixes, new keys, limits. */
export function keyPages({ keys }: PortalOptions): Page[] {
  const path = "/settings/keys";
  const ownFirst = pagesOfSite({ redirect: path });
  const show = (context: SiteContext, typed: Typed): PageReply => ({
    page: keysPage(context, keys.list(context.site.id), typed),
    status: typed.form === undefined ? 200 : 422,
  });

  const renew = async (context: SiteContext, site: Site, form: FormBody): Promise<PageReply> => {
    try {
      const { key } = await keys.replace(site.id, form.text("label"));
      context.session.flash("key", key);
      return { redirect: path };
    } catch (error) {
      return show(context, { form, errors: accountErrors(error, context.texts) });
    }
  };

  const limit = async (context: SiteContext, site: Site, form: FormBody): Promise<PageReply> => {
    const { texts } = context;
    const id = form.text("key");
    if (!keys.list(site.id).some((key) => key.id === id && key.revokedAt === undefined))
      return show(context, { form, errors: { key: texts.keys.unknownKey } });
    const typed = form.text("hourly_limit");
    const isWhole = /^\d{1,7}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= 1_000_000;
    if (typed !== "" && !isWhole)
      return show(context, { form, errors: { hourly_limit: texts.keys.limitInvalid } });
    await keys.setHourlyLimit(id, typed === "" ? undefined : Number(typed));
    context.session.flash("notice", texts.keys.limitSaved);
    return { redirect: path };
  };

  return [
    titledPage(({ portal }) => portal.keys.title).get(path, (context) =>
      show(context, { form: undefined, errors: {} }),
    ),
    ownFirst.post(path, { event: "key.replaced" }, renew),
    ownFirst.post(`${path}/limit`, { of: path, event: "key.limit_changed" }, limit),
  ];
}

function keysPage(context: SignedInContext, list: readonly KeyView[], { form, errors }: Typed) {
  const { keys } = context.texts;
  const active = list.filter(({ revokedAt }) => revokedAt === undefined);
  const field = boundFields(errors, form);
  return (
    <Layout {...{ context, errors }} title={keys.title}>
      <p>{keys.intro}</p>
      <section class="card">{list.length === 0 ? <p>{keys.none}</p> : keyTable(context, list)}</section>
      <div class="columns">
        <Card title={keys.newTitle}>
          <p>{keys.newNote}</p>
          <Form context={context} action="/settings/keys">
            <TextField {...field("label")} label={keys.label} hint={keys.labelHint} autocomplete="off" />
            <SubmitButton>{keys.create}</SubmitButton>
          </Form>
        </Card>
        {active.length > 0 && (
          <Card title={keys.limitTitle}>
            <Form context={context} action="/settings/keys/limit">
              <SelectField
                {...field("key")}
                label={keys.column.prefix}
                options={active.map(({ id, prefix, label }) => ({
                  value: id,
                  label: label === "" ? `${prefix}…` : `${prefix}… (${label})`,
                }))}
              />
              <NumberField
                // Of several keys none is chosen yet.
                {...field("hourly_limit", active.length === 1 ? active[0]!.hourlyLimit : undefined)}
                label={keys.column.limit}
                hint={keys.limitHint}
              />
              <SubmitButton>{keys.limitSave}</SubmitButton>
            </Form>
          </Card>
        )}
      </div>
    </Layout>
  );
}

function keyTable(context: SignedInContext, list: readonly KeyView[]) {
  const { keys } = context.texts;
  const { column } = keys;
  return (
    <DataTable
      rows={list.toReversed()}
      columns={(col) => [
        col.text(column.prefix, ({ prefix }) => <code>{prefix}…</code>),
        col.text(column.label, ({ label }) => label),
        col.text(column.created, ({ createdAt }) => dateTimeText(createdAt, context)),
        col.text(column.state, ({ revokedAt }) =>
          revokedAt === undefined ? keys.active : keys.revoked(dateTimeText(revokedAt, context)),
        ),
        col.number(column.limit, ({ hourlyLimit }) => hourlyLimit ?? "–"),
      ]}
    />
  );
}
