import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";

/** An entry of the menu. */
export interface MenuPage {
  /** Address; may have a fragment. */
  path: string;
  label: string;
}

/** A heading of the menu with its pages; the heading links to the first one. */
export interface MenuArea {
  label: string;
  path: string;
  pages: readonly MenuPage[];
}

/**
 * The menu of the caller. A gateway with one account has no pages about plans; administrators have the pages about all
 * accounts.
 */
export function menuOf(context: PageContext): MenuArea[] {
  const { account, isShared, language } = context;
  const texts = textsOf(language);
  const { frame } = texts.portal;
  const { areas } = frame;
  if (account === undefined)
    return [
      single("/login", frame.login),
      ...(context.isRegistrationOpen ? [single("/register", frame.register)] : []),
      single("/help", areas.help),
    ];
  return [
    single("/dashboard", areas.overview),
    area(areas.history, {
      "/history": texts.history.title,
      "/savings": texts.savings.title,
      "/bill": texts.bill.title,
      "/compare": texts.compare.title,
      "/meter": texts.meterPage.title,
    }),
    single("/devices", areas.devices),
    area(areas.home, {
      "/settings/ems": frame.ems,
      "/household": texts.household.title,
      "/start": texts.start.title,
      "/settings/sites": frame.sites,
      "/settings/notifications": texts.notifications.title,
      "/settings/account": texts.security.account.title,
      ...(!isShared && { "/settings/plan": texts.portal.plan.passwordTitle }),
    }),
    single("/connect", areas.connect),
    single("/help", areas.help),
    area(areas.developers, {
      "/developers/outputs": texts.dashboard.outputsPage.title,
      "/settings/keys": frame.keys,
      "/settings/webhook": frame.webhook,
      ...(isShared && { "/settings/plan": frame.plan }),
    }),
    ...(account.administrator
      ? [area(areas.administration, { "/admin": frame.admin, "/settings/audit": texts.security.audit.title })]
      : []),
  ];
}

/** The page of the menu that a path belongs to: itself or the nearest page above it. */
export function menuPageOf(areas: readonly MenuArea[], path: string): MenuPage | undefined {
  const above = areas
    .flatMap(({ pages }) => pages)
    .filter((page) => path === page.path || path.startsWith(`${page.path}/`));
  return above.sort((a, b) => b.path.length - a.path.length)[0];
}

function area(label: string, pages: Readonly<Record<string, string>>): MenuArea {
  const entries = Object.entries(pages).map(([path, title]) => ({ path, label: title }));
  return { label, path: entries[0]!.path, pages: entries };
}

function single(path: string, label: string): MenuArea {
  return area(label, { [path]: label });
}
