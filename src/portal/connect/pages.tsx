import type { VNode } from "preact";
import { AccountInputError } from "../../accounts/input-error.js";
import type { Site } from "../../config/site.js";
import { controllerLinkUrl, isLinkScope, type LinkScope } from "../../core/domain/link-scopes.js";
import { LOXONE_KINDS } from "../../core/domain/loxone-kinds.js";
import { errorMessage } from "../../core/error-message.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { type SiteHandle, sitePageOrSites } from "../page.js";
import { accountErrors } from "../pages/account-fields.js";
import type { FieldErrors } from "../ui/form.js";
import { flashUndo } from "../ui/notices.js";
import { KindPage } from "./kind-page.js";
import { CONNECT_PATH, credentialLabel, KINDS, type Kind, kindNamed, kindPath } from "./kinds.js";
import { ConnectionState } from "./light.js";
import { exampleFlow, FLOW_NAMES, palettePackage } from "./node-red-files.js";
import { addressFor, type ConnectOptions, shownConnection } from "./options.js";
import { Kinds, type LinkForm, OverviewPage } from "./overview-page.js";
import { EVCC_TOPICS } from "./topic-maps.js";

/** Most active keys of a site. */
const MAX_KEYS = 50;

/** The pages that connect other systems with the gateway. */
export function connectPages(options: ConnectOptions): Page[] {
  const { keys, links, tests } = options;

  const urlFor = (context: SignedInContext) => addressFor(context, options);
  const shownKinds = (site: Site) =>
    KINDS.map((kind) => ({ id: kind.id, connection: shownConnection(site, kind, options) }));

  const overview = (context: SignedInContext, site: Site, refused?: LinkForm): PageReply => ({
    page: (
      <OverviewPage
        context={context}
        siteId={site.id}
        connections={shownKinds(site)}
        links={links.list(site.id)}
        madeLink={context.session.takeFlash("link")}
        typed={refused ?? { label: "", scope: "read", errors: {} }}
      />
    ),
    status: refused === undefined ? 200 : 422,
  });

  const kindPage = (context: SignedInContext, site: Site, kind: Kind, refused?: string): PageReply => ({
    page: <KindPage {...{ context, site, kind, options, refused }} />,
    status: refused === undefined ? 200 : 422,
  });

  const createKey: SiteHandle = async (context, site, form) => {
    const kind = kindNamed(form.text("kind"));
    if (kind === undefined) return { refuse: 404 };
    const { create } = textsOf(context.language).connect;
    if (keys.list(site.id).filter(({ revokedAt }) => revokedAt === undefined).length >= MAX_KEYS)
      return kindPage(context, site, kind, create.limit);
    // Limits count by key: an account with a limited plan has one.
    const { key } = context.account.administrator
      ? await keys.add(site.id, { label: credentialLabel(kind) })
      : await keys.replace(site.id, credentialLabel(kind));
    showAgain(context, form);
    context.session.flash("key", key);
    return { redirect: kindPath(kind) };
  };

  const useTopics: SiteHandle = async (context, site, form) => {
    const kind = kindNamed(form.text("kind"));
    if (kind?.id !== "evcc") return { refuse: 404 };
    const change = await options.addTopics(site.id, EVCC_TOPICS);
    const { topicsUsed, topicsKnown } = textsOf(context.language).connect;
    context.session.flash("notice", change === undefined ? topicsKnown : topicsUsed);
    flashUndo(context, site.id, change);
    showAgain(context, form);
    return { redirect: kindPath(kind) };
  };

  const revoke =
    (what: "key" | "link"): SiteHandle =>
    async (_context, site, form) => {
      const id = form.text("id");
      const held = what === "key" ? keys : links;
      const one = held.list(site.id).find((known) => known.id === id);
      // That of another account's site is none of this page's business.
      if (one === undefined) return { refuse: 404 };
      // Clicked twice, it is revoked all the same.
      if (one.revokedAt === undefined) await held.revoke(id, { siteId: site.id });
      const kind = kindNamed(form.text("kind"));
      return { redirect: kind === undefined ? `${CONNECT_PATH}#links` : kindPath(kind) };
    };

  /** Undefined if the site has as many as it may have. */
  const newLink = (site: Site, wanted: { scope: LinkScope; label: string }) =>
    links.create(site.id, wanted).catch((error: unknown) => {
      if (error instanceof AccountInputError && error.code === "too_many_links") return undefined;
      throw error;
    });

  /** Creates the link of a kind, and reads it once. */
  const createLinkOf = async (context: SignedInContext, site: Site, kind: Kind): Promise<PageReply> => {
    const scope = kind.link ?? "read";
    const made = await newLink(site, { scope, label: credentialLabel(kind) });
    const { create } = textsOf(context.language).connect;
    if (made === undefined) return kindPage(context, site, kind, create.limit);
    const { token, id } = made;
    const address = urlFor(context);
    context.session.flash("link", controllerLinkUrl(address, token, scope));
    if (options.readOnce !== undefined) {
      // Always at the configured address: the browser's one could be any host.
      const outcome = await options.readOnce(controllerLinkUrl(options.baseUrl(), token, scope)).then(
        (answer) => create.readOk(answer),
        (error: unknown) => create.readFailed(errorMessage(error)),
      );
      options.uses.forget(id);
      context.session.flash("outcome", outcome);
    }
    return { redirect: kindPath(kind) };
  };

  const createLink: SiteHandle = async (context, site, form) => {
    const kind = kindNamed(form.text("kind"));
    if (kind !== undefined) {
      showAgain(context, form);
      return createLinkOf(context, site, kind);
    }
    const [scope, label] = [form.text("scope") || "read", form.text("label")];
    const refuse = (errors: FieldErrors) => overview(context, site, { label, scope, errors });
    if (!isLinkScope(scope)) return refuse({ scope: context.texts.form.unknown });
    try {
      const { token } = await links.create(site.id, { scope, label });
      const address = urlFor(context);
      context.session.flash("link", controllerLinkUrl(address, token, scope));
    } catch (error) {
      return refuse(accountErrors(error, context.texts));
    }
    return { redirect: `${CONNECT_PATH}#links` };
  };

  /** A file for Loxone; one that needs a link comes with a new one, since the tokens of existing links are not stored. */
  const loxone: SiteHandle = async (context, site, form) => {
    const kind = LOXONE_KINDS.find((one) => one === (form.text("kind") || "http-input"));
    if (kind === undefined) return { refuse: 404 };
    const scope: LinkScope = kind === "http-input" ? "read" : "telemetry";
    const made = kind === "mqtt" ? { token: "" } : await newLink(site, { scope, label: `Loxone ${kind}` });
    if (made === undefined)
      return kindPage(context, site, kindNamed("loxone")!, textsOf(context.language).connect.create.limit);
    const { token } = made;
    const baseUrl = urlFor(context);
    const { filename, content } = options.loxone(site, { kind, token, language: context.language, baseUrl });
    const type = filename.endsWith(".csv") ? "text/csv" : "application/xml";
    return download(filename, `${type}; charset=utf-8`, content);
  };

  const startTest: SiteHandle = (_context, site, form) => {
    const kind = kindNamed(form.text("kind"));
    if (kind === undefined) return { refuse: 404 };
    tests.run(site.id, kind.id);
    return { redirect: kindPath(kind) };
  };

  const data: SiteHandle = (context, site) => {
    const asked = context.query.get("kind");
    const kind = asked === null ? undefined : kindNamed(asked);
    if (asked !== null && kind === undefined) return { refuse: 404 };
    const isExternal = options.broker(site.id).url !== null;
    const parts: Record<string, VNode> =
      kind === undefined
        ? { kinds: <Kinds context={context} connections={shownKinds(site)} /> }
        : {
            connection: (
              <ConnectionState
                {...{ context, kind, isExternal }}
                connection={shownConnection(site, kind, options)}
                nameOf={(status) => options.nameOf(site, status, context.language)}
              />
            ),
          };
    return { parts };
  };

  const flow: SiteHandle = (context, site) => {
    const name = FLOW_NAMES.find((one) => one === context.query.get("name"));
    if (name === undefined) return { refuse: 404 };
    const url = urlFor(context);
    const gateway = { url, plant: site.id, prefix: options.broker(site.id).prefix };
    const content = exampleFlow(name, context.language, gateway);
    return download(`hourgate-${name}.json`, "application/json; charset=utf-8", content);
  };

  const form = (path: string, handle: SiteHandle, event?: string) =>
    sitePageOrSites.post(`${CONNECT_PATH}/${path}`, { of: CONNECT_PATH, ...(event && { event }) }, handle);
  const read = sitePageOrSites.get;
  const moved = [
    form("links", createLink, "link.created"),
    form("links/revoke", revoke("link"), "link.revoked"),
    form("loxone", loxone, "link.created"),
  ];
  return [
    read(CONNECT_PATH, (context, site) => overview(context, site)),
    ...KINDS.map((kind) => read(kindPath(kind), (context, site) => kindPage(context, site, kind))),
    read("/portal/connect", data),
    read(`${CONNECT_PATH}/node-red/flow`, flow),
    read(`${CONNECT_PATH}/node-red/palette`, () => {
      const { filename, content } = palettePackage();
      return download(filename, "application/gzip", content);
    }),
    form("keys", createKey, "key.created"),
    form("keys/revoke", revoke("key"), "key.revoked"),
    form("test", startTest),
    form("topics", useTopics, "settings.changed"),
    ...moved,
    // Paths of versions before 0.2, for programs.
    ...moved.map((page) => ({ ...page, path: page.path.replace(CONNECT_PATH, "/settings/ems") })),
  ];
}

/** Keeps the credentials that the page of a form has shown for the next page: they are filled in there, too. */
function showAgain({ session }: SignedInContext, form: FormBody): void {
  const [key, link] = [form.text("shown_key"), form.text("shown_link")];
  if (/^hg_live_[\w-]{43}$/.test(key)) session.flash("key", key);
  if (/^https?:\/\/[^\s"'<>]+\/c\/[\w-]{32}(\/\w+)?$/.test(link)) session.flash("link", link);
}

function download(filename: string, type: string, document: string | Buffer): PageReply {
  return { document, type, headers: { "Content-Disposition": `attachment; filename="${filename}"` } };
}
