import type { Site } from "../../accounts/sites.js";
import { controllerLinkUrl, isLinkScope, type LinkScope } from "../../domain/link-scopes.js";
import { LOXONE_KINDS } from "../../domain/loxone-kinds.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { accountErrors } from "../pages/field-errors.js";
import type { FieldErrors } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { ControllerLinks, type Download, Downloads, type LinkRow } from "./controller-links.js";
import { type LoxoneFile, loxonePage } from "./loxone-page.js";
import { CONNECT_PATH } from "./path.js";

/** Services that the pages below /connect use. */
export interface ConnectOptions {
  links: {
    list(siteId: string): readonly LinkRow[];
    /** Throws AccountInputError for a label that does not fit, StoreError. */
    create(siteId: string, link: { scope: LinkScope; label: string }): Promise<{ token: string; id: string }>;
    revoke(id: string): Promise<unknown>;
  };
  baseUrl(): string;
  /** Makes the files for Loxone Config. */
  loxone: LoxoneFile;
}

interface LinkForm {
  label: string;
  scope: string;
  errors: FieldErrors;
}

/** The pages that connect other systems with the gateway. */
export function connectPages(options: ConnectOptions): Page[] {
  const { links } = options;

  const show = (context: SignedInContext, site: Site, refused?: LinkForm): PageReply => ({
    page: (
      <Layout
        context={context}
        title={textsOf(context.language).portal.frame.areas.connect}
        stylesheets={["dashboard.css"]}
      >
        <ControllerLinks
          context={context}
          links={links.list(site.id)}
          made={context.session.takeFlash("link")}
          errors={refused?.errors ?? {}}
          typed={refused ?? { label: "", scope: "read" }}
        />
        <Downloads context={context} downloads={downloadsIn(context)} />
      </Layout>
    ),
    status: refused === undefined ? 200 : 422,
  });

  const createLink = async (context: SignedInContext, site: Site, form: FormBody): Promise<PageReply> => {
    const [scope, label] = [form.text("scope") || "read", form.text("label")];
    const refuse = (errors: FieldErrors) => show(context, site, { label, scope, errors });
    if (!isLinkScope(scope)) return refuse({ scope: context.texts.form.unknown });
    try {
      const { token } = await links.create(site.id, { scope, label });
      context.session.flash("link", controllerLinkUrl(options.baseUrl(), token, scope));
    } catch (error) {
      return refuse(accountErrors(error, context.texts));
    }
    return { redirect: `${CONNECT_PATH}#links` };
  };

  const revokeLink = async (site: Site, form: FormBody): Promise<PageReply> => {
    const id = form.text("id");
    // The link of another account's site is none of this page's business.
    const link = links.list(site.id).find((one) => one.id === id);
    if (link === undefined) return { refuse: 404 };
    // Clicked twice, it is revoked all the same.
    if (link.revokedAt === undefined) await links.revoke(id);
    return { redirect: `${CONNECT_PATH}#links` };
  };

  const withSite =
    (handle: (context: SignedInContext, site: Site, form: FormBody) => PageReply | Promise<PageReply>) =>
    (context: SignedInContext, form: FormBody) =>
      context.site === undefined ? { redirect: "/settings/sites" } : handle(context, context.site, form);

  const forms: Page[] = [
    {
      method: "POST",
      path: `${CONNECT_PATH}/links`,
      of: CONNECT_PATH,
      access: "account",
      event: "link.created",
      handle: withSite(createLink),
    },
    {
      method: "POST",
      path: `${CONNECT_PATH}/links/revoke`,
      of: CONNECT_PATH,
      access: "account",
      event: "link.revoked",
      handle: withSite((_context, site, form) => revokeLink(site, form)),
    },
    loxonePage(links, options.loxone),
  ];
  return [
    {
      method: "GET",
      path: CONNECT_PATH,
      access: "account",
      handle: withSite((context, site) => show(context, site)),
    },
    ...forms,
    // Paths of versions before 0.2, for programs.
    ...forms.map((form) => ({ ...form, path: form.path.replace(CONNECT_PATH, "/settings/ems") })),
  ];
}

function downloadsIn({ language }: SignedInContext): Download[] {
  const texts = textsOf(language).connect.downloads.kinds;
  return LOXONE_KINDS.map((kind) => ({ label: texts[kind], kind }));
}
