import { type Texts, textsOf } from "../../texts/index.js";
import type { PageContext, SignedInContext } from "../context.js";

/** The four areas of the bar. */
export type Tab = "overview" | "history" | "devices" | "more";

export const TABS: Readonly<Record<Tab, string>> = {
  overview: "/dashboard",
  history: "/history",
  devices: "/devices",
  more: "/more",
};

/** Pages that belong to an area without being below its path; all others belong to *More*. */
const BELOW: readonly (readonly [path: string, tab: Tab])[] = [
  ["/car", "devices"],
  ["/why", "history"],
];

/** The area of a page, by its path. */
export function tabOf(path: string): Tab {
  const paths = [...BELOW, ...Object.entries(TABS).map(([tab, of]) => [of, tab as Tab] as const)];
  return paths.find(([of]) => path === of || path.startsWith(`${of}/`))?.[1] ?? "more";
}

/** A link to a page. */
export interface Entry {
  path: string;
  label: string;
}

type Group = keyof Texts["portal"]["more"]["groups"];

/** The page *More*: what is not in the bar, in three groups. */
export function moreEntries({ account, isShared, sites, language }: SignedInContext): Record<Group, Entry[]> {
  const texts = textsOf(language);
  const { frame, plan } = texts.portal;
  const { areas } = frame;
  return {
    money: entries({
      "/bill": texts.bill.title,
      "/what-if": texts.whatIf.title,
      "/meter": texts.meterPage.title,
    }),
    home: entries({
      "/settings/ems": areas.home,
      "/household": texts.household.title,
      "/start": texts.start.title,
      "/connect": areas.connect,
      "/settings/notifications": texts.notifications.title,
      ...(sites.length > 1 && { "/settings/sites": frame.sites }),
      "/settings/account": texts.security.account.title,
      ...(!isShared && { "/settings/plan": plan.passwordTitle }),
    }),
    technical: entries({
      "/developers": areas.developers,
      ...(account.administrator && { "/admin": areas.administration }),
      "/help": areas.help,
    }),
  };
}

/** The pages of the developers, some of which only concern a gateway with several accounts. */
export function developerEntries({ isShared, language }: PageContext): Entry[] {
  const texts = textsOf(language);
  const { frame } = texts.portal;
  return entries({
    "/developers/outputs": texts.dashboard.outputsPage.title,
    "/settings/keys": frame.keys,
    "/settings/webhook": frame.webhook,
    "/settings/sites": frame.sites,
    ...(isShared && { "/settings/plan": frame.plan }),
    "/developers/components": texts.portal.components.title,
  });
}

function entries(pages: Readonly<Record<string, string>>): Entry[] {
  return Object.entries(pages).map(([path, label]) => ({ path, label }));
}
