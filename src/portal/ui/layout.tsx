import type { ComponentChildren } from "preact";
import type { Language } from "../../language.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { siteName } from "./site-name.js";

interface LayoutProps {
  context: PageContext;
  title: string;
  /** Names of script modules; the page works without them. */
  scripts?: readonly string[];
  /** Names of further stylesheets. */
  stylesheets?: readonly string[];
  /** The browser reloads the page after this time. */
  refreshSeconds?: number | undefined;
  children?: ComponentChildren;
}

/** The HTML document of a page. */
export function Layout({
  context,
  title,
  scripts = [],
  stylesheets = [],
  refreshSeconds,
  children,
}: LayoutProps) {
  const { texts, language } = context;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {refreshSeconds !== undefined && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
        <title>{`${title} – hourgate`}</title>
        <link rel="icon" type="image/svg+xml" href={context.asset("icon.svg")} />
        {["portal.css", ...stylesheets].map((name) => (
          <link key={name} rel="stylesheet" href={context.asset(name)} />
        ))}
        {scripts.map((name) => (
          <script key={name} type="module" src={context.asset(name)} />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          {texts.frame.skip}
        </a>
        <header class="top">
          <a class="brand" href={context.account === undefined ? "/login" : "/dashboard"}>
            hourgate
          </a>
          <SiteChoice context={context} />
          <Languages context={context} />
          {context.account !== undefined && <SignOut context={context} email={context.account.email} />}
        </header>
        <Menu context={context} />
        <main id="content" tabIndex={-1}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

function Menu({ context }: { context: PageContext }) {
  const { frame } = context.texts;
  const pages: [path: string, label: string][] =
    context.account === undefined
      ? [
          ["/login", frame.login],
          ["/register", frame.register],
        ]
      : [
          ["/dashboard", frame.dashboard],
          ["/meter", textsOf(context.language).meterPage.title],
          ["/savings", textsOf(context.language).savings.title],
          ["/bill", textsOf(context.language).bill.title],
          ["/compare", textsOf(context.language).compare.title],
          ["/actuators", textsOf(context.language).actuators.title],
          ["/settings/ems", frame.ems],
          ["/settings/keys", frame.keys],
          ["/settings/plan", frame.plan],
          ["/settings/webhook", frame.webhook],
          ["/settings/sites", frame.sites],
          ["/settings/account", textsOf(context.language).security.account.title],
          ...(context.account.administrator ? [["/admin", frame.admin] as [string, string]] : []),
        ];
  return (
    <nav class="menu" aria-label={frame.menu}>
      <ul>
        {pages.map(([path, label]) => (
          <li key={path}>
            <a href={path} aria-current={path === context.path ? "page" : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Selection of the site; hidden for accounts with one site. */
function SiteChoice({ context }: { context: PageContext }) {
  const { sites, site, texts, path } = context;
  if (sites.length < 2) return null;
  return (
    <form method="get" action={path} class="site-choice">
      <label for="site-choice">{texts.frame.site}</label>
      <select id="site-choice" name="site">
        {sites.map((one) => (
          <option key={one.id} value={one.id} selected={one.id === site?.id}>
            {siteName(one)}
          </option>
        ))}
      </select>
      <button type="submit" class="button plain">
        {texts.frame.showSite}
      </button>
    </form>
  );
}

const LANGUAGE_NAMES: Record<Language, string> = { de: "Deutsch", en: "English" };

function Languages({ context }: { context: PageContext }) {
  const query = (language: string) => {
    const params = new URLSearchParams(context.query);
    params.set("lang", language);
    return `${context.path}?${params}`;
  };
  return (
    <ul class="languages" aria-label={context.texts.frame.language}>
      {Object.entries(LANGUAGE_NAMES).map(([language, name]) => (
        <li key={language}>
          <a
            href={query(language)}
            lang={language}
            hreflang={language}
            aria-current={language === context.language ? "true" : undefined}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function SignOut({ context, email }: { context: PageContext; email: string }) {
  return (
    <form method="post" action="/logout" class="sign-out">
      <input type="hidden" name="_csrf" value={context.csrfToken} />
      <span class="who">{email}</span>
      <button type="submit" class="button plain">
        {context.texts.frame.logout}
      </button>
    </form>
  );
}
