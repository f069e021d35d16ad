import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { PortalOptions } from "../options.js";
import { accountPage } from "../page.js";
import { errorSummary, type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { flashUndo } from "../ui/notices.js";
import { Card, linkLine } from "../ui/parts.js";
import { siteErrors } from "./account-fields.js";
import { isOnlyHome, SiteCardSection, SiteFields, type SiteOnCard } from "./site-card.js";

const PATH = "/settings/sites";
/** Maximum length of a label and of a reference, as for the name of a plant. */
const TEXT_MAX = 100;
/** Each site needs planning time: limits the sites of an account without a paid plan. */
const SITES = { free: 10, paid: 1000 };

/** A refused form: of the card of a site, or of a new site if `siteId` is undefined. */
interface Refused {
  siteId: string | undefined;
  form: FormBody;
  errors: FieldErrors;
}

/** The sites of the account: a card for each, with its name, reference, key and webhook. */
export function sitePages(options: PortalOptions): Page[] {
  const { sites, keys, history } = options;
  const show = (context: SignedInContext, refused?: Refused): PageReply => ({
    page: sitesPage(context, cardsOf(context, options), refused),
    status: refused === undefined ? 200 : 422,
  });

  const add = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const { account, texts, session } = context;
    const refuse = (errors: FieldErrors) => show(context, { siteId: undefined, form, errors });
    const errors = tooLong(form, context);
    if (Object.keys(errors).length > 0) return refuse(errors);
    if (form.text("label") === "") return refuse({ label: texts.form.required });
    const most = account.tier === "full_active" || account.administrator ? SITES.paid : SITES.free;
    if (context.sites.length >= most) return refuse({ label: texts.sites.tooMany });
    try {
      const label = form.text("label");
      const site = await sites.add(account.id, { label, customerRef: form.text("customer_ref") });
      const { key } = await keys.replace(site.id);
      session.flash("key", key);
      session.flash("notice", texts.sites.added);
      return { redirect: `${PATH}?${new URLSearchParams({ site: site.id })}` };
    } catch (error) {
      return refuse(siteErrors(error, texts));
    }
  };

  /** Applies a form to its site. */
  const act = (
    name: string,
    run: (siteId: string, context: SignedInContext, form: FormBody) => Promise<PageReply>,
  ): Page =>
    accountPage.post(`${PATH}/${name}`, { of: PATH, event: "site.changed" }, async (context, form) =>
      // The site of the form, not the selected one.
      form.has("site") && context.site !== undefined ? run(context.site.id, context, form) : { refuse: 404 },
    );

  return [
    accountPage.get(PATH, (context) => show(context)),
    accountPage.post(PATH, { event: "site.changed" }, add),
    act("change", async (siteId, context, form) => {
      const errors = tooLong(form, context);
      if (Object.keys(errors).length > 0) return show(context, { siteId, form, errors });
      try {
        const saved = await history.saveAtOnce(siteId, {
          ...(form.has("label") && { plant: { name: form.text("label") } }),
          ...(form.has("customer_ref") && { customerRef: form.text("customer_ref") }),
        });
        flashUndo(context, siteId, saved);
      } catch (error) {
        return show(context, { siteId, form, errors: siteErrors(error, context.texts) });
      }
      context.session.flash("notice", context.texts.sites.saved);
      return { redirect: PATH };
    }),
    act("key", async (siteId, context) => {
      const { key } = await keys.replace(siteId);
      context.session.flash("key", key);
      return { redirect: PATH };
    }),
    act("remove", async (siteId, context, form) => {
      if (sites.isConfigured(siteId))
        return show(context, { siteId, form, errors: { label: context.texts.sites.configured } });
      await sites.remove(siteId);
      context.session.flash("notice", context.texts.sites.removed);
      return { redirect: PATH };
    }),
  ];
}

function tooLong(form: FormBody, { texts }: SignedInContext): FieldErrors {
  return {
    ...([...form.text("label")].length > TEXT_MAX && { label: texts.sites.labelTooLong }),
    ...([...form.text("customer_ref")].length > TEXT_MAX && { customer_ref: texts.sites.customerRefTooLong }),
  };
}

function cardsOf(context: SignedInContext, { sites, keys, webhooks }: PortalOptions): SiteOnCard[] {
  return context.sites.map((site) => {
    const webhook = webhooks.get(site.id);
    return {
      site,
      customerRef: sites.card(site.id).customerRef,
      isConfigured: sites.isConfigured(site.id),
      keyPrefixes: keys
        .list(site.id)
        .filter(({ revokedAt }) => revokedAt === undefined)
        .map(({ prefix }) => prefix),
      webhook: webhook === undefined ? "none" : webhook.failing ? "failing" : "ok",
    };
  });
}

function sitesPage(context: SignedInContext, cards: readonly SiteOnCard[], refused: Refused | undefined) {
  const { sites } = context.texts;
  const asked = context.query.get("remove");
  const adding = refused !== undefined && refused.siteId === undefined ? refused : undefined;
  return (
    <Layout context={context} title={sites.title}>
      {errorSummary(context, refused?.errors ?? {}, refused?.siteId)}
      {!isOnlyHome(context) && <p>{sites.intro}</p>}
      {cards.map((card) => {
        const own = refused?.siteId === card.site.id ? refused : undefined;
        return (
          <SiteCardSection
            key={card.site.id}
            {...{ context, card }}
            typed={own?.form}
            errors={own?.errors ?? {}}
            isRemovalAsked={asked === card.site.id && context.method !== "POST"}
          />
        );
      })}
      {isOnlyHome(context) ? (
        linkLine(`${PATH}?all=1`, sites.all)
      ) : (
        <Card title={sites.addTitle}>
          <Form context={{ ...context, site: undefined }} action={PATH}>
            <SiteFields
              texts={sites}
              held={{ label: "", customerRef: "" }}
              typed={adding?.form}
              errors={adding?.errors ?? {}}
            />
            <SubmitButton>{sites.add}</SubmitButton>
          </Form>
        </Card>
      )}
    </Layout>
  );
}
