import type { AccountView } from "../../accounts/account-repository.js";
import { GIVEN_PLANS } from "../../core/domain/tier.js";
import type { ComponentHealth } from "../../core/health-registry.js";
import { dayInterval, VIENNA } from "../../core/time/zone.js";
import type { ForecastRun } from "../../forecast/price/forecast.js";
import { componentName, componentText } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { administratorPage } from "../page.js";
import { boundFields, type FieldErrors, Form, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { dateText, dateTimeText, lastDayText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card, formButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { accountErrors } from "./account-fields.js";
import { ApprovalsSection, type ApprovalView, approvalForms, approvalView } from "./approvals.js";
import { ADMIN_PATH, type AdminSection, InvitationSection, invitationForm } from "./invitations.js";

/** Page of the administrator: accounts and plans, manual forecast run, components. */
export function adminPages(options: PortalOptions): Page[] {
  const { book, sites, forecast, components, log } = options;
  const show = (context: SignedInContext, refused?: AdminSection["refused"]): PageReply => ({
    page: adminPage(context, {
      accounts: book.list().map((account) => ({ account, siteCount: sites.of(account.id).length })),
      run: forecast.current(),
      components: components.list(),
      approvals: approvalView(options),
      refused,
    }),
    status: refused === undefined ? 200 : 422,
  });

  const setPlan = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const { texts, session } = context;
    const refuse = (errors: FieldErrors) => show(context, { form, errors });
    const account = book.byEmail(form.text("email"));
    if (account === undefined) return refuse({ email: texts.inputError.unknown_account });
    const plan = GIVEN_PLANS.find((one) => one === form.text("plan"));
    if (plan === undefined) return refuse({ plan: texts.form.unknown });
    const until = form.text("until");
    const end = until === "" ? undefined : endOfDay(until);
    if (until !== "" && end === undefined) return refuse({ until: texts.admin.untilInvalid });
    try {
      await book.setPlan(account.id, plan, end === undefined ? {} : { until: end });
    } catch (error) {
      return refuse(accountErrors(error, texts));
    }
    session.flash("notice", texts.admin.planSet);
    return { redirect: ADMIN_PATH };
  };

  const runForecast = async (context: SignedInContext): Promise<PageReply> => {
    const { texts, session } = context;
    try {
      await forecast.run("manual");
      session.flash("notice", texts.admin.forecastDone);
    } catch (error) {
      log.error({ err: error }, "A forecast run that was asked for in the portal failed.");
      session.flash("refused", texts.admin.forecastFailed);
    }
    return { redirect: ADMIN_PATH };
  };

  return [
    administratorPage.get(ADMIN_PATH, (context) => show(context)),
    administratorPage.post(`${ADMIN_PATH}/plan`, { of: ADMIN_PATH, event: "plan.changed" }, setPlan),
    administratorPage.post(`${ADMIN_PATH}/forecast`, { of: ADMIN_PATH }, runForecast),
    invitationForm(options, show),
    ...approvalForms(options, show),
  ];
}

/** The end of a day in Vienna, such as 2026-12-31; undefined for an invalid date. */
function endOfDay(date: string): Date | undefined {
  const at = new Date(`${date}T00:00:00Z`);
  const isDay = /^2\d{3}-\d\d-\d\d$/.test(date) && !Number.isNaN(at.getTime());
  // 31 February would otherwise become a day in March.
  return isDay && at.toISOString().startsWith(date) ? dayInterval(date, VIENNA).end : undefined;
}

interface AdminProps {
  accounts: readonly { account: AccountView; siteCount: number }[];
  run: ForecastRun | undefined;
  components: readonly ComponentHealth[];
  approvals: ApprovalView;
  refused: AdminSection["refused"];
}

function adminPage(context: SignedInContext, { accounts, run, components, approvals, refused }: AdminProps) {
  const { admin } = context.texts;
  return (
    <Layout context={context} errors={refused?.errors ?? {}} title={admin.title}>
      {context.isShared && (
        <Card title={admin.accounts}>
          <AccountTable context={context} accounts={accounts} />
        </Card>
      )}
      <div class="columns">
        {context.isShared && (
          <Card title={admin.setPlan}>
            <PlanForm {...{ context, refused }} emails={accounts.map(({ account }) => account.email)} />
          </Card>
        )}
        <InvitationSection {...{ context, refused }} />
        <Card title={admin.forecast}>
          <p>
            {run === undefined
              ? admin.forecastNone
              : admin.forecastLast(dateTimeText(run.issuedAt, context), run.modelVersion)}
          </p>
          {formButton(context, `${ADMIN_PATH}/forecast`, admin.forecastRun)}
        </Card>
      </div>
      <ApprovalsSection {...{ context, refused }} view={approvals} />
      <Card title={admin.components}>{componentTable(context, components)}</Card>
    </Layout>
  );
}

function PlanForm({ context, emails, refused }: AdminSection & { emails: readonly string[] }) {
  const field = boundFields(refused?.errors ?? {}, refused?.form);
  const { admin } = context.texts;
  return (
    <Form context={context} action={`${ADMIN_PATH}/plan`}>
      <SelectField
        {...field("email")}
        label={admin.account}
        options={emails.map((email) => ({ value: email, label: email }))}
      />
      <SelectField
        {...field("plan")}
        label={admin.plan}
        options={GIVEN_PLANS.map((plan) => ({ value: plan, label: admin.plans[plan] }))}
      />
      <TextField {...field("until")} label={admin.until} hint={admin.untilHint} autocomplete="off" />
      <SubmitButton>{admin.save}</SubmitButton>
    </Form>
  );
}

function componentTable(context: SignedInContext, components: readonly ComponentHealth[]) {
  const { componentColumn: column, state: states } = context.texts.admin;
  return (
    <DataTable
      rows={components}
      columns={(col) => [
        col.head(column.name, ({ name }) => componentName(name, context.language)),
        col.text(column.state, ({ state }) => <span class={`state ${state}`}>{states[state]}</span>),
        col.text(column.since, ({ since }) => dateTimeText(since, context)),
        col.text(column.detail, ({ detail }) => componentText(detail, context.language)),
      ]}
    />
  );
}

/** All accounts, with the plan that was given and the one that is in force. */
function AccountTable({ context, accounts }: Pick<AdminProps, "accounts"> & { context: SignedInContext }) {
  const { admin } = context.texts;
  const { column, plans } = admin;
  return (
    <DataTable
      rows={accounts}
      columns={(col) => [
        col.head(column.email, ({ account: { email, administrator } }) =>
          administrator ? `${email} (${admin.administrator})` : email,
        ),
        col.text(column.plan, ({ account }) => plans[account.plan]),
        col.text(column.effective, ({ account }) => plans[account.effectivePlan]),
        col.text(column.until, ({ account: { effectivePlan, trial, paidUntil } }) => {
          const end = effectivePlan === "trial" ? trial?.endsAt : paidUntil;
          return end === undefined ? "–" : lastDayText(end, context);
        }),
        col.text(column.created, ({ account }) => dateText(account.createdAt, context)),
        col.number(column.sites, ({ siteCount }) => siteCount),
      ]}
    />
  );
}
