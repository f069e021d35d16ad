import type { ComponentChildren } from "preact";
import type { Language } from "../../core/language.js";
import type { PageContext } from "../context.js";
import { Notice } from "./form.js";
import { menuOf, menuPageOf } from "./navigation.js";
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
        <link rel="apple-touch-icon" href={context.asset("apple-touch-icon.png")} />
        <link rel="manifest" href={context.asset("manifest.webmanifest")} />
        <meta name="theme-color" content="#0b6e4f" />
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
          {context.isStoreDown && <Notice kind="error">{texts.frame.storeDown}</Notice>}
          {children}
        </main>
      </body>
    </html>
  );
}

/** The areas of the portal; below them the pages of the present area if it has several. */
function Menu({ context }: { context: PageContext }) {
  const { frame } = context.texts;
  const areas = menuOf(context);
  const page = menuPageOf(areas, context.path);
  const present = areas.find(({ pages }) => page !== undefined && pages.includes(page));
  return (
    <>
      <nav class="menu" aria-label={frame.menu}>
        <ul>
          {areas.map((area) => (
            <li key={area.label}>
              <a
                href={area.path}
                aria-current={area !== present ? undefined : area.pages.length > 1 ? "true" : "page"}
              >
                {area.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {present !== undefined && present.pages.length > 1 && (
        <nav class="menu pages" aria-label={present.label}>
          <ul>
            {present.pages.map(({ path, label }) => (
              <li key={path}>
                <a href={path} aria-current={path === page?.path ? "page" : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
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
