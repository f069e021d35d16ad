import type { Site } from "../config/site.js";
import { type Texts, textsOf } from "../texts/index.js";
import type { Page, PageContext, PageReply, SignedInContext } from "./context.js";
import type { FormBody } from "./form-body.js";
import { Layout } from "./ui/layout.js";
import { noSite } from "./ui/notices.js";

/** The context of a page about the selected site. */
export interface SiteContext extends SignedInContext {
  site: Site;
}

type Handle<Context> = (context: Context, form: FormBody) => PageReply | Promise<PageReply>;
/** Answers a page about the selected site. */
export type SiteHandle = (context: SiteContext, site: Site, form: FormBody) => PageReply | Promise<PageReply>;

/** What a form has beyond its path; see Page. */
type FormDetails = Pick<Page, "of" | "event" | "takesFiles">;

interface Declare<Handle> {
  get(path: string, handle: Handle): Page;
  post(path: string, details: FormDetails, handle: Handle): Page;
}

/** Pages that anybody may open. */
export const publicPage: Declare<Handle<PageContext>> = {
  get: (path, handle) => ({ method: "GET", path, access: "public", handle }),
  post: (path, details, handle) => ({ method: "POST", path, access: "public", handle, ...details }),
};

/** Pages that require a signed-in account of a role. */
const signedIn = (access: "account" | "administrator"): Declare<Handle<SignedInContext>> => ({
  get: (path, handle) => ({ method: "GET", path, access, handle }),
  post: (path, details, handle) => ({ method: "POST", path, access, handle, ...details }),
});

export const accountPage = signedIn("account");
export const administratorPage = signedIn("administrator");

const hasSite = (context: SignedInContext): context is SiteContext => context.site !== undefined;

/** Pages about the selected site; `without` is the reply to an account that has none. */
export function pagesOfSite(
  without: PageReply | ((context: SignedInContext) => PageReply),
  declare = accountPage,
): Declare<SiteHandle> {
  const withSite =
    (handle: SiteHandle): Handle<SignedInContext> =>
    (context, form) =>
      hasSite(context)
        ? handle(context, context.site, form)
        : typeof without === "function"
          ? without(context)
          : without;
  return {
    get: (path, handle) => declare.get(path, withSite(handle)),
    post: (path, details, handle) => declare.post(path, details, withSite(handle)),
  };
}

/** Data of pages, and forms of pages that an account without sites does not see. */
export const sitePage = pagesOfSite({ refuse: 404 });
/** An account without sites is led to the page that adds one. */
export const sitePageOrSites = pagesOfSite({ redirect: "/settings/sites" });

/** A page about the selected site; an account without sites sees its title, and where one is added. */
export const titledPage = (title: (texts: Texts) => string) =>
  pagesOfSite((context) => ({
    page: (
      <Layout context={context} title={title(textsOf(context.language))}>
        {noSite(context)}
      </Layout>
    ),
  }));
