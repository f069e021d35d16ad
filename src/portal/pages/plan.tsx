import type { QuotaSettings } from "../../config/settings.js";
import type { PortalTexts } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { accountPage } from "../page.js";
import { type FieldErrors, Form, Notice, SubmitButton } from "../ui/form.js";
import { dateText, lastDayText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Card, formButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { accountErrors, NewPasswordField, PasswordField, passwordForms } from "./account-fields.js";

const PATH = "/settings/plan";

/** The plan of the account with its prices, the trial, the cancellation, if there are several accounts; and the password. */
export function planPages(options: PortalOptions): Page[] {
  const { book, security } = options;
  const show = (context: SignedInContext, errors: FieldErrors): PageReply => ({
    page: planPage(context, options, errors),
    status: Object.keys(errors).length === 0 ? 200 : 422,
  });
  /** A form without fields that changes the account and shows a notice. */
  const act = (
    name: string,
    run: (accountId: string) => Promise<unknown>,
    done: "trialStarted" | "cancelDone" | "resumeDone",
  ): Page =>
    accountPage.post(`${PATH}/${name}`, { of: PATH, event: "plan.changed" }, async (context) => {
      try {
        await run(context.account.id);
      } catch (error) {
        return show(context, accountErrors(error, context.texts));
      }
      context.session.flash("notice", context.texts.plan[done]);
      return { redirect: PATH };
    });

  const withPassword = passwordForms(options, show);
  return [
    accountPage.get(PATH, (context) => show(context, {})),
    act("trial", (id) => book.startTrial(id), "trialStarted"),
    act("cancel", (id) => book.cancel(id), "cancelDone"),
    act("resume", (id) => book.resume(id), "resumeDone"),
    accountPage.post(
      `${PATH}/password`,
      { of: PATH, event: "account.password_changed" },
      withPassword(async (context, form) => {
        await security.changePassword(context.account.id, form.raw("current_password"), form.raw("password"));
        // The change has ended all sessions; this browser gets a new one.
        await context.session.signIn(context.account.id);
        context.session.flash("notice", context.texts.plan.passwordDone);
        return { redirect: PATH };
      }),
    ),
  ];
}

function planPage(context: SignedInContext, options: PortalOptions, errors: FieldErrors) {
  const { isShared, texts } = context;
  const { plan } = texts;
  return (
    <Layout {...{ context, errors }} title={isShared ? plan.title : plan.passwordTitle}>
      {isShared && (
        <>
          <Card title={plan.current}>{currentPlan(context)}</Card>
          <section class="card">
            {priceTable(plan, options.quotaTable)}
            <p class="hint">{plan.paidNote(options.contact)}</p>
          </section>
        </>
      )}
      <section class="card narrow">
        {isShared && <h2>{plan.passwordTitle}</h2>}
        <Form context={context} action={`${PATH}/password`}>
          <PasswordField
            name="current_password"
            label={plan.currentPassword}
            error={errors.current_password}
          />
          <NewPasswordField context={context} label={plan.newPassword} error={errors.password} />
          <SubmitButton>{plan.passwordSave}</SubmitButton>
        </Form>
      </section>
    </Layout>
  );
}

/** What is in force until when, and what can be done about it. */
function currentPlan(context: SignedInContext) {
  const { plan } = context.texts;
  const { account, now } = context;
  const { cancelledAt, paidUntil, tier, trial } = account;
  const label = (
    <p id="field-plan">
      <strong>{account.label}</strong>
    </p>
  );
  if (tier === "full_active")
    return cancelledAt === undefined ? (
      <>
        {label}
        {paidUntil !== undefined && <p>{plan.paidUntil(lastDayText(paidUntil, context))}</p>}
        <p>{plan.cancelNote}</p>
        {formButton(context, `${PATH}/cancel`, plan.cancel, { kind: "danger" })}
      </>
    ) : (
      <>
        {label}
        <Notice kind="warning">{plan.cancelled(dateText(paidUntil ?? cancelledAt, context))}</Notice>
        {formButton(context, `${PATH}/resume`, plan.resume)}
      </>
    );
  return (
    <>
      {label}
      {tier === "full_trial" && trial !== undefined && (
        <p>{plan.trialRuns(dateText(trial.endsAt, context))}</p>
      )}
      {trial !== undefined && trial.endsAt <= now && <p>{plan.trialOver(dateText(trial.endsAt, context))}</p>}
      {trial === undefined && (
        <>
          <h3>{plan.trialTitle}</h3>
          <p>{plan.trialOffer}</p>
          {formButton(context, `${PATH}/trial`, plan.trialStart)}
        </>
      )}
    </>
  );
}

/** The plans side by side: prices of docs/spec/http-api.md section 3, limits as this gateway is configured. */
function priceTable(texts: PortalTexts["plan"], quotaTable: QuotaSettings) {
  const { column, name } = texts;
  const { basic, community, professional, oem } = quotaTable;
  const rows = [
    [name.basic, texts.free, texts.hours(48), texts.perHour(basic.decision, "address")],
    [name.community, texts.free, texts.hours(168), texts.perDay(community.decision)],
    [
      name.professional,
      texts.professionalPrice,
      texts.hours(168),
      texts.perHour(professional.decision, "account"),
    ],
    [name.oem, texts.oemPrice, texts.hours(168), texts.perHour(oem.decision, "account")],
  ] as const;
  return (
    <DataTable
      rows={rows}
      columns={(col) =>
        Object.values(column).map((label, at) => (at === 0 ? col.head : col.text)(label, (row) => row[at]))
      }
    />
  );
}
