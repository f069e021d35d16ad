import type { ComponentChildren } from "preact";
import type { Language } from "../../core/language.js";
import type { PageContext } from "../context.js";
import { errorSummary, type FieldErrors, Notice } from "./form.js";
import { siteName } from "./format.js";
import { TABS, type Tab, tabOf } from "./navigation.js";
import { formResult } from "./notices.js";

interface LayoutProps {
  context: PageContext;
  title: string;
  /** Names of script modules; the page works without them. */
  scripts?: readonly string[];
  /** Names of further stylesheets. */
  stylesheets?: readonly string[];
  /** The browser reloads the page after this time. */
  refreshSeconds?: number | undefined;
  /** A link above the page to the one that it belongs to: its address and text. */
  back?: readonly [href: string, text: string];
  /** What is wrong in the form of the page. */
  errors?: FieldErrors;
  children?: ComponentChildren;
}

/** The HTML document of a page. */
export function Layout(props: LayoutProps) {
  const {
    context,
    title,
    scripts = [],
    stylesheets = [],
    refreshSeconds,
    back,
    errors = {},
    children,
  } = props;
  const { texts, language, account } = context;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        {refreshSeconds !== undefined && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
        <title>{`${title} – hourgate`}</title>
        <link rel="icon" type="image/svg+xml" href={context.asset("icon.svg")} />
        <link rel="apple-touch-icon" href={context.asset("apple-touch-icon.png")} />
        <link rel="manifest" href={context.asset("manifest.webmanifest")} />
        <meta name="theme-color" content="#0b6e4f" />
        {["portal.css", "dashboard.css", ...stylesheets].map((name) => (
          <link key={name} rel="stylesheet" href={context.asset(name)} />
        ))}
        {["install.js", ...scripts].map((name) => (
          <script key={name} type="module" src={context.asset(name)} />
        ))}
      </head>
      <body class={account === undefined ? undefined : "framed"}>
        <a class="skip" href="#content">
          {texts.frame.skip}
        </a>
        {account === undefined ? visitorHeader(context) : siteChoice(context)}
        {account !== undefined && bar(context)}
        <main id="content" tabIndex={-1}>
          <h1>{title}</h1>
          {context.isStoreDown && <Notice kind="error">{texts.frame.storeDown}</Notice>}
          {back !== undefined && (
            <p class="back">
              <a href={back[0]}>{back[1]}</a>
            </p>
          )}
          {formResult(context)}
          {errorSummary(context, errors)}
          {children}
        </main>
      </body>
    </html>
  );
}

/** Paths of 24 × 24 units. */
const TAB_ICONS: Record<Tab, string> = {
  overview: "M3 11 12 4l9 7M5 10v10h14V10M10 20v-6h4v6",
  history: "M4 20V4M4 20h16M9 20v-6M14 20V9M19 20v-9",
  devices: "M8 3v5M16 3v5M5 8h14v3a7 7 0 0 1-14 0zM12 18v3",
  more: "M4 7h16M4 12h16M4 17h16",
};

/** The areas of the portal: at the bottom, on large screens at the left. */
function bar(context: PageContext) {
  const { frame } = context.texts;
  const present = tabOf(context.path);
  return (
    <nav class="bar" aria-label={frame.menu}>
      <span class="brand" aria-hidden="true">
        hourgate
      </span>
      <ul>
        {(Object.entries(TABS) as [Tab, string][]).map(([tab, path]) => (
          <li key={tab}>
            <a
              href={path}
              aria-current={tab !== present ? undefined : context.path === path ? "page" : "true"}
            >
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d={TAB_ICONS[tab]} />
              </svg>
              <span>{frame.tabs[tab]}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function visitorHeader(context: PageContext) {
  return (
    <header class="top">
      <a class="brand" href="/login">
        hourgate
      </a>
      <a href="/help">{context.texts.frame.areas.help}</a>
      <Languages context={context} />
    </header>
  );
}

/** Selection of the site; hidden for accounts with one site. */
function siteChoice(context: PageContext) {
  const { sites, site, texts, path } = context;
  if (sites.length < 2) return null;
  return (
    <header class="top">
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
    </header>
  );
}

const LANGUAGE_NAMES: Record<Language, string> = { de: "Deutsch", en: "English" };

/** Links to the present page in each language. */
export function Languages({ context }: { context: PageContext }) {
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
