import { AccountInputError } from "../../accounts/input-error.js";
import type { MqttApproval } from "../../accounts/mqtt-approvals.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { administratorPage } from "../page.js";
import { boundFields, Form, FormButton, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { dateText, siteName } from "../ui/format.js";
import { DataTable } from "../ui/table.js";
import { accountErrors } from "./account-fields.js";
import { ADMIN_PATH, type AdminSection, type ShowRefused } from "./invitations.js";

const PATH = "/admin/approvals";
const BACK = { redirect: `${ADMIN_PATH}#approvals` };
/** A form's `site` is a site of the account itself; the approval is for a site of any account. */
const SITE_FIELD = "approval_site";
const ACCESS = ["read", "publish"] as const;

/** The MQTT topics that sites may use or wait for. */
export interface ApprovalView {
  sites: readonly { id: string; label: string }[];
  approved: readonly MqttApproval[];
  /** Topics of topic maps that are ignored because they are not approved. */
  waiting: readonly { siteId: string; filter: string }[];
}

/** Collects approvals, open requests and the sites that a topic can be approved for. */
export function approvalView({
  approvals,
  sites,
  book,
}: Pick<PortalOptions, "approvals" | "sites" | "book">): ApprovalView {
  const all = sites.list();
  return {
    sites: all.map((site) => {
      const owner = book.get(site.accountId)?.email;
      const name = siteName(site);
      return { id: site.id, label: owner === undefined ? name : `${name} (${owner})` };
    }),
    approved: approvals.list(),
    waiting: all.flatMap(({ id }) =>
      [...new Set(sites.telemetryMap(id).map(({ topic }) => topic))]
        .filter((filter) => !approvals.mayRead(id, filter))
        .map((filter) => ({ siteId: id, filter })),
    ),
  };
}

/** The forms that approve a topic for a site and revoke an approval; `show`: the page with a refused form. */
export function approvalForms({ approvals }: PortalOptions, show: ShowRefused): Page[] {
  const approve = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const { texts, session } = context;
    const site = form.text(SITE_FIELD);
    const access = ACCESS.find((one) => one === form.text("access"));
    if (access === undefined) return show(context, { form, errors: { access: texts.form.unknown } });
    try {
      await approvals.approve(site, form.text("filter"), { access });
    } catch (error) {
      const { site: siteError, ...errors } = accountErrors(error, texts);
      const shown = siteError === undefined ? errors : { ...errors, [SITE_FIELD]: siteError };
      return show(context, { form, errors: shown });
    }
    context.audit({ event: "mqtt.approved", site });
    session.flash("notice", texts.admin.approvals.done);
    return BACK;
  };

  const revoke = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const site = form.text(SITE_FIELD);
    try {
      await approvals.revoke(site, form.raw("filter"));
    } catch (error) {
      // A second click on an old page: the approval is gone, as requested.
      if (error instanceof AccountInputError && error.code === "unknown_filter") return BACK;
      throw error;
    }
    context.audit({ event: "mqtt.revoked", site });
    context.session.flash("notice", context.texts.admin.approvals.revoked);
    return BACK;
  };

  return [
    administratorPage.post(PATH, { of: ADMIN_PATH }, approve),
    administratorPage.post(`${PATH}/revoke`, { of: ADMIN_PATH }, revoke),
  ];
}

/** Approved and waiting topics by site, with forms to approve and revoke. */
export function ApprovalsSection({ context, view, refused }: AdminSection & { view: ApprovalView }) {
  const { approvals: texts } = context.texts.admin;
  const { column } = texts;
  const field = boundFields(refused?.errors ?? {}, refused?.form);
  const labels = new Map(view.sites.map(({ id, label }) => [id, label]));
  const labelOf = (siteId: string) => labels.get(siteId) ?? siteId;
  return (
    <section class="card" id="approvals" aria-labelledby="approvals-title">
      <h2 id="approvals-title">{texts.title}</h2>
      <p>{texts.intro}</p>
      {view.waiting.length > 0 && (
        <>
          <h3>{texts.waiting}</h3>
          <p>{texts.waitingNote}</p>
          <DataTable
            rows={view.waiting}
            columns={(col) => [
              col.head(column.site, ({ siteId }) => labelOf(siteId)),
              col.text(column.filter, ({ filter }) => <code>{filter}</code>),
              col.text(column.action, ({ siteId, filter }) => (
                <FormButton
                  context={context}
                  action={PATH}
                  class="inline"
                  hidden={{ [SITE_FIELD]: siteId, filter, access: "read" }}
                >
                  {texts.approveReading}
                  <span class="visually-hidden">{` ${filter}`}</span>
                </FormButton>
              )),
            ]}
          />
        </>
      )}
      <h3>{texts.approved}</h3>
      {view.approved.length === 0 ? (
        <p class="empty">{texts.none}</p>
      ) : (
        <DataTable
          rows={view.approved}
          columns={(col) => [
            col.head(column.site, ({ siteId }) => labelOf(siteId)),
            col.text(column.filter, ({ filter }) => <code>{filter}</code>),
            col.text(column.access, ({ access }) => texts.access[access]),
            col.text(column.since, ({ createdAt }) => dateText(createdAt, context)),
            col.text(column.action, ({ siteId, filter }) => (
              <FormButton
                context={context}
                action={`${PATH}/revoke`}
                class="inline"
                hidden={{ [SITE_FIELD]: siteId, filter }}
                kind="danger"
              >
                {texts.revoke}
                <span class="visually-hidden">{` ${filter}`}</span>
              </FormButton>
            )),
          ]}
        />
      )}
      <h3>{texts.newTitle}</h3>
      <Form context={context} action={PATH} label={texts.newTitle}>
        <SelectField
          {...field(SITE_FIELD)}
          label={column.site}
          options={view.sites.map(({ id, label }) => ({ value: id, label }))}
        />
        <TextField
          {...field("filter")}
          label={column.filter}
          hint={texts.filterHint}
          autocomplete="off"
          required
        />
        <SelectField
          {...field("access")}
          label={column.access}
          options={ACCESS.map((access) => ({ value: access, label: texts.access[access] }))}
        />
        <SubmitButton>{texts.approve}</SubmitButton>
      </Form>
    </section>
  );
}
